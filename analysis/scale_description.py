"""A small description of a scale, for files that say nothing of it: items, direction, bounds, codes."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from analysis.errors import BadScaleDescription

KEYS = ("items", "minimum", "maximum", "labels", "missing", "reversed", "condition", "id", "sep", "encoding")
ITEM_KEYS = ("key", "text", "reversed", "minimum", "maximum")


@dataclass(frozen=True)
class ScaleDescription:
    """What a file does not say of its items.

    Attributes
    ----------
    items : names or shell patterns, empty for every numeric column
    bounds : lowest and highest answer of every item, of single items in ``item_bounds``
    wordings, reversed : by item
    labels : labels of values; text cells that equal one are read as its value
    missing : codes of missing answers, as written in the file
    condition, id, sep, encoding : None where the file tells by itself
    """

    items: tuple[str, ...] = ()
    bounds: tuple[float, float] | None = None
    item_bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    wordings: Mapping[str, str] = field(default_factory=dict)
    reversed: tuple[str, ...] = ()
    labels: Mapping[float, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    condition: str | None = None
    id: str | None = None
    sep: str | None = None
    encoding: str | None = None


def read(path: Path) -> ScaleDescription:
    """Read a scale description::

        items:
          - q1
          - {key: q2, text: I felt understood., reversed: true}
        minimum: 1
        maximum: 7
        labels: {1: Strongly disagree, 7: Strongly agree}
        missing: [99, -9]
        condition: arm

    Raises
    ------
    BadScaleDescription : no file, no YAML, an unknown key, or a value of the wrong form
    """
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise BadScaleDescription(f"{path}: {problem.strerror or problem}; give a YAML file") from None
    except (yaml.YAMLError, UnicodeDecodeError) as problem:
        where = str(problem).splitlines()[-1].strip()
        raise BadScaleDescription(f"{path}: not readable as YAML ({where})") from None
    if not isinstance(document, dict):
        raise BadScaleDescription(f"{path}: holds no keys; expected some of {', '.join(KEYS)}")
    _known(document, KEYS, str(path))
    names, wordings, item_bounds = [], {}, {}
    turned = [str(name) for name in _list(document, "reversed", path)]
    for position, entry in enumerate(_list(document, "items", path), start=1):
        where = f"{path}: item {position}"
        item = {"key": entry} if not isinstance(entry, dict) else entry
        _known(item, ITEM_KEYS, where)
        if "key" not in item:
            raise BadScaleDescription(f"{where} has no key (the name of its column)")
        name = str(item["key"])
        names.append(name)
        if item.get("text"):
            wordings[name] = str(item["text"])
        if item.get("reversed"):
            turned.append(name)
        bounds = _bounds(item, where)
        if bounds:
            item_bounds[name] = bounds
    labels = document.get("labels") or {}
    if not isinstance(labels, dict) or not all(isinstance(value, (int, float)) for value in labels):
        raise BadScaleDescription(f"{path}: labels must name numbers, as in {{1: never, 5: always}}")
    return ScaleDescription(
        items=tuple(names),
        bounds=_bounds(document, str(path)),
        item_bounds=item_bounds,
        wordings=wordings,
        reversed=tuple(turned),
        labels={float(value): str(label) for value, label in labels.items()},
        missing=tuple(_code(code) for code in _list(document, "missing", path)),
        **{key: str(document[key]) for key in ("condition", "id", "sep", "encoding") if document.get(key)},
    )


def _code(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)


def _known(found: Mapping[Any, Any], keys: tuple[str, ...], where: str) -> None:
    for key in found:
        if key not in keys:
            near = difflib.get_close_matches(str(key), keys, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(keys)}"
            raise BadScaleDescription(f"{where}: unknown key {str(key)!r}; {hint}")


def _list(document: Mapping[str, Any], key: str, path: Path) -> list[Any]:
    value = document.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise BadScaleDescription(f"{path}: {key} must be a list")
    return value


def _bounds(found: Mapping[str, Any], where: str) -> tuple[float, float] | None:
    low, high = found.get("minimum"), found.get("maximum")
    if low is None and high is None:
        return None
    if not isinstance(low, (int, float)) or not isinstance(high, (int, float)) or low >= high:
        raise BadScaleDescription(f"{where}: minimum and maximum must be two numbers, the lower first")
    return float(low), float(high)
