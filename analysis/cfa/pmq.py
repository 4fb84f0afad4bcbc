"""Rival models of the same items: the factors as written, warmth apart, second order, bifactor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.cfa.data import Missing
from analysis.cfa.errors import NotAvailable
from analysis.cfa.fitting import difference, fit
from analysis.cfa.model_text import Model, parse
from analysis.cfa.result import CFAResult
from analysis.errors import AnalysisError, UnknownName
from analysis.items import ItemData
from analysis.warmth import find_warm

WARMTH, GENERAL = "warmth", "general"


@dataclass(frozen=True)
class Rival:
    """One model.

    Attributes
    ----------
    name : "one factor", "3 factors" (as written), "4 factors (warmth apart)", "second order", "bifactor"
    text : the model
    result : its fit, None where it could not be fitted
    remark : why not, or what to know of it; "" for nothing
    """

    name: str
    text: str
    result: CFAResult | None
    remark: str

    @property
    def sound(self) -> bool:
        """Whether it was fitted, converged and is proper."""
        return self.result is not None and self.result.converged and not self.result.improper


@dataclass(frozen=True)
class Rivals:
    """All models of the same items.

    Attributes
    ----------
    models : in the order of their names above
    omega_hierarchical, explained_common : of the bifactor model: the share of the variance of the sum that
        the general factor makes, and its share of all common variance; None where that model is not sound
    second_order_test : the second order against freely correlated factors, in words; "" where they are equal
    """

    models: tuple[Rival, ...]
    omega_hierarchical: float | None
    explained_common: float | None
    second_order_test: str
    warnings: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """One row a model."""
        rows = []
        for model in self.models:
            row: dict[str, Any] = {"model": model.name, "sound": model.sound, "remark": model.remark}
            if model.result is not None:
                index = model.result.fit_indices
                best: Any = index.robust or index.scaled or index
                test = index.scaled or index
                row |= {
                    "chisq": test.chisq, "df": index.df, "pvalue": test.pvalue, "cfi": best.cfi,
                    "tli": best.tli, "rmsea": best.rmsea, "srmr": index.srmr, "aic": index.aic,
                    "bic": index.bic,
                }  # fmt: skip
            rows.append(row)
        indices = ["chisq", "df", "pvalue", "cfi", "tli", "rmsea", "srmr", "aic", "bic"]
        return pd.DataFrame(rows).reindex(columns=["model", *indices, "sound", "remark"])

    def summary(self) -> list[str]:
        """Which model is preferred and what to make of it."""
        told = []
        scored = [m for m in self.models if m.sound and m.result and m.result.fit_indices.bic is not None]
        if scored:
            # A second order over three factors is the model itself, written otherwise.
            ranked = sorted({round(_bic(m), 6): m for m in reversed(scored)}.values(), key=_bic)
            told.append(
                f"Of the sound models, BIC prefers {ranked[0].name} ({_bic(ranked[0]):.1f})"
                + (f", before {ranked[1].name} ({_bic(ranked[1]):.1f})" if len(ranked) > 1 else "")
                + "."
            )
        unsound = [f"{m.name} ({m.remark})" for m in self.models if not m.sound and m.remark]
        if unsound:
            told.append(f"Not to be used: {'; '.join(unsound)}.")
        if self.second_order_test:
            told.append(self.second_order_test)
        if self.omega_hierarchical is not None and self.explained_common is not None:
            told.append(
                f"In the bifactor model the general factor makes {self.omega_hierarchical:.0%} of the "
                f"variance of the sum and {self.explained_common:.0%} of the common variance. A bifactor "
                "model fits nearly any data well, so that a better fit alone does not speak for it."
            )
        return told

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON."""
        return {
            "models": self.to_frame().to_dict("records"),
            "omega_hierarchical": self.omega_hierarchical,
            "explained_common_variance": self.explained_common,
            "warnings": list(self.warnings),
        }


def rival_models(
    model: str | Model,
    data: ItemData,
    *,
    warm: Sequence[str] | None = None,
    estimator: str = "MLR",
    missing: Missing = "listwise",
) -> Rivals:
    r"""Fit the model as written and its rivals to the same rows.

    Warmth apart moves the warm items of the Partner Modelling Questionnaire to a factor of their own. With
    three factors, a second-order factor only rewrites their three correlations: it fits as well, and says
    nothing more. Models that are not special cases of each other are compared by BIC, not by chi-square.

    Parameters
    ----------
    model : first-order factors of items, each item on one
    data : within their groups where they have any
    warm : the four warm items; None: found by name or wording, and no fourth factor where they are not
    estimator, missing : see :func:`analysis.cfa.fitting.fit`

    Raises
    ------
    NotAvailable : the model is of one factor, of second order, or has an item on two factors
    AnalysisError : the model itself cannot be fitted

    References
    ----------
    Reise 2012, doi 10.1080/00273171.2012.715555 (bifactor). R: ``cfa(bifactor, d, std.lv = TRUE,
    orthogonal = TRUE)``, ``cfa(paste(model, "general =~ f1 + f2 + f3"), d)``.

    Examples
    --------
    >>> import numpy as np
    >>> from analysis.items import items_of
    >>> draws = np.random.default_rng(3).standard_normal((500, 12))
    >>> y = draws[:, :9] + np.repeat(draws[:, 9:], 3, axis=1)
    >>> text = "f =~ a + b + c\ng =~ d + e + h\nk =~ i + j + l"
    >>> [m.name for m in rival_models(text, items_of(pd.DataFrame(y, columns=list("abcdehijl")))).models][:2]
    ['one factor', '3 factors']
    """
    asked = parse(model) if isinstance(model, str) else model
    blocks = {
        latent: [t.rhs for t in asked.terms if t.op == "=~" and t.lhs == latent] for latent in asked.latents
    }
    items = [item for named in blocks.values() for item in named]
    if len(blocks) < 2 or set(items) & set(blocks) or len(items) != len(set(items)):
        raise NotAvailable(
            "rival models are made of two or more factors, each item on one of them, and no factor of factors"
        )
    options: dict[str, Any] = {"estimator": estimator, "missing": missing}
    count = len(blocks)
    made = [_rival("one factor", _lines({GENERAL: items}), data, options)]
    own = fit(asked, data, **options)
    made.append(Rival(f"{count} factors", asked.text, own, _remark(own)))
    try:
        apart = find_warm(data.select([_named(data, item) for item in items]), warm)
    except UnknownName as problem:
        if warm is not None:
            raise
        apart, why = (), str(problem)
    told = list(own.warnings)
    if apart:
        moved = {latent: [i for i in named if i not in apart] for latent, named in blocks.items()}
        moved = {latent: named for latent, named in moved.items() if named} | {WARMTH: list(apart)}
        if [set(n) for n in moved.values()] != [set(n) for n in blocks.values()]:
            made.append(_rival(f"{len(moved)} factors (warmth apart)", _lines(moved), data, options))
    else:
        told.append(f"no model with warmth apart: {why}")
    upper = f"{_lines(blocks)}\n{GENERAL} =~ {' + '.join(map(_quoted, blocks))}"
    second = _rival("second order", upper, data, options)
    made.append(second)
    general = {GENERAL: items} | blocks
    two = _rival("bifactor", _lines(general), data, {**options, "std_lv": True, "orthogonal": True})
    made.append(two)
    hierarchical, common = _shares(two)
    for rival in made:
        if rival.result is not None and rival.result is not own:
            told += [f"{rival.name}: {text}" for text in rival.result.warnings if text not in own.warnings]
    return Rivals(tuple(made), hierarchical, common, _second(own, second, count), tuple(dict.fromkeys(told)))


def _rival(name: str, text: str, data: ItemData, options: dict[str, Any]) -> Rival:
    try:
        result = fit(text, data, **options)
    except AnalysisError as problem:
        return Rival(name, text, None, f"not fitted: {problem}")
    return Rival(name, text, result, _remark(result))


def _remark(result: CFAResult) -> str:
    if not result.converged:
        return "did not converge"
    return f"improper: {', '.join(result.improper[:3])}" if result.improper else ""


def _second(own: CFAResult, second: Rival, count: int) -> str:
    if second.result is None:
        return ""
    if count == 3:
        return (
            "With three factors the second-order model has as many parameters as their correlations: it fits "
            "alike and cannot be tested."
        )
    if second.result.df <= own.df:
        return ""
    tested = difference(own, second.result)
    p = "p < .001" if tested.pvalue < 0.001 else f"p = {tested.pvalue:.3f}".replace("0.", ".", 1)
    return f"Second order against {count} correlated factors: χ²({tested.df}) = {tested.chisq:.2f}, {p}."


def _shares(rival: Rival) -> tuple[float | None, float | None]:
    """Of a sound bifactor model: what the general factor makes of the sum, and of the common variance."""
    if rival.result is None or not rival.sound:
        return None, None
    table = rival.result.to_frame()
    loads = table[table["op"] == "=~"]
    general = loads[loads["lhs"] == GENERAL]["est"].to_numpy(dtype=float)
    every = loads["est"].to_numpy(dtype=float)
    implied = rival.result.implied.cov[0]
    return float(general.sum() ** 2 / implied.sum()), float((general**2).sum() / (every**2).sum())


def _bic(rival: Rival) -> float:
    assert rival.result is not None and rival.result.fit_indices.bic is not None
    return rival.result.fit_indices.bic


def _lines(blocks: dict[str, list[str]]) -> str:
    return "\n".join(
        f"{_quoted(latent)} =~ {' + '.join(_quoted(item) for item in named)}"
        for latent, named in blocks.items()
    )


def _quoted(name: str) -> str:
    return name if name.replace(".", "_").isidentifier() else f"`{name}`"


def _named(data: ItemData, item: str) -> str:
    return item if item in data.names else item.replace(",", " ")
