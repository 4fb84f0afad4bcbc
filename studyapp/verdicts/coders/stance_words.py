"""The phrases of ``stance_rules.yaml``, compiled once."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml

_FILE = Path(__file__).with_name("stance_rules.yaml")


@cache
def table() -> dict[str, Any]:
    """The file as data."""
    words: dict[str, Any] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return words


@cache
def pattern(*path: str, before: str = "", after: str = "") -> re.Pattern[str]:
    """``before``, any expression of the list at ``path`` as whole words, ``after``."""
    return re.compile(rf"{before}(?<![\w'])(?:{alternatives(*path)})(?![\w']){after}")


@cache
def alternatives(*path: str) -> str:
    """The list at ``path``, one expression a line, as one expression."""
    node: Any = table()
    for key in path:
        node = node[key]
    return "|".join(f"(?:{line})" for line in node.splitlines())
