"""The phrases of ``stance_rules.yaml`` and ``opposites.yaml``, compiled once."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml

_FILES = tuple(Path(__file__).with_name(f"{name}.yaml") for name in ("stance_rules", "opposites"))


@cache
def table() -> dict[str, Any]:
    """The files as data."""
    words: dict[str, Any] = {}
    for file in _FILES:
        words |= yaml.safe_load(file.read_text(encoding="utf-8"))
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
