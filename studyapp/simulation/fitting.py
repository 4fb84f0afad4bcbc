"""Whether a truth fits the study it is to be planted in: a name that fits nothing would plant nothing."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analysis.truth import ScaleTruth, Truth


def misfits(truth: "Truth", document: Mapping[str, Any]) -> Iterator[str]:
    """What a truth says about the scales of a frozen document that these scales do not have.

    Scales that the study does not ask are passed by: one truth serves several studies. So are factors
    and levels, for the same reason.
    """
    asked = [step for step in document["steps"] if step["kind"] == "scale"]
    for step in asked:
        scale = document["scales"][step["scale"]]
        items = {item["key"]: item for item in scale.get("items", [])}
        if not items:
            continue
        names = items.keys() | {score["key"] for score in scale.get("scores", [])}
        for name in (step["key"], step["scale"]):
            if name in truth.scales:
                yield from _of_scale(name, truth.scales[name], items.keys(), names)
        yield from _of_choices(truth, scale, items)


def _of_scale(asking: str, given: "ScaleTruth", items: Any, names: Any) -> Iterator[str]:
    stated = (
        ("means", given.means, items),
        ("sd", given.sds, items),
        ("loadings", given.loadings, items),
        ("shifts", given.shifts, names),
    )
    for place, mapping, known in stated:
        for name in sorted(set(mapping) - set(known) - {"default"}):
            yield f"scales.{asking}.{place}.{name}: the scale has no such item" + (
                " or score" if place == "shifts" else ""
            )


def _of_choices(truth: "Truth", scale: Mapping[str, Any], items: Mapping[str, Any]) -> Iterator[str]:
    for key, weights in truth.choices.get(scale["key"], {}).items():
        where = f"choices.{scale['key']}.{key}"
        if key not in items:
            yield f"{where}: the scale has no such item"
            continue
        choices = items[key].get("choices") or scale.get("choices") or []
        if len(weights) != len(choices):
            yield f"{where}: {len(weights)} weights for {len(choices)} choices"
