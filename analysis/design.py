"""What the study file of a data set says: factors, conditions, steps, claims and primary outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from analysis.errors import DamagedDataSet


@dataclass(frozen=True)
class Factor:
    """A manipulated factor; its first level is the reference of every contrast."""

    name: str
    levels: tuple[str, ...]

    @property
    def reference(self) -> str:
        """The level others are compared with."""
        return self.levels[0]


@dataclass(frozen=True)
class Condition:
    """A condition: its slug, label, levels by factor, and what it was answered by."""

    slug: str
    label: str
    levels: dict[str, str]
    model: str


@dataclass(frozen=True)
class Claim:
    """A belief card. ``refusal`` says how a refusal to answer counts: ``uncommitted`` or ``correct``."""

    key: str
    text: str
    truth: bool
    domain: str
    verified: str
    refusal: str


@dataclass(frozen=True)
class Step:
    """A step of a session; ``scale`` only where it asks one."""

    key: str
    kind: str
    scale: str | None


@dataclass(frozen=True)
class Primary:
    """The one primary outcome of a cell and its smallest effect of interest (points or percentage points)."""

    outcome: str
    smallest: float | None


@dataclass(frozen=True)
class Design:
    """The design of a study, as the file it was launched from says."""

    slug: str
    title: str
    factors: tuple[Factor, ...]
    conditions: tuple[Condition, ...]
    steps: tuple[Step, ...]
    claims: tuple[Claim, ...]
    primary: dict[str, Primary]
    private_draws: int

    def claim_keys(self, *, truth: bool) -> list[str]:
        """Keys of the claims that are so (or not so)."""
        return [claim.key for claim in self.claims if claim.truth is truth]

    def scale_of(self, asking: str) -> str:
        """The scale key behind an asking (a step key where a scale is asked more than once)."""
        for step in self.steps:
            if step.key == asking and step.scale:
                return step.scale
        return asking

    def askings_before_allocation(self) -> set[str]:
        """Scale and step keys asked before conditions differ: demographics and baselines."""
        before: set[str] = set()
        asked_again: set[str] = set()
        allocated = False
        for step in self.steps:
            allocated = allocated or step.kind == "allocation"
            if step.scale:
                (asked_again if allocated else before).add(step.scale)
                if not allocated:
                    before.add(step.key)
        # A scale asked on both sides is known by its step keys; its own key tells nothing.
        return before - asked_again

    def baseline_of(self, asking: str) -> str | None:
        """The asking of the same scale before allocation, if there is one."""
        scale = self.scale_of(asking)
        for step in self.steps:
            if step.kind == "allocation":
                return None
            if step.scale == scale and step.key != asking:
                return step.key
        return None


def parse(path: Path) -> Design:
    """Read ``study.yaml``.

    Raises
    ------
    DamagedDataSet : not YAML, or a section is missing or of the wrong form
    """
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as problem:
        where = str(problem).splitlines()[-1].strip()
        raise DamagedDataSet(f"{path}: not readable as YAML ({where}); export again") from None
    if not isinstance(document, dict):
        raise DamagedDataSet(f"{path}: holds no study; export again")
    try:
        return _design(document)
    except (KeyError, TypeError, AttributeError, ValueError) as problem:
        raise DamagedDataSet(
            f"{path}: a section is missing or of the wrong form ({type(problem).__name__}: {problem}); "
            "export again"
        ) from None


def _design(document: Mapping[str, Any]) -> Design:
    agent_model = str(document.get("agent", {}).get("model", ""))
    cells = (document.get("analysis") or {}).get("cells") or {}
    return Design(
        slug=str(document["slug"]),
        title=str(document["title"]),
        factors=tuple(
            Factor(str(factor["name"]), tuple(str(level) for level in factor["levels"]))
            for factor in document["factors"]
        ),
        conditions=tuple(
            Condition(
                str(condition["slug"]),
                str(condition["label"]),
                {str(name): str(level) for name, level in condition["factors"].items()},
                f"{condition.get('model') or agent_model} {condition.get('parameters') or ''}".strip(),
            )
            for condition in document["conditions"]
        ),
        steps=tuple(
            Step(str(step["key"]), str(step["kind"]), str(step["scale"]) if step.get("scale") else None)
            for step in document["steps"]
        ),
        claims=tuple(_claim(claim) for claim in (document.get("cards") or {}).get("claims", [])),
        primary={str(cell): _primary(entry) for cell, entry in cells.items() if entry},
        private_draws=int((document.get("probes") or {}).get("private_draws", 5)),
    )


def _claim(claim: Mapping[str, Any]) -> Claim:
    if not isinstance(claim["truth"], bool):
        raise ValueError(f"truth of claim {claim['key']!r} is neither true nor false")
    return Claim(
        str(claim["key"]),
        str(claim["claim"]),
        claim["truth"],
        str(claim.get("domain", "")),
        # YAML reads a bare ``no`` as false.
        str(claim.get("verified") or "no"),
        str(claim.get("refusal", "uncommitted")),
    )


def _primary(entry: Mapping[str, Any]) -> Primary:
    smallest = float(entry["smallest"]) if entry.get("smallest") is not None else None
    if "measure" in entry:
        return Primary(str(entry["measure"]), smallest)
    return Primary(f"{entry['scale']}.{entry['score']}", smallest)
