"""A factor model of ordered items: its table of parameters, and the thresholds and polychorics it implies.

Behind each item stands a normal variable with intercept 0 that is cut at thresholds. Its scale is set in
one of two ways: ``"delta"`` fixes the spread of the whole variable, ``"theta"`` that of its residual. Where
thresholds are equal over groups, the scales and the means of the factors are free in all but the first.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from analysis.cfa.errors import NegativeDegreesOfFreedom, NotAvailable
from analysis.cfa.matrices import Structure, structure_of
from analysis.cfa.model_text import Model
from analysis.cfa.ordinal_moments import OrdinalMoments
from analysis.cfa.parameters import GROUP_EQUAL, Parameter, ParameterTable, tabulate
from analysis.cfa.starting import starting_values
from analysis.errors import UnknownName

Matrix = NDArray[np.float64]
Parameterization = Literal["delta", "theta"]
# Estimators that take items as ordered.
ORDINAL = ("DWLS", "WLSMV", "WLSM", "ULSMV")


@dataclass(frozen=True)
class OrdinalModel:
    """What the minimiser needs to know.

    Attributes
    ----------
    table : all parameters; those of factors first, then thresholds (``item | t1``), then scales
        (``item ~*~ item``)
    structure : the part of covariances and means
    owner : (t,) item of each threshold, alike in all groups
    thresholds : (G, t) free parameter of each threshold
    scales : (G, p) free parameter of each scale, -1 where it is 1 (theta: always)
    parameterization : "delta" or "theta"
    """

    table: ParameterTable
    structure: Structure
    owner: NDArray[np.intp]
    thresholds: NDArray[np.intp]
    scales: NDArray[np.intp]
    parameterization: Parameterization

    @property
    def q(self) -> int:
        """Free parameters."""
        return self.table.q

    @property
    def moments(self) -> int:
        """Thresholds and correlations of all groups."""
        p = self.structure.p
        return len(self.thresholds) * (len(self.owner) + p * (p - 1) // 2)

    @property
    def df(self) -> int:
        """Moments less free parameters."""
        return self.moments - self.q

    def scale(self, free: Matrix, cov: Matrix) -> Matrix:
        """(G, p) what brings each item's variable to variance 1."""
        if self.parameterization == "theta":
            return np.asarray(1 / np.sqrt(np.diagonal(cov, axis1=1, axis2=2)))
        return np.where(self.scales >= 0, free[self.scales], 1.0)

    def implied(self, free: Matrix) -> list[Matrix]:
        """(m,) thresholds and correlations of each group."""
        made = self.structure.implied(free)
        first, second = np.triu_indices(self.structure.p, 1)
        scale = self.scale(free, made.cov)
        return [
            np.concatenate([
                (free[self.thresholds[g]] - made.mean[g][self.owner]) * d[self.owner],
                made.cov[g][first, second] * d[first] * d[second],
            ])
            for g, d in enumerate(scale)
        ]  # fmt: skip

    def slopes(self, free: Matrix) -> list[Matrix]:
        """(m, q) their derivatives."""
        made = self.structure.implied(free)
        p = self.structure.p
        low_row, low_column = np.tril_indices(p)
        of_cells = made.tangents().moments(True)
        first, second = np.triu_indices(p, 1)
        position = np.zeros((p, p), dtype=np.intp)
        position[low_row, low_column] = np.arange(len(low_row))
        scale = self.scale(free, made.cov)
        found = []
        for g, d in enumerate(scale):
            cells = self.structure.select[g] @ of_cells[g]
            means, covs = cells[:, :p].T, cells[:, p:].T
            t, at = len(self.owner), self.owner
            steep = np.zeros((t + len(first), self.q))
            inner = cells.shape[0]
            distance = free[self.thresholds[g]] - made.mean[g][at]
            steep[:t, :inner] = -means[at] * d[at, np.newaxis]
            steep[np.arange(t), self.thresholds[g]] += d[at]
            covariance = made.cov[g][first, second]
            steep[t:, :inner] = covs[position[second, first]] * (d[first] * d[second])[:, np.newaxis]
            moved = np.zeros((p, self.q))
            if self.parameterization == "theta":
                moved[:, :inner] = -0.5 * (d**3)[:, np.newaxis] * covs[position[np.arange(p), np.arange(p)]]
            else:
                own = np.flatnonzero(self.scales[g] >= 0)
                moved[own, self.scales[g][own]] = 1.0
            steep[:t] += distance[:, np.newaxis] * moved[at]
            steep[t:] += covariance[:, np.newaxis] * (
                moved[first] * d[second][:, np.newaxis] + moved[second] * d[first][:, np.newaxis]
            )
            found.append(steep)
        return found

    def start(self, groups: Sequence[OrdinalMoments]) -> Matrix:
        """(q,) where the search begins."""
        cov = np.stack([g.correlation for g in groups])
        made = np.ones(self.q)
        inner = self.structure.q
        made[:inner] = starting_values(self.structure.table, cov, np.zeros(cov.shape[:2]))
        sums, counts = np.zeros(self.q), np.zeros(self.q)
        for index, g in zip(self.thresholds, groups, strict=True):
            np.add.at(sums, index, g.thresholds)
            np.add.at(counts, index, 1)
        own = counts > 0
        made[own] = sums[own] / counts[own]
        return made

    def residuals(self, free: Matrix) -> Matrix:
        """(G, p) variances that the factors leave to each item's variable."""
        cov = self.structure.implied(free).cov
        spread = np.diagonal(cov, axis1=1, axis2=2)
        if self.parameterization == "theta":
            p = self.structure.p
            return np.diagonal(self.structure.matrices(free)[1], axis1=1, axis2=2)[:, :p].copy()
        return np.asarray(1 / self.scale(free, cov) ** 2 - spread)


def ordinal_model(
    model: Model,
    groups: Sequence[OrdinalMoments],
    names: Sequence[str],
    *,
    group_equal: Iterable[str] = (),
    group_partial: Iterable[str] = (),
    std_lv: bool = False,
    orthogonal: bool = False,
    parameterization: Parameterization = "delta",
) -> OrdinalModel:
    """The table of a model of ordered items, with all that lavaan's ``cfa(ordered = TRUE)`` adds.

    Parameters
    ----------
    model : as read from its text
    groups, names : moments and name of each group
    group_equal : as of :func:`analysis.cfa.parameters.tabulate`, and ``"thresholds"``
    group_partial : parameters left out of that: ``"f =~ x2"``, ``"x2 | t1"``, or ``"x2 |"`` for all
        thresholds of an item

    Raises
    ------
    NotAvailable : a model with regressions on observed columns or intercepts of items
    NegativeDegreesOfFreedom : more parameters than thresholds and correlations
    UnknownName : group_equal or group_partial name what is not there
    """
    equal = tuple(dict.fromkeys([group_equal] if isinstance(group_equal, str) else group_equal))
    released = [group_partial] if isinstance(group_partial, str) else list(group_partial)
    thresholds_equal = "thresholds" in equal and len(groups) > 1
    _refuse(model)
    inner_equal = [kind for kind in equal if kind in GROUP_EQUAL and kind != "intercepts"]
    unknown = [kind for kind in equal if kind not in GROUP_EQUAL and kind != "thresholds"]
    if unknown:
        raise UnknownName(
            f"group_equal: {unknown[0]!r} is not known; there are thresholds, {', '.join(GROUP_EQUAL)}"
        )
    if thresholds_equal:
        # Equal thresholds do what equal intercepts do elsewhere: they free the means of the factors.
        inner_equal.append("intercepts")
    items = groups[0].names
    counts = np.bincount(groups[0].owner, minlength=len(items))
    cuts = [(item, f"t{k + 1}") for item, count in zip(items, counts, strict=True) for k in range(count)]
    freed, inner_partial = _released(released, cuts)
    inner = tabulate(
        model, names, means=True, group_equal=inner_equal, group_partial=inner_partial, std_lv=std_lv,
        orthogonal=orthogonal,
    )  # fmt: skip
    # An item that shares neither thresholds nor loading with other groups has nothing to scale it by.
    kept = {item for item, cut in cuts if (item, cut) not in freed}
    apart = {"".join(text.split()).partition("=~")[2] for text in inner_partial if "=~" in text}
    kept |= {item for item in items if "loadings" in equal and item not in apart}
    loose = kept if parameterization == "theta" and thresholds_equal and "residuals" not in equal else set()
    inner = _with_fixed_residuals(inner, parameterization, loose)
    cov = np.stack([g.correlation for g in groups])
    structure = structure_of(inner, cov, np.zeros(cov.shape[:2]))
    rows = list(inner.rows)
    owner_of: dict[object, int] = {}
    thresholds = np.zeros((len(groups), len(cuts)), dtype=np.intp)
    scales = np.full((len(groups), len(items)), -1, dtype=np.intp)
    for g in range(len(groups)):
        for position, (item, cut) in enumerate(cuts):
            shared = thresholds_equal and (item, cut) not in freed
            key = (item, cut) if shared else (item, cut, g)
            number = owner_of.setdefault(key, inner.q + len(owner_of))
            thresholds[g, position] = number
            label = f".{item} | {cut}." if shared else ""
            rows.append(Parameter(item, "|", cut, g, number, math.nan, label=label))
    following = inner.q + len(owner_of)
    for g in range(len(groups)):
        for position, item in enumerate(items):
            free = thresholds_equal and parameterization == "delta" and g > 0 and item in kept
            if free:
                scales[g, position] = following
                following += 1
            if parameterization == "delta":
                number = int(scales[g, position])
                rows.append(Parameter(item, "~*~", item, g, number, math.nan if free else 1.0))
    table = replace(inner, rows=tuple(rows))
    made = OrdinalModel(table, structure, groups[0].owner, thresholds, scales, parameterization)
    if made.df < 0:
        raise NegativeDegreesOfFreedom(
            f"the model has {made.q} free parameters for {made.moments} thresholds and correlations "
            f"(df = {made.df}); fix parameters or give factors more items"
        )
    return made


def _with_fixed_residuals(
    table: ParameterTable, parameterization: Parameterization, loose: set[str]
) -> ParameterTable:
    """Intercepts of items at 0, residuals at 0 (delta: what is left of 1) or 1 (theta), numbers closed up."""
    observed = set(table.observed)
    rows = []
    numbers: dict[int, int] = {}
    for row in table.rows:
        own = row.op == "~~" and row.lhs == row.rhs and row.lhs in observed
        if row.op == "~1" and row.lhs in observed:
            row = replace(row, free=-1, value=0.0, label="")
        elif own and not (row.lhs in loose and row.group > 0):
            row = replace(row, free=-1, value=0.0 if parameterization == "delta" else 1.0, label="")
        if row.free >= 0:
            row = replace(row, free=numbers.setdefault(row.free, len(numbers)))
            if own:
                row = replace(row, start=1.0)
        rows.append(row)
    return replace(table, rows=tuple(rows))


def _released(
    asked: Sequence[str], cuts: Sequence[tuple[str, str]]
) -> tuple[set[tuple[str, str]], list[str]]:
    """Thresholds that differ between groups although others do not, and what is no threshold."""
    freed: set[tuple[str, str]] = set()
    others = []
    for text in asked:
        if "|" not in text:
            others.append(text)
            continue
        item, _, cut = (part.strip() for part in text.partition("|"))
        found = {pair for pair in cuts if pair[0] == item and cut in ("", pair[1])}
        if not found:
            known = [f"{name} | {step}" for name, step in cuts]
            near = difflib.get_close_matches(f"{item} | {cut}", known, n=3)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise UnknownName(f"group_partial: the model has no threshold {text!r}{hint}")
        freed |= found
    return freed, others


def _refuse(model: Model) -> None:
    latents = set(model.latents)
    for term in model.terms:
        if term.op == "~" and not {term.lhs, term.rhs} <= latents:
            raise NotAvailable(
                f"model, line {term.place.line}: {term.lhs} ~ {term.rhs}: regressions on observed columns "
                "are not fitted with ordered items; treat the items as continuous (estimator mlr)"
            )
        if term.op == "~1" and term.lhs not in latents:
            raise NotAvailable(
                f"model, line {term.place.line}: an ordered item has thresholds, not an intercept; leave "
                f"'{term.lhs} ~ 1' out"
            )
        if term.op == "~~" and term.lhs == term.rhs and term.lhs not in latents:
            raise NotAvailable(
                f"model, line {term.place.line}: the residual variance of an ordered item follows from its "
                f"loading; leave '{term.lhs} ~~ {term.lhs}' out"
            )
