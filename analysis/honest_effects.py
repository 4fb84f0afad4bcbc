"""Effects on the honest cell in percentage points, and discernment and agreement bias."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd
from scipy import stats

from analysis.crossed import CrossedEstimate, crossed
from analysis.design import Factor
from analysis.effects import SMALL_GROUP, Contrast, effects_on_score
from analysis.errors import TooFewData
from analysis.honesty import participant_means

# P(asserts | true) - P(asserts | false), and their mean: pooled accuracy sees neither.
DISCERNMENT: Mapping[str, float] = {"true": 1.0, "false": -1.0}
AGREEMENT_BIAS: Mapping[str, float] = {"true": 0.5, "false": 0.5}
BOTH = "participants and claims as two samples"


def level_estimate(
    rows: pd.DataFrame, value: str, *, kinds: Mapping[str, float] | None = None
) -> CrossedEstimate | None:
    """A condition's mean over claims with its two-way interval, None where there are too few claims."""
    try:
        return crossed(rows, value, kinds=kinds)
    except TooFewData:
        return None


def crossed_contrasts(
    rows: pd.DataFrame,
    value: str,
    factors: Sequence[Factor],
    *,
    label: str,
    outcome: str,
    family: str = "honest",
    kinds: Mapping[str, float] | None = None,
    role: str = "secondary",
) -> tuple[tuple[Contrast, ...], tuple[str, ...]]:
    """Each level against its reference, in percentage points, weighing claims equally.

    Returns
    -------
    contrasts, and a line for each level that could not be estimated

    See Also
    --------
    analysis.crossed.crossed : the estimator and its references
    """
    made, missing = [], []
    for factor in factors:
        for level in factor.levels[1:]:
            pair = rows[rows[factor.name].isin([level, factor.reference])]
            if not pair[factor.name].eq(level).any():
                continue
            try:
                found = crossed(pair, value, level=pair[factor.name].eq(level), kinds=kinds)
            except TooFewData as problem:
                missing.append(f"{label}, {factor.name} {level}: {problem}")
                continue
            counts = pair[pair[value].notna()].groupby(factor.name)["session"].nunique()
            told = []
            if found.dropped_items:
                told.append(
                    f"claims asked in one condition only were left out: {', '.join(found.dropped_items)}"
                )
            if int(counts.min()) < SMALL_GROUP:
                told.append(f"fewer than {SMALL_GROUP} participants in a level: the interval is rough")
            made.append(
                Contrast(
                    family=family,
                    outcome=outcome,
                    label=label,
                    factor=factor.name,
                    level=level,
                    reference=factor.reference,
                    estimate=100 * found.estimate,
                    low=100 * found.low,
                    high=100 * found.high,
                    se=100 * found.se,
                    df=found.df,
                    p=found.p,
                    n_level=int(counts.get(level, 0)),
                    n_reference=int(counts.get(factor.reference, 0)),
                    unit="percentage points",
                    method=f"claims weighed equally ({found.items}), {BOTH}",
                    role=role,
                    warnings=tuple(told),
                )
            )
    return tuple(made), tuple(missing)


def participant_contrasts(
    rows: pd.DataFrame, value: str, factors: Sequence[Factor], *, label: str
) -> tuple[Contrast, ...]:
    """The same effect from unit means by participant (OLS, HC3): claims count as fixed.

    A check beside the two-way interval; it generalises to no other claims.
    """
    means = participant_means(rows, value, [factor.name for factor in factors])
    means[value] = 100 * means[value]
    return effects_on_score(means, value, factors, family="check", label=label, unit="percentage points")


def claim_contrasts(
    rows: pd.DataFrame, value: str, factors: Sequence[Factor], *, label: str
) -> tuple[Contrast, ...]:
    """The same effect paired by claim (t with claims - 1 degrees of freedom): participants count as fixed.

    A check beside the two-way interval; it generalises to no other participants.
    """
    made, _ = crossed_contrasts(rows, value, factors, label=label, outcome=value, family="check")
    narrowed = []
    for contrast in made:
        pair = rows[rows[contrast.factor].isin([contrast.level, contrast.reference])]
        found = crossed(pair, value, level=pair[contrast.factor].eq(contrast.level))
        reach = 100 * found.se_items * float(stats.t.ppf(0.975, found.df))
        p = 2 * stats.t.sf(abs(found.estimate) / found.se_items, found.df) if found.se_items > 0 else 1.0
        narrowed.append(
            replace(
                contrast,
                low=contrast.estimate - reach,
                high=contrast.estimate + reach,
                se=100 * found.se_items,
                p=float(p),
                method=f"paired by claim ({found.items})",
            )
        )
    return tuple(narrowed)
