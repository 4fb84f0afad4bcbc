"""Indices of how carefully a person answered. Pure; reported, never silently applied.

Items are judged as they were *shown*: with sides drawn at random, ticking the same place down a
page gives different values, so the long string is counted over places, not values.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median
from typing import Any

ROWED_KINDS = frozenset({"semantic_differential", "likert"})


@dataclass(frozen=True)
class Given:
    """What one item got: the state and value of its response, and when it was first touched."""

    state: str
    number: float | None = None
    first_ms: int | None = None


@dataclass(frozen=True)
class Asking:
    """One administration: its rendered items and the responses, by item key."""

    rendered: Mapping[str, Any]
    given: Mapping[str, Given]


def indices(askings: Sequence[Asking]) -> dict[str, float | int | None]:
    """``missing_items``, ``longstring_max`` and ``median_item_ms`` over the pages of one session.

    missing_items: items that wanted an answer and have none (optional ones and declared refusals do
    not count). longstring_max: the longest run of one place on one page; None where no page has rows
    of points. median_item_ms: the median time between first touches of successive items of a page,
    the first one from the showing of the page; None without times.
    """
    runs = [run for asking in askings for run in _runs(asking)]
    spans = [span for asking in askings for span in _spans(asking)]
    return {
        "missing_items": sum(_missing(asking) for asking in askings),
        "longstring_max": max(runs, default=None),
        "median_item_ms": median(spans) if spans else None,
    }


def _missing(asking: Asking) -> int:
    return sum(
        not item["optional"] and asking.given.get(item["key"], Given("missing")).state == "missing"
        for item in asking.rendered["items"]
    )


def _runs(asking: Asking) -> list[int]:
    places = [
        (len(item["options"]), _place(item, asking.given.get(item["key"])))
        for item in asking.rendered["items"]
        if item["kind"] in ROWED_KINDS
    ]
    return [len(list(run)) for (_, place), run in groupby(places) if place is not None]


def _place(item: Mapping[str, Any], given: Given | None) -> int | None:
    if given is None or given.number is None:
        return None
    values = [option["value"] for option in item["options"]]
    return values.index(given.number) if given.number in values else None


def _spans(asking: Asking) -> list[int]:
    touched = sorted(each.first_ms for each in asking.given.values() if each.first_ms is not None)
    return [after - before for before, after in zip([0, *touched], touched, strict=False)]
