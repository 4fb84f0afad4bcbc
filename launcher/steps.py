"""What a start shows: each step with its name, what came of it, and its seconds."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

console = Console(highlight=False, soft_wrap=True)


class Step:
    """``result`` is shown when the step is done."""

    result = ""


@contextmanager
def step(name: str) -> Iterator[Step]:
    # Plain lines, no spinner: that would be a thread, and children are forked from here.
    console.print(Text(f"  {name:<14}", "bold"), end="")
    current, began = Step(), time.monotonic()
    try:
        yield current
    except BaseException:
        console.print()
        raise
    console.print(Text(f"{time.monotonic() - began:5.1f} s  ", "dim") + Text(current.result))


def say(line: str = "", style: str = "") -> None:
    console.print(Text(line, style))
