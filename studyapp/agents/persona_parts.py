"""The shipped parts personas are made of, as plain data that a study version can keep whole."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

_FOLDER = Path(__file__).with_name("personas")


@cache
def shipped() -> Mapping[str, Any]:
    """``{"base": {key: {version, wording, text}}, "warmth": {version, wording, bands: [...]}}``.

    JSON-serialisable; to be copied into a frozen study and handed back to ``prompt.compose`` as ``parts``,
    so that a later edit of the files changes nothing that has run.
    """
    base = yaml.safe_load((_FOLDER / "base.yaml").read_text(encoding="utf-8"))
    warmth = yaml.safe_load((_FOLDER / "warmth.yaml").read_text(encoding="utf-8"))
    return {
        "base": base["parts"],
        "warmth": {name: warmth[name] for name in ("version", "wording", "bands")},
    }


def band(parts: Mapping[str, Any], dose: float) -> Mapping[str, Any]:
    """The band of a dose of warmth: ``{label, from, to, text}``. Exactly 0 is the band without style text.

    Raises ValueError for a dose outside -1 to 1, or one that no band holds.
    """
    if not -1.0 <= dose <= 1.0:
        raise ValueError(f"warmth {dose!r} is outside -1 to 1")
    bands = parts["warmth"]["bands"]
    holding = [part for part in bands if part["from"] <= dose <= part["to"]]
    if dose == 0:
        holding = [part for part in holding if part["from"] == part["to"]]
    if not holding:
        raise ValueError(f"no band of the warmth recipe holds the dose {dose!r}")
    found: Mapping[str, Any] = holding[0] if dose <= 0 else holding[-1]
    return found
