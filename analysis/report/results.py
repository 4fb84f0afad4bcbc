"""Everything a report needs, computed once from a data set."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from analysis.beliefs import belief_measures
from analysis.dataset import DataSet
from analysis.effects import Contrast, Effects, effects_on_score, holm
from analysis.errors import TooFewData
from analysis.honest_effects import AGREEMENT_BIAS, DISCERNMENT, crossed_contrasts
from analysis.honesty import PrivateStances, forks, judged, live_cards, private_stances
from analysis.outcomes import outcomes
from analysis.separation import Plane, separate

SCORE_FAMILIES = ("felt", "perceived", "process", "check")
NOTHING_TO_COMPARE = (
    "nobody was allocated to a condition",
    "only one condition has participants, so nothing can be compared",
)
HONEST_LABELS = {
    "honesty": "Honesty (told = private stance)",
    "accuracy": "Accuracy (told = truth)",
    "discernment": "Discernment",
    "agreement_bias": "Agreement bias",
    "delivered_honesty": "Delivered honesty (live cards)",
}
# The same order everywhere: value column and weights of kinds of claims.
HONEST_VALUES = {
    "honesty": ("honest", None),
    "accuracy": ("accurate", None),
    "discernment": ("asserts", DISCERNMENT),
    "agreement_bias": ("asserts", AGREEMENT_BIAS),
}


@dataclass(frozen=True)
class Results:
    """A data set and what was computed from it.

    ``probes`` are judged forks of every shadow cell; ``primary`` those with persona and history;
    ``cards`` are judged live cards. ``effects`` holds every contrast, Holm-adjusted within its family.
    """

    data: DataSet
    participants: pd.DataFrame
    stances: PrivateStances
    probes: pd.DataFrame
    primary: pd.DataFrame
    cards: pd.DataFrame
    beliefs: pd.DataFrame
    effects: Effects
    plane: Plane | None
    conditions: tuple[str, ...]

    def contrasts(self, *families: str) -> tuple[Contrast, ...]:
        """Contrasts of the families named, primary first."""
        return self.effects.family(*families).contrasts

    def label(self, condition: str) -> str:
        """A condition's label as its study gives it."""
        for known in self.data.design.conditions:
            if known.slug == condition:
                return known.label
        return condition


def compute(data: DataSet) -> Results:
    """Compute all results; what cannot be estimated is said in ``effects.missing``, never raised."""
    design = data.design
    factors = list(design.factors)
    names = [factor.name for factor in factors]
    participants = data.table("wide")
    participants = participants[participants["condition"].notna()]
    probes, cards = data.table("probes"), data.table("cards")
    stances = private_stances(probes)
    asked = judged(forks(probes), stances, design.claims)
    primary = asked[asked["persona"].eq(True) & asked["history"].eq(True)]
    discussed = judged(live_cards(cards, probes), stances, design.claims)
    beliefs = belief_measures(cards, design.claims, ["condition", *names])

    conditions = _conditions(data)
    if len(conditions) < 2:
        effects = Effects((), (NOTHING_TO_COMPARE[len(conditions)],))
    else:
        effects = _effects(data, participants, primary, discussed, beliefs)
    return Results(
        data=data,
        participants=participants,
        stances=stances,
        probes=asked,
        primary=primary,
        cards=discussed,
        beliefs=beliefs,
        effects=effects,
        plane=_plane(data, effects),
        conditions=conditions,
    )


def _effects(
    data: DataSet,
    participants: pd.DataFrame,
    primary: pd.DataFrame,
    discussed: pd.DataFrame,
    beliefs: pd.DataFrame,
) -> Effects:
    design, cards = data.design, data.table("cards")
    factors = list(design.factors)
    found: list[Contrast] = []
    missing: list[str] = []
    for family in SCORE_FAMILIES:
        for outcome in outcomes(data, family):
            try:
                found += effects_on_score(
                    participants, outcome.column, factors, family=family, label=outcome.label,
                    baseline=outcome.baseline, unit=outcome.unit, role=outcome.role,
                )  # fmt: skip
            except TooFewData as problem:
                missing.append(str(problem))
    right = cards[cards["right_rating"].notna()]
    ratings = right.groupby("session")[[factor.name for factor in factors]].first()
    ratings["right_rating"] = right.groupby("session")["right_rating"].mean()
    by_participant = (
        ("perceived", ratings, "right_rating", None, "Was what it told you right?",
         "points (0 to 100)"),
        ("beliefs", beliefs, "discernment_after", "discernment_before", "Discernment of beliefs",
         "points (−100 to 100)"),
        ("beliefs", beliefs, "bias_after", "bias_before", "Agreement bias of beliefs",
         "points (−50 to 50)"),
    )  # fmt: skip
    for family, frame, score, baseline, label, unit in by_participant:
        try:
            found += effects_on_score(
                frame, score, factors, family=family, label=label, baseline=baseline, unit=unit
            )
        except TooFewData as problem:
            missing.append(str(problem))
    declared = design.primary.get("honest")
    chosen = declared.outcome if declared and declared.outcome in HONEST_VALUES else "honesty"
    for name, (value, kinds) in HONEST_VALUES.items():
        made, failed = crossed_contrasts(
            primary, value, factors, label=HONEST_LABELS[name], outcome=name, kinds=kinds,
            role="primary" if name == chosen else "secondary",
        )  # fmt: skip
        found += made
        missing += failed
    made, failed = crossed_contrasts(
        discussed, "honest", factors, label=HONEST_LABELS["delivered_honesty"], outcome="delivered_honesty"
    )
    found += made
    missing += failed
    return Effects(holm(found), tuple(missing))


def _conditions(data: DataSet) -> tuple[str, ...]:
    present = set(data.table("sessions")["condition"].dropna().astype(str))
    known = [condition.slug for condition in data.design.conditions if condition.slug in present]
    return (*known, *sorted(present - set(known)))


def _plane(data: DataSet, effects: Effects) -> Plane | None:
    felt = [contrast for contrast in effects.family("felt").contrasts if contrast.role == "primary"]
    honest = [contrast for contrast in effects.family("honest").contrasts if contrast.role == "primary"]
    declared = data.design.primary
    plane = separate(
        felt,
        honest,
        smallest_felt=declared["felt"].smallest if "felt" in declared else None,
        smallest_honest=declared["honest"].smallest if "honest" in declared else None,
    )
    return plane if plane.points else None
