"""What was asked in the versions that an export covers: factors, scales by asking, claims."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from studyapp.studies.models import StudyVersion
from surveys.scale_file import Scale, parse


@dataclass(frozen=True)
class Asking:
    """One scale asked at one step. ``name`` is the step's key where the scale is asked more than once."""

    name: str
    step: str
    scale: Scale
    items: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """All the columns that depend on the study's design."""

    factors: tuple[str, ...]
    askings: tuple[Asking, ...]
    claims: tuple[Mapping[str, Any], ...]
    ratings: Mapping[str, str]  # step key -> "before" | "after" | "right"

    def asking_at(self, step: str) -> Asking | None:
        return next((asking for asking in self.askings if asking.step == step), None)


def plan(versions: Sequence[StudyVersion]) -> Plan:
    """Read the plan off the frozen documents; later versions add to earlier ones, nothing is dropped."""
    factors: dict[str, None] = {}
    askings: dict[str, Asking] = {}
    claims: dict[str, Mapping[str, Any]] = {}
    ratings: dict[str, str] = {}
    for version in versions:
        document = version.document
        factors |= dict.fromkeys(factor["name"] for factor in document["factors"])
        for claim in (document.get("cards") or {}).get("claims", []):
            claims[claim["key"]] = claim
        scale_steps = [step for step in document["steps"] if step["kind"] == "scale"]
        often = [step["scale"] for step in scale_steps]
        for step in scale_steps:
            scale = parse(document["scales"][step["scale"]])
            keys = tuple(item.key for item in scale.items)
            asked = tuple(key for key in keys if key in step["items"]) if step.get("items") else keys
            name = step["key"] if often.count(step["scale"]) > 1 else step["scale"]
            askings[step["key"]] = Asking(name=name, step=step["key"], scale=scale, items=asked)
        for step in document["steps"]:
            if step["kind"] == "ratings":
                ratings[step["key"]] = step["when"]
            elif step["kind"] == "right":
                ratings[step["key"]] = "right"
    return Plan(
        factors=tuple(factors),
        askings=tuple(askings.values()),
        claims=tuple(claims.values()),
        ratings=ratings,
    )
