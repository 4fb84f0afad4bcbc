"""Steps of a ladder of invariance: what each makes equal, and how it is judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from analysis.cfa.fitting import Difference, difference
from analysis.cfa.model_text import Model
from analysis.cfa.ordinal_model import ORDINAL
from analysis.cfa.result import CFAResult
from analysis.items import ItemData

Verdict = Literal["start", "holds", "doubtful", "fails", "rests on a failed step"]
CONTINUOUS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("configural", ()),
    ("metric", ("loadings",)),
    ("scalar", ("loadings", "intercepts")),
    ("strict", ("loadings", "intercepts", "residuals")),
)
ORDERED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("configural", ()),
    ("thresholds", ("thresholds",)),
    ("loadings", ("thresholds", "loadings")),
    ("strict", ("thresholds", "loadings", "residuals")),
)
# Falls of CFI and rises of RMSEA and SRMR beyond which a step is said to fail.
CFI_FALL, RMSEA_RISE = 0.010, 0.015
SRMR_RISE = {"metric": 0.030, "thresholds": 0.030}
SRMR_RISE_ELSE = 0.015


@dataclass(frozen=True)
class Step:
    """One step of the ladder.

    Attributes
    ----------
    name : "configural", "metric", "scalar", "strict"; with ordered items "configural", "thresholds",
        "loadings", "strict"
    result : the fitted model
    cfi, rmsea, srmr : in the version that all steps have
    cfi_change, rmsea_change, srmr_change : from the step before
    difference : test against the step before; None for the first, and where it cannot be made
    verdict : "holds"; "doubtful" where only the test speaks against it; "fails"
    reason : for the verdict, in words
    """

    name: str
    result: CFAResult
    cfi: float | None
    rmsea: float | None
    srmr: float
    cfi_change: float | None
    rmsea_change: float | None
    srmr_change: float | None
    difference: Difference | None
    verdict: Verdict
    reason: str


def ladder_of(data: ItemData, model: Model, estimator: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if estimator.upper() not in ORDINAL:
        return CONTINUOUS
    known = [name for name in model.observed if name in data.names]
    values = data.values[:, [data.names.index(name) for name in known]]
    two = any(len(np.unique(column[~np.isnan(column)])) <= 2 for column in values.T)
    # Two categories have one threshold, which free scales would always meet.
    return tuple(step for step in ORDERED if not (two and step[0] == "thresholds"))


def options_at(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Options of a step: equal residuals of ordered items need the scale of residuals."""
    ordered = options["estimator"].upper() in ORDINAL
    return {**options, "parameterization": "theta"} if ordered and name == "strict" else options


def partial_of(released: tuple[str, ...], equal: tuple[str, ...]) -> tuple[str, ...]:
    """Released parameters of the kinds that a step makes equal."""
    return tuple(text for text in released if kind_of(text) in equal) if equal else ()


def kind_of(text: str) -> str:
    if "|" in text:
        return "thresholds"
    if "=~" in text:
        return "loadings"
    return "residuals" if "~~" in text else "intercepts"


def judge(
    ladder: Sequence[tuple[str, tuple[str, ...]]], fits: Sequence[CFAResult]
) -> tuple[str, tuple[Step, ...]]:
    version = next(
        (v for v in ("robust", "scaled") if all(getattr(f.fit_indices, v) is not None for f in fits)), "plain"
    )
    made: list[Step] = []
    for (name, _), found in zip(ladder, fits, strict=True):
        source: Any = found.fit_indices if version == "plain" else getattr(found.fit_indices, version)
        cfi, rmsea, srmr = source.cfi, source.rmsea, found.fit_indices.srmr
        if not made:
            made.append(
                Step(name, found, cfi, rmsea, srmr, None, None, None, None, "start", _fits(cfi, rmsea))
            )
            continue
        last = made[-1]
        changes = (_minus(cfi, last.cfi), _minus(rmsea, last.rmsea), srmr - last.srmr)
        if found.df == last.result.df:
            told = "nothing was made equal: all its parameters are released"
            made.append(Step(name, found, cfi, rmsea, srmr, *changes, None, "doubtful", told))
            continue
        tested = difference(last.result, found)
        verdict, reason = _verdict(name, changes, tested)
        if not found.converged:
            verdict, reason = "fails", "the model did not converge"
        if any(step.verdict == "fails" for step in made):
            verdict = "rests on a failed step"
        made.append(Step(name, found, cfi, rmsea, srmr, *changes, tested, verdict, reason))
    return version, tuple(made)


def _fits(cfi: float | None, rmsea: float | None) -> str:
    if cfi is None or rmsea is None:
        return "saturated"
    return f"CFI = {cfi:.3f}, RMSEA = {rmsea:.3f}"


def _minus(now: float | None, before: float | None) -> float | None:
    return None if now is None or before is None else now - before


def _verdict(
    name: str, changes: tuple[float | None, float | None, float], tested: Difference
) -> tuple[Verdict, str]:
    cfi, rmsea, srmr = changes
    bound = SRMR_RISE.get(name, SRMR_RISE_ELSE)
    against = []
    if cfi is not None and cfi < -CFI_FALL:
        against.append(f"CFI falls by {-cfi:.3f}")
    if rmsea is not None and rmsea > RMSEA_RISE:
        against.append(f"RMSEA rises by {rmsea:.3f}")
    if srmr > bound:
        against.append(f"SRMR rises by {srmr:.3f}")
    p = "p < .001" if tested.pvalue < 0.001 else f"p = {tested.pvalue:.3f}"
    test = f"difference χ²({tested.df}) = {tested.chisq:.2f}, {p}"
    if against:
        return "fails", f"{' and '.join(against)}; {test}"
    return ("doubtful", test) if tested.pvalue < 0.05 else ("holds", test)
