"""A scale as one person will see it: words filled in, order and sides drawn. Pure.

The result is stored with the administration and is all that pages and exports need:

``{format, scale, name, version, language, construct, instruction, lead, words, items: [...]}``, and per item
``key, position`` (from 0, as shown), ``kind, text`` (as shown), ``side`` ("positive_left",
"positive_right", or "" where there are no sides), ``left, right`` (the ends as shown), ``poles, anchors,
options`` (value, label, end; in the order shown), ``minimum, maximum, max_characters, reverse, optional,
prefer_not, does_not_fit, verified``.
"""

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from studyapp.seeds import rng
from surveys.scale_file import MAX_CHARACTERS, Item, ItemForm, Scale

FORMAT = 1
POSITIVE_LEFT = "positive_left"
POSITIVE_RIGHT = "positive_right"
_PIPED = re.compile(r"\{([a-z_]+)\}")


class CannotRender(ValueError):
    """The scale cannot be shown as asked; the message says which, what is missing and what to do."""


def render(
    scale: Scale,
    *,
    seed: int,
    words: Mapping[str, str],
    items: Sequence[Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """The items of ``scale`` as shown to the person whose draws descend from ``seed``.

    ``words`` fill ``{name}`` in instruction, lead and items. ``items`` (``{key, text}``) are the words
    of a scale with a template; they are shown as given, braces included.
    """
    asked = _asked(scale, items)
    missing = scale.missing_wording()
    if missing:
        raise CannotRender(
            f"scale '{scale.key}' comes without its wording (licence: {scale.licence}); "
            f"supply the text of {', '.join(missing)} before showing it"
        )
    piped = _Piped(scale.key, words)
    fill = piped if items is None else str
    ordered = _ordered(scale, asked, rng(seed, "surveys", scale.key, "order"))
    sides = _sides(scale, ordered, rng(seed, "surveys", scale.key, "sides"))
    return {
        "format": FORMAT,
        "scale": scale.key,
        "name": scale.name,
        "version": scale.version,
        "language": scale.language,
        "construct": scale.cell,
        "instruction": piped(scale.instruction),
        "lead": piped(scale.lead or ""),
        "words": dict(words),
        "items": [
            {"key": item.key, "position": position, **_shown(scale, item, side, fill)}
            for position, (item, side) in enumerate(zip(ordered, sides, strict=True))
        ],
    }


class _Piped:
    """Fills ``{name}``; a word that was not given is an error, never an empty place on a page."""

    def __init__(self, scale: str, words: Mapping[str, str]) -> None:
        self._scale = scale
        self._words = words

    def __call__(self, text: str) -> str:
        return _PIPED.sub(self._word, text)

    def _word(self, found: re.Match[str]) -> str:
        name = found[1]
        if name not in self._words:
            given = ", ".join(self._words) or "none"
            raise CannotRender(
                f"scale '{self._scale}' says {{{name}}}, but no word '{name}' was given (given: {given})"
            )
        return self._words[name]


def _asked(scale: Scale, items: Sequence[Mapping[str, Any]] | None) -> list[Item]:
    if scale.template is None:
        if items is not None:
            raise CannotRender(f"scale '{scale.key}' has its own items; it takes none from a study")
        return list(scale.items)
    if not items:
        raise CannotRender(f"scale '{scale.key}' has no items of its own; give them as items=[{{key, text}}]")
    form = scale.template.model_dump()
    asked = [Item.model_validate({**form, "key": item["key"], "text": item["text"]}) for item in items]
    if len({item.key for item in asked}) < len(asked):
        raise CannotRender(f"scale '{scale.key}' was given two items with one key")
    return asked


def _ordered(scale: Scale, items: list[Item], random_: random.Random) -> list[Item]:
    if scale.order == "fixed":
        return items
    if scale.order == "random":
        return random_.sample(items, len(items))
    blocks: dict[int, list[Item]] = {}
    for item in items:
        blocks.setdefault(item.block or 0, []).append(item)
    shuffled = random_.sample(list(blocks.values()), len(blocks))
    return [item for block in shuffled for item in random_.sample(block, len(block))]


def _sides(scale: Scale, items: list[Item], random_: random.Random) -> list[str]:
    """Half of the pairs each way round, so that no one sees all positive poles on one side."""
    paired = [index for index, item in enumerate(items) if scale.kind_of(item) == "semantic_differential"]
    sides = ["" for _ in items]
    if scale.sides == "fixed":
        drawn = [POSITIVE_RIGHT] * len(paired)
    else:
        half, odd = divmod(len(paired), 2)
        drawn = [POSITIVE_LEFT] * half + [POSITIVE_RIGHT] * half
        drawn += [random_.choice([POSITIVE_LEFT, POSITIVE_RIGHT])] if odd else []
        random_.shuffle(drawn)
    for index, side in zip(paired, drawn, strict=True):
        sides[index] = side
    return sides


def _shown(scale: Scale, item: Item, side: str, fill: Any) -> dict[str, Any]:
    kind = scale.kind_of(item)
    low, high = scale.bounds(item)
    anchors = {str(value): fill(label) for value, label in scale.anchors_of(item).items()}
    shown: dict[str, Any] = {
        "kind": kind,
        "text": fill(item.text or ""),
        "side": side,
        "left": "",
        "right": "",
        "poles": None,
        "anchors": anchors if kind in {"likert", "slider"} else {},
        "options": [],
        "minimum": low,
        "maximum": high,
        "max_characters": item.max_characters or MAX_CHARACTERS.get(kind),
        "reverse": item.reverse,
        "optional": item.optional,
        "prefer_not": scale.prefer_not or "",
        "does_not_fit": scale.does_not_fit or "",
        "verified": item.verified,
    }
    if kind == "semantic_differential" and item.poles is not None:
        positive, negative = fill(item.poles.positive), fill(item.poles.negative)
        ends = (positive, negative) if side == POSITIVE_LEFT else (negative, positive)
        shown["left"], shown["right"] = ends
        shown["text"] = shown["text"] or f"{ends[0]} – {ends[1]}"
        shown["poles"] = {"positive": positive, "negative": negative}
        shown["options"] = _pair_options(scale, side, ends)
    elif kind == "likert":
        shown["options"] = _likert_options(scale, item, anchors)
    elif kind == "slider" and low is not None and high is not None:
        shown["left"], shown["right"] = anchors[f"{low:g}"], anchors[f"{high:g}"]
    elif kind in {"choice", "choices"}:
        shown["options"] = [
            {"value": choice.value, "label": fill(choice.label), "end": ""}
            for choice in scale.choices_of(item)
        ]
    return shown


def _pair_options(scale: Scale, side: str, ends: tuple[str, str]) -> list[dict[str, Any]]:
    points = scale.points or 0
    values = list(range(scale.lowest, scale.lowest + points))
    if side == POSITIVE_LEFT:
        values.reverse()
    named = {0: ends[0], points - 1: ends[1]}
    return [
        {"value": value, "label": f"{place + 1} of {points}", "end": named.get(place, "")}
        for place, value in enumerate(values)
    ]


def _likert_options(scale: Scale, item: ItemForm, anchors: Mapping[str, str]) -> list[dict[str, Any]]:
    """Every point by its anchor; where only some have one, by its number, with the anchor beside it."""
    values = range(scale.lowest, scale.lowest + (scale.points or 0))
    if all(str(value) in anchors for value in values):
        return [{"value": value, "label": anchors[str(value)], "end": ""} for value in values]
    return [{"value": value, "label": str(value), "end": anchors.get(str(value), "")} for value in values]
