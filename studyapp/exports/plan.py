"""What was asked in the versions that an export covers: factors, scales by asking, claims.

Every session is read by the version it ran from: a scale, a step or a claim that was changed later
leaves earlier answers as they were. Columns are those of all versions together, described as the latest
version that has them says.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from studyapp.studies.models import StudyVersion
from surveys.scale_file import Scale, parse

_T = TypeVar("_T")


@dataclass(frozen=True)
class Asking:
    """One scale asked at one step. ``name`` is the step's key where the scale is asked more than once."""

    name: str
    step: str
    scale: Scale


@dataclass(frozen=True)
class VersionPlan:
    """What sessions of one version were asked: askings and rating steps by step key, claims by key;
    and the dose of warmth by condition.

    A rating step is ``before``, ``after`` or ``right``.
    """

    askings: Mapping[str, Asking]
    claims: Mapping[str, Mapping[str, Any]]
    ratings: Mapping[str, str]
    doses: Mapping[str, float]


@dataclass(frozen=True)
class Plan:
    """All that depends on the study's design: for columns over all versions, for rows by version."""

    factors: tuple[str, ...]
    of_version: Mapping[int, VersionPlan]

    @property
    def askings(self) -> tuple[Asking, ...]:
        """Every asking of every version, oldest version first."""
        return tuple(asking for each in self.of_version.values() for asking in each.askings.values())

    @property
    def claims(self) -> tuple[Mapping[str, Any], ...]:
        """Claims of all versions; each by the latest version that has it."""
        return tuple(_latest(each.claims for each in self.of_version.values()).values())

    @property
    def ratings(self) -> frozenset[str]:
        """Which of before, after and right are asked in any version."""
        return frozenset(when for each in self.of_version.values() for when in each.ratings.values())


def plan(versions: Sequence[StudyVersion]) -> Plan:
    """Read the plan off the frozen documents, given oldest first."""
    asked = [_scale_steps(version.document) for version in versions]
    # One name for one asking in all versions, so that its column is one.
    often = {
        scale
        for steps in asked
        for scale, times in Counter(step["scale"] for step in steps).items()
        if times > 1
    }
    return Plan(
        factors=tuple(
            dict.fromkeys(factor["name"] for version in versions for factor in version.document["factors"])
        ),
        of_version={version.pk: _of_version(version.document, often) for version in versions},
    )


def _scale_steps(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [step for step in document["steps"] if step["kind"] == "scale"]


def _of_version(document: Mapping[str, Any], often: set[str]) -> VersionPlan:
    return VersionPlan(
        askings={
            step["key"]: Asking(
                name=step["key"] if step["scale"] in often else step["scale"],
                step=step["key"],
                scale=_as_asked(document["scales"][step["scale"]], step.get("items")),
            )
            for step in _scale_steps(document)
        },
        claims={claim["key"]: claim for claim in (document.get("cards") or {}).get("claims", [])},
        ratings={
            step["key"]: "right" if step["kind"] == "right" else step["when"]
            for step in document["steps"]
            if step["kind"] in {"ratings", "right"}
        },
        doses={condition["slug"]: condition["warmth"] for condition in document["conditions"]},
    )


def _as_asked(scale: Mapping[str, Any], items: Sequence[Mapping[str, Any]] | None) -> Scale:
    """The scale with the items that were asked: its own, or the study's in the form of its template."""
    if not items:
        return parse(scale)
    form = scale["template"]
    filled = {key: value for key, value in scale.items() if key != "template"}
    return parse(filled | {"items": [{**form, "key": item["key"], "text": item["text"]} for item in items]})


def _latest(of_versions: Iterable[Mapping[str, _T]]) -> dict[str, _T]:
    merged: dict[str, _T] = {}
    for each in of_versions:
        merged |= each
    return merged
