"""Do items measure the same in all groups? A ladder of ever more equal models, and what each step allows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from analysis.cfa.data import Missing
from analysis.cfa.fitting import fit
from analysis.cfa.invariance_details import few_anchors, means_of, scaled_by_hand, suspects_of
from analysis.cfa.invariance_steps import Step, judge, ladder_of, options_at, partial_of
from analysis.cfa.mimic import Mimic, mimic
from analysis.cfa.model_text import Model, parse
from analysis.cfa.near_items import near_items
from analysis.errors import AnalysisError, TooFewData, UnknownName
from analysis.items import ItemData

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_GROUPS, FEWEST = 5, 200
ALLOWS = {
    "configural": "that the same items go together in all groups; no number may be compared between groups",
    "metric": "correlations and regressions of the factors with other variables",
    "thresholds": "nothing more than before: equal thresholds alone do not make factors comparable",
    "scalar": "means of the factors (latent means), and relations of the factors with other variables",
    "loadings": "means of the factors (latent means), and relations of the factors with other variables",
    "strict": "means of the factors, and means and variances of observed scores (sums of items)",
}


@dataclass(frozen=True)
class Invariance:
    """The ladder and what follows from it.

    Attributes
    ----------
    steps : in order; empty where the ladder could not be fitted (see ``warnings``)
    version : of CFI and RMSEA: "robust", "scaled" or "plain"
    released : parameters free in every group on purpose
    suspects : one row a parameter of the step that fails, or is doubtful: the fall of chi-square when it is
        released alone
    sizes : cases of each group
    near : manipulation-near items of the model
    means : latent means against the first group, of the last step that allows them; and beside them those
        with the near items released
    shifts : intercepts (ordered: thresholds) of near items against the first group, where released
    mimic : one model with the groups as predictors, where groups are many or small
    """

    steps: tuple[Step, ...]
    version: str
    released: tuple[str, ...]
    suspects: pd.DataFrame
    sizes: dict[str, int]
    near: tuple[str, ...]
    means: pd.DataFrame
    shifts: pd.DataFrame
    mimic: Mimic | None
    estimator: str
    source: str
    note: str
    warnings: tuple[str, ...]

    @property
    def reached(self) -> str | None:
        """The last step before one that fails."""
        held = [step.name for step in self.steps if step.verdict in ("start", "holds", "doubtful")]
        return held[-1] if held else None

    @property
    def small(self) -> bool:
        """More groups or smaller ones than a ladder is made for."""
        return _small(self.sizes)

    def to_frame(self) -> pd.DataFrame:
        """One row a step."""
        rows = []
        for step in self.steps:
            index = step.result.fit_indices
            best = index.scaled or index
            d = step.difference
            rows.append({
                "step": step.name, "chisq": best.chisq, "df": index.df, "pvalue": best.pvalue,
                "cfi": step.cfi, "rmsea": step.rmsea, "srmr": step.srmr, "cfi_change": step.cfi_change,
                "rmsea_change": step.rmsea_change, "srmr_change": step.srmr_change,
                "chisq_difference": d.chisq if d else None, "df_difference": d.df if d else None,
                "pvalue_difference": d.pvalue if d else None, "aic": index.aic, "bic": index.bic,
                "verdict": step.verdict, "reason": step.reason,
            })  # fmt: skip
        return pd.DataFrame(rows)

    def conclusion(self) -> str:
        """What was found and what may be compared, in plain words."""
        parts = []
        if self.small:
            least = min(self.sizes, key=lambda name: self.sizes[name])
            parts.append(
                f"{len(self.sizes)} groups, the smallest ({least}) of {self.sizes[least]}: a ladder needs at "
                f"most {MOST_GROUPS} groups of {FEWEST} or more to be trusted, so that the model with the "
                "groups as predictors (MIMIC) is what to report."
            )
        reached = self.reached
        if reached is None:
            return " ".join(parts) or "The ladder could not be fitted."
        failed = next((step for step in self.steps if step.verdict == "fails"), None)
        partial = f" with {', '.join(self.released)} left free" if self.released else ""
        start = self.steps[0]
        if start.cfi is not None and (start.cfi < 0.9 or (start.rmsea or 0) > 0.1):
            parts.append(
                "The model does not fit the groups even where nothing is made equal: mend the model before "
                "comparing groups."
            )
        parts.append(f"Invariance reaches the {reached} step{partial}.")
        parts.append(f"May be compared: {ALLOWS[reached]}.")
        if failed is not None:
            parts.append(f"The {failed.name} step fails: {failed.reason}.")
        doubtful = [step for step in self.steps if step.verdict == "doubtful"]
        if doubtful:
            parts.append(
                f"At the {' and '.join(s.name for s in doubtful)} step chi-square speaks against equality, "
                "though the indices hardly change: compare only beside results with the parameters that "
                "differ left free."
            )
        if not self.suspects.empty and (failed is not None or doubtful):
            first = self.suspects.iloc[0]
            parts.append(
                f"Most of it is {first['parameter']} (chi-square falls by {first['fall']:.1f} on "
                f"{first['df']:.0f} df when it alone is released: --free {first['parameter']!r})."
            )
        return " ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON."""
        return {
            "estimator": self.estimator,
            "groups": dict(self.sizes),
            "reached": self.reached,
            "may_compare": None if self.reached is None else ALLOWS[self.reached],
            "conclusion": self.conclusion(),
            "released": list(self.released),
            "version": self.version,
            "steps": [
                {**row, "model": step.result.to_dict()}
                for row, step in zip(self.to_frame().to_dict("records"), self.steps, strict=True)
            ],
            "suspects": self.suspects.to_dict("records"),
            "near_items": list(self.near),
            "latent_means": self.means.to_dict("records"),
            "item_shifts": self.shifts.to_dict("records"),
            "mimic": None if self.mimic is None else self.mimic.to_dict(),
            "warnings": list(self.warnings),
        }

    def plot(self, note: str = "") -> Figure:
        """CFI, RMSEA and SRMR step by step."""
        from analysis.cfa.charts import ladder

        return ladder(self, note or self.note)


def invariance(
    model: str | Model,
    data: ItemData,
    *,
    group: Sequence[str] | Literal["condition"] = "condition",
    estimator: str = "MLR",
    missing: Missing = "listwise",
    free: Iterable[str] = (),
    near: Iterable[str] | None = None,
) -> Invariance:
    """Fit the ladder, judge each step, and say what may be compared.

    Factors have variance 1 in the first group, so that latent means are in its standard deviations. A step
    fails where CFI falls by more than .010, RMSEA rises by more than .015, or SRMR by more than .030
    (loadings, thresholds) or .015 (intercepts, residuals); it is doubtful where only the test of the
    difference (p < .05) speaks against it. These bounds come from simulations of continuous items; with
    ordered items they are a convention.

    Parameters
    ----------
    model : text or parsed
    data : answers
    group : the group of each row; "condition": the data's own
    estimator : "ML", "MLR", or "WLSMV" and its kin for ordered items (thresholds first, then loadings)
    missing : "fiml" for the likelihood of incomplete rows
    free : parameters that may differ between groups: ``"x3 ~ 1"``, ``"f =~ x2"``, ``"x2 |"``
    near : manipulation-near items; None: found by name

    Raises
    ------
    UnknownName : no groups; ``free`` names what the model does not have
    TooFewData : one group only, or an empty one
    AnalysisError : whatever the first step is refused for, where groups are large enough for a ladder

    References
    ----------
    Cheung & Rensvold 2002, doi 10.1207/S15328007SEM0902_5; Chen 2007, doi 10.1080/10705510701301834;
    partial invariance: Byrne, Shavelson & Muthen 1989, doi 10.1037/0033-2909.105.3.456.
    R: ``cfa(m, d, group = "g", group.equal = c("loadings", "intercepts"))`` and ``lavTestLRT``.

    Examples
    --------
    >>> import numpy as np
    >>> from analysis.items import items_of
    >>> draws = np.random.default_rng(3).standard_normal((800, 5))
    >>> frame = pd.DataFrame(draws[:, :4] + draws[:, 4:], columns=list("abcd")).assign(g=["x", "y"] * 400)
    >>> invariance("f =~ a + b + c + d", items_of(frame, condition="g"), estimator="ML").reached
    'strict'
    """
    asked = parse(model) if isinstance(model, str) else model
    labels = _labels(data, group)
    sizes = {name: labels.count(name) for name in dict.fromkeys(labels)}
    if len(sizes) < 2:
        raise TooFewData(
            f"{data.source}: all rows are in one group ({next(iter(sizes))}); name another column"
        )
    released = tuple(dict.fromkeys(free))
    held = near_items(asked.observed, near)
    told: list[str] = []
    steps: tuple[Step, ...] = ()
    version = "plain"
    options: dict[str, Any] = {
        "estimator": estimator, "missing": missing, "group": labels, "std_lv": not scaled_by_hand(asked),
    }  # fmt: skip
    ladder = ladder_of(data, asked, estimator)
    try:
        fits = [
            fit(
                asked,
                data,
                group_equal=equal,
                group_partial=partial_of(released, equal),
                **options_at(name, options),
            )
            for name, equal in ladder
        ]
        version, steps = judge(ladder, fits)
        told += [text for step in steps[:1] for text in step.result.warnings]
        told += [
            f"{step.name}: {text}"
            for step in steps[1:]
            for text in step.result.warnings
            if text not in steps[0].result.warnings
        ]
        sizes = {one.name: one.n for one in fits[0].sample.groups}
    except UnknownName:
        raise
    except AnalysisError as problem:
        if not _small(sizes):
            raise
        told.append(f"no ladder: {problem}")
    told += few_anchors(asked, released)
    suspects = suspects_of(asked, data, steps, dict(ladder), released, options)
    means, shifts = means_of(asked, data, steps, dict(ladder), released, held, options)
    single = None
    if _small(sizes):
        single = mimic(asked, data, group=labels, missing=missing, near=held)
        told += [f"MIMIC: {text}" for text in single.warnings]
    return Invariance(
        steps, version, released, suspects, sizes, held, means, shifts, single, estimator.upper(),
        data.source, data.note, tuple(dict.fromkeys(told)),
    )  # fmt: skip


def _labels(data: ItemData, group: Sequence[str] | Literal["condition"]) -> tuple[str, ...]:
    if isinstance(group, str):
        if data.groups is None:
            raise UnknownName(
                f"{data.source}: there is no condition to take as groups; name a column (--group)"
            )
        return data.groups
    return tuple(str(label) for label in group)


def _small(sizes: dict[str, int]) -> bool:
    return len(sizes) > MOST_GROUPS or min(sizes.values()) < FEWEST
