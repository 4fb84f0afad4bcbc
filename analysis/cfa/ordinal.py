"""Factor models of ordered items: DWLS and its adjusted tests (WLSMV, WLSM, ULSMV)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from analysis import validation
from analysis.cfa import ordinal_fit
from analysis.cfa.checks import improper
from analysis.cfa.data import GroupSample, Sample
from analysis.cfa.errors import NotAvailable, NotNested, UnidentifiedModel
from analysis.cfa.matrices import Implied
from analysis.cfa.model_text import Model, parse
from analysis.cfa.ordinal_indices import Fitted, indices_of
from analysis.cfa.ordinal_model import ORDINAL, OrdinalModel, Parameterization, ordinal_model
from analysis.cfa.ordinal_moments import OrdinalMoments, moments_by_group, within_moments
from analysis.cfa.parameters import ParameterTable, free_values, refuse_unknown_columns, tabulate
from analysis.cfa.result import CFAResult
from analysis.cfa.standardised import standardise
from analysis.errors import UnknownName
from analysis.items import ItemData

Matrix = NDArray[np.float64]
OrdinalEstimator = Literal["DWLS", "WLSMV", "WLSM", "ULSMV"]
ADJUSTMENTS = {"DWLS": "none", "WLSMV": "shift", "WLSM": "mean", "ULSMV": "shift"}
TESTS = {"none": "standard", "shift": "scaled.shifted", "mean": "satorra.bentler"}
SINGULAR = 1e-9


@dataclass(frozen=True)
class OrdinalResult(CFAResult):
    """A fitted model of ordered items.

    Attributes
    ----------
    ordinal : table and layout, thresholds and scales included
    moments : thresholds and polychorics of each group
    weights : (m,) of each group
    and all of :class:`analysis.cfa.result.CFAResult`; its ``sample`` holds the polychorics as covariances
    """

    ordinal: OrdinalModel
    moments: tuple[OrdinalMoments, ...]
    weights: tuple[Matrix, ...]

    @property
    def table(self) -> ParameterTable:
        """The parameters: those of the factors, then thresholds and scales."""
        return self.ordinal.table

    @cached_property
    def implied(self) -> Implied:
        """What the model says of the variables behind the items, their residuals included."""
        made = self.structure.implied(self.theta)
        p = self.structure.p
        left = self.ordinal.residuals(self.theta) - np.diagonal(made.spreads, axis1=1, axis2=2)[:, :p]
        spreads, full = made.spreads.copy(), made.full.copy()
        at = np.arange(p)
        spreads[:, at, at] += left
        full[:, at, at] += left
        return replace(made, spreads=spreads, full=full)

    @cached_property
    def slopes(self) -> list[Matrix]:
        """(m, q) derivatives of each group's moments at the estimates."""
        return self.ordinal.slopes(self.theta)

    @cached_property
    def values(self) -> Matrix:
        """(rows,) estimates and fixed values; with delta, residual variances are what is left."""
        made = free_values(self.table, self.theta)
        position = {name: i for i, name in enumerate(self.table.observed)}
        for number, row in enumerate(self.table.rows):
            if row.op == "~~" and row.lhs == row.rhs and row.lhs in position:
                i = position[row.lhs]
                made[number] = self.implied.spreads[row.group, i, i]
        return made

    def to_frame(self, level: float = 0.95) -> pd.DataFrame:
        """One row a parameter, as of other results; thresholds are ``|``, scales ``~*~``."""
        inner = len(self.structure.table.rows)
        rows, est, se = self.table.rows, self.values, self.errors
        with np.errstate(invalid="ignore", divide="ignore"):
            z = np.where(se > 0, est / se, np.nan)
        half = float(stats.norm.ppf((1 + level) / 2)) * se
        spread = np.sqrt(np.diagonal(self.implied.full, axis1=1, axis2=2))
        position = {name: i for i, name in enumerate(self.table.observed)}
        outer = [
            est[inner + k] / spread[row.group, position[row.lhs]] if row.op == "|" else 1.0
            for k, row in enumerate(rows[inner:])
        ]
        head = self.structure.table
        return pd.DataFrame(
            {
                "lhs": [row.lhs for row in rows],
                "op": [row.op for row in rows],
                "rhs": [row.rhs for row in rows],
                "group": [self.groups[row.group] for row in rows],
                "label": [row.label for row in rows],
                "est": est,
                "se": se,
                "z": z,
                "pvalue": 2 * stats.norm.sf(np.abs(z)),
                "ci_low": est - half,
                "ci_high": est + half,
                "std_lv": [*standardise(head, self.implied, est[:inner], items=False), *est[inner:]],
                "std": [*standardise(head, self.implied, est[:inner]), *outer],
            }
        )


def ordinal_cfa(
    model: str | Model,
    data: ItemData,
    *,
    group: Sequence[str] | Literal["condition"] | None = None,
    estimator: OrdinalEstimator = "WLSMV",
    group_equal: Iterable[str] = (),
    group_partial: Iterable[str] = (),
    std_lv: bool = False,
    orthogonal: bool = False,
    parameterization: Parameterization = "delta",
) -> OrdinalResult:
    r"""Fit a factor model to ordered items by diagonally weighted least squares.

    Thresholds and polychorics s are compared with what the model implies,
    :math:`\sum_g (n_g - 1) \sum_i w_{gi} (s_{gi} - \sigma_{gi})^2`, with w one over the sampling variance
    of each (ULSMV: 1). Rows with a missing answer are left out.

    Parameters
    ----------
    model, group, group_partial, std_lv, orthogonal : as of :func:`analysis.cfa.estimate.cfa`; without
        ``group``, data that have conditions give polychorics within them
    estimator : one weighting and one test each: "WLSMV" (scaled and shifted), "WLSM" (scaled),
        "DWLS" (plain test, plain errors), "ULSMV" (unweighted, scaled and shifted)
    group_equal : as elsewhere, and "thresholds", which frees scales and means of all groups but the first
    parameterization : "delta" or "theta"; the fit is the same

    Raises
    ------
    EmptyCategory, TooFewData, ConstantColumn, NotPositiveDefinite, TooManyCategories :
        see :func:`analysis.cfa.ordinal_moments.moments_by_group`
    NegativeDegreesOfFreedom, UnidentifiedModel : the data cannot tell the parameters
    NotAvailable : regressions on observed columns
    ModelTextError : the text cannot be read, or names what the data do not hold

    References
    ----------
    Muthen 1984, doi 10.1007/BF02294210. R: ``lavaan::cfa(model, d, ordered = TRUE, estimator = "WLSMV")``,
    lavaan 0.6-14 (chi-square to 1e-4, errors to 1e-5).

    Examples
    --------
    >>> from analysis.items import items_of
    >>> draws = np.random.default_rng(3).standard_normal((500, 5))
    >>> cut = np.digitize(draws[:, :4] + draws[:, 4:], [-1, 0, 1])
    >>> found = ordinal_cfa("f =~ a + b + c + d", items_of(pd.DataFrame(cut, columns=list("abcd"))))
    >>> found.df, found.converged
    (2, True)
    """
    asked = parse(model) if isinstance(model, str) else model
    if estimator not in ORDINAL:
        raise UnknownName(f"estimator {estimator!r} is not known; for ordered items: {', '.join(ORDINAL)}")
    plainly = tabulate(asked)
    refuse_unknown_columns(asked, plainly, data.names, data.source)
    moments, dropped, basis, told = _moments(data, plainly.observed, group)
    groups = tuple(moments.values())
    layout = ordinal_model(
        asked, groups, tuple(moments), group_equal=group_equal, group_partial=group_partial, std_lv=std_lv,
        orthogonal=orthogonal, parameterization=parameterization,
    )  # fmt: skip
    weights = tuple(np.ones(len(g.gamma)) if estimator == "ULSMV" else 1 / np.diag(g.gamma) for g in groups)
    start = layout.start(groups)
    _refuse_unidentified(layout, start)
    found = ordinal_fit.minimise(groups, weights, start, layout.implied, layout.slopes)
    slopes = layout.slopes(found.free)
    test = ordinal_fit.adjusted(groups, weights, slopes, found.discrepancy, layout.df)
    adjustment = ADJUSTMENTS[estimator]
    clean = layout.q - layout.structure.q == sum(len(g.thresholds) for g in groups)
    fitted = Fitted(
        groups, weights, layout.implied(found.free), slopes, test, ordinal_fit.baseline(groups, weights),
        layout.q, clean,
    )  # fmt: skip
    robust = adjustment != "none"
    vcov = ordinal_fit.covariance(groups, weights, slopes, robust=robust)
    result = OrdinalResult(
        model=asked,
        structure=layout.structure,
        sample=_sample(plainly.observed, moments, dropped, basis, data.source, told),
        estimator=estimator,
        se="robust" if robust else "standard",
        test=TESTS[adjustment],
        options={"parameterization": parameterization},
        theta=found.free,
        vcov=vcov,
        minimum=found.discrepancy / (2 * fitted.n),
        fit_indices=indices_of(fitted, adjustment, tested=estimator != "ULSMV"),
        converged=found.converged,
        improper=(),
        warnings=(),
        ordinal=layout,
        moments=groups,
        weights=weights,
    )
    odd = improper(layout.structure, result.implied)
    remarks = [*told, *layout.table.warnings]
    for name, g in moments.items():
        remarks += [f"group {name}: {text}" if len(groups) > 1 else text for text in g.warnings]
    if not found.converged:
        remarks.append(
            f"no convergence: the search ended after {found.iterations} steps without a minimum; the model "
            "may be too large for the data, or need starting values (start(0.5)*)"
        )
    if odd:
        remarks.append(
            f"Heywood case: {', '.join(odd)} has an impossible value, the solution is improper; fewer "
            "factors, another model or more people are needed"
        )
    return replace(result, improper=odd, warnings=tuple(dict.fromkeys(remarks)))


def ordinal_difference(wide: OrdinalResult, narrow: OrdinalResult) -> ordinal_fit.Adjusted:
    """The difference of two nested models of the same ordered items; its ``shifted`` is the test.

    Raises
    ------
    NotNested : other data, or no more degrees of freedom
    NotAvailable : models without an adjusted test (DWLS)

    References
    ----------
    Satorra 2000. R: ``lavTestLRT(wide, narrow)``.
    """
    same = wide.groups == narrow.groups and all(
        np.array_equal(a.vector, b.vector) for a, b in zip(wide.moments, narrow.moments, strict=True)
    )
    if not same or wide.estimator != narrow.estimator:
        raise NotNested("models of different data, groups or estimators cannot be compared")
    if ADJUSTMENTS[wide.estimator] == "none":
        raise NotAvailable("plain DWLS has no test of a difference; fit both models with WLSMV")
    if narrow.df <= wide.df:
        raise NotNested(
            f"the second model has df = {narrow.df}, the first {wide.df}: a special case has more of them"
        )
    return ordinal_fit.difference(
        wide.moments, wide.weights, wide.slopes, narrow.slopes,
        narrow.fit_indices.chisq - wide.fit_indices.chisq, narrow.df - wide.df,
    )  # fmt: skip


def _moments(
    data: ItemData, names: Sequence[str], group: Sequence[str] | Literal["condition"] | None
) -> tuple[dict[str, OrdinalMoments], int, str, tuple[str, ...]]:
    """Moments by group, rows dropped, on what basis, and what is to be said."""
    chosen = data.select([name.replace(",", " ") if name not in data.names else name for name in names])
    told = (*data.warnings, *validation.refuse(chosen))
    dropped = int(np.isnan(chosen.values).any(axis=1).sum())
    if group is None:
        if chosen.groups is not None and not chosen.pooled:
            return {"all": within_moments(chosen)}, dropped, "within conditions", told
        made = moments_by_group(replace(chosen, groups=None))
        return made, dropped, "pooled over conditions" if chosen.pooled else "one group", told
    if isinstance(group, str):
        if chosen.groups is None:
            raise UnknownName(f"{data.source}: there is no condition to take as groups")
        group = chosen.groups
    labels = tuple(str(label) for label in group)
    return moments_by_group(replace(chosen, groups=labels)), dropped, "groups", told


def _sample(
    names: Sequence[str],
    moments: dict[str, OrdinalMoments],
    dropped: int,
    basis: str,
    source: str,
    told: tuple[str, ...],
) -> Sample:
    p = len(names)
    groups = [
        GroupSample(name, g.n, np.empty((0, p)), np.zeros(p), g.correlation) for name, g in moments.items()
    ]
    return Sample(tuple(names), tuple(groups), "listwise", "normal", dropped, basis, source, told)


def _refuse_unidentified(layout: OrdinalModel, start: Matrix) -> None:
    """Refuse parameters that move together without moving a threshold or correlation."""
    if layout.q == 0:
        return
    moved = start + 0.05 * np.random.default_rng(20231).uniform(0.5, 1.0, layout.q)
    steep = np.concatenate(layout.slopes(moved))
    inner = steep.T @ steep
    spread = np.diag(inner)
    dead = np.flatnonzero(spread <= 0)
    if not len(dead):
        scale = np.sqrt(spread)
        values, vectors = np.linalg.eigh(inner / np.outer(scale, scale))
        if float(values[0]) > SINGULAR:
            return
        dead = np.flatnonzero(np.abs(vectors[:, values <= SINGULAR]).max(axis=1) > 0.05)
    loose = [layout.table.named(int(i)) for i in dead]
    shown = ", ".join(loose[:6]) + (f" and {len(loose) - 6} more" if len(loose) > 6 else "")
    raise UnidentifiedModel(
        f"the model is not identified: {shown} can change together without changing what is implied; fix one "
        "of them (0*, 1*). Items of two categories have too few thresholds to free their scales: make "
        "loadings and thresholds equal together"
    )
