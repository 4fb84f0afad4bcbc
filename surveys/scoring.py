"""From answers to scores. Pure functions of a scale and its values."""

from collections.abc import Mapping
from math import fsum

from surveys.scale_file import Scale, Score

Value = float | str | None


def reversed_value(scale: Scale, item: str, value: float) -> float:
    """``value`` in the direction of the scale: turned within the item's range when the item is reversed.

    Errors: KeyError for an unknown item; ValueError for a reversed item without two ends.
    """
    definition = scale.item(item)
    if not definition.reverse:
        return float(value)
    low, high = scale.bounds(definition)
    if low is None or high is None:
        raise ValueError(f"item '{item}' of scale '{scale.key}' is reversed but has no range to turn in")
    return low + high - value


def score(scale: Scale, values: Mapping[str, Value]) -> dict[str, float | None]:
    """Every score of the scale, in the scale's units.

    ``values`` holds numbers as stored; None, an absent item or a text is missing (does-not-fit and
    prefer-not-to-say among them). A score with fewer answers than its ``minimum_answered`` is None.
    A mean is over the answered items; a sum exists only with all of them.
    """
    return {each.key: _one(scale, each, values) for each in scale.scores}


def _one(scale: Scale, definition: Score, values: Mapping[str, Value]) -> float | None:
    answered: list[float] = []
    for key in definition.items:
        value = values.get(key)
        if isinstance(value, int | float):
            answered.append(reversed_value(scale, key, value))
    if len(answered) < definition.minimum_answered:
        return None
    total = fsum(answered)
    result = total / len(answered) if definition.rule == "mean" else total
    if not definition.as_percent:
        return result
    low, high = score_range(scale, definition)
    return (result - low) / (high - low) * 100


def score_range(scale: Scale, definition: Score) -> tuple[float, float]:
    """Smallest and largest value of a score before it is expressed as percent."""
    ends = [scale.bounds(scale.item(key)) for key in definition.items]
    low = fsum(end[0] for end in ends if end[0] is not None)
    high = fsum(end[1] for end in ends if end[1] is not None)
    if definition.rule == "sum":
        return low, high
    return low / len(ends), high / len(ends)
