"""Waiting for what another process will do."""

import time
from collections.abc import Callable


def until(condition: Callable[[], bool], seconds: float, explain: Callable[[], str] = str) -> None:
    """Return when ``condition`` holds; fail, with ``explain()``, when it does not within ``seconds``."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not so within {seconds} s\n{explain()}"
        time.sleep(0.05)
