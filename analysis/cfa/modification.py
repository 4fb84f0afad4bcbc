"""What would change if a parameter were freed: modification indices and tests of equalities."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from analysis.cfa.discrepancies import discrepancy_of
from analysis.cfa.errors import NotAvailable
from analysis.cfa.matrices import Structure, cell_of, structure_of
from analysis.cfa.ordinal_model import ORDINAL
from analysis.cfa.parameters import Parameter, ParameterTable
from analysis.cfa.result import CFAResult
from analysis.cfa.standardised import standardise

Array = NDArray[np.float64]


def modification_indices(result: CFAResult, *, smallest: float = 0.0) -> pd.DataFrame:
    r"""What freeing each fixed parameter would do: cross-loadings, covariances of residuals and of factors.

    With u the slope of the log-likelihood in the parameter and V its information that the free parameters
    leave over,

    .. math:: MI = u^2 / V, \qquad EPC = u / V

    estimate the fall of chi-square and the value the parameter would take (Sörbom 1989,
    doi 10.1007/BF02294623). For a scaled test, ``mi_scaled`` is divided by the scaling factor.

    Parameters
    ----------
    smallest : leave out indices below this

    Returns
    -------
    lhs, op, rhs, group, mi, pvalue, epc, std_epc (and mi_scaled), largest first

    References
    ----------
    R: ``lavaan::modindices(fit, sort. = TRUE)``.
    """
    _refuse_ordered(result)
    table = result.table
    known = {(row.group, *row.key) for row in table.rows}
    known |= {(row.group, row.rhs, row.op, row.lhs) for row in table.rows if row.op == "~~"}
    fresh = [row for row in _candidates(table) if (row.group, *row.key) not in known]
    held = [i for i, row in enumerate(table.rows) if _releasable(table, row)]
    rows = list(table.rows)
    places: list[int] = []
    q = table.q
    for i in held:
        rows[i] = replace(rows[i], free=q + len(places))
        places.append(i)
    for row in fresh:
        rows.append(replace(row, free=q + len(places)))
        places.append(len(rows) - 1)
    values = np.concatenate([result.values, np.zeros(len(fresh))])
    extended = replace(table, rows=tuple(rows))
    structure = structure_of(extended, result.sample.cov, result.sample.mean)
    mi, epc = _release(result, structure, np.concatenate([result.theta, values[places]]), q)
    every = np.zeros(len(rows))
    every[places] = epc
    standardised = standardise(extended, result.implied, every)
    made = pd.DataFrame(
        {
            "lhs": [rows[i].lhs for i in places],
            "op": [rows[i].op for i in places],
            "rhs": [rows[i].rhs for i in places],
            "group": [table.groups[rows[i].group] for i in places],
            "mi": mi,
            "pvalue": stats.chi2.sf(mi, 1),
            "epc": epc,
            "std_epc": standardised[places],
        }
    )
    return _sorted(made, result, smallest)


def equality_tests(result: CFAResult, *, smallest: float = 0.0) -> pd.DataFrame:
    """What letting one group go would do, for every parameter that is equal over groups.

    Returns
    -------
    lhs, op, rhs, group (that is let go), mi, pvalue, epc (its difference from the others), largest first

    References
    ----------
    R: ``lavaan::lavTestScore(fit)``, the univariate tests.
    """
    _refuse_ordered(result)
    table = result.table
    members: dict[int, list[int]] = {}
    for i, row in enumerate(table.rows):
        if row.free >= 0:
            members.setdefault(row.free, []).append(i)
    # With two groups, letting one go is letting the other go: the first is then kept.
    chosen = [i for rows in members.values() for i in rows[1 if len(rows) == 2 else 0 :] if len(rows) > 1]
    structure, q = result.structure, table.q
    apart = np.zeros((len(table.groups), len(chosen), len(structure.kind)))
    place = {name: i for i, name in enumerate((*table.observed, *table.latents))}
    for number, i in enumerate(chosen):
        row = table.rows[i]
        kind, left, right = cell_of(row.op, place[row.lhs], place.get(row.rhs, 0))
        here = (structure.kind == kind) & (structure.row == left) & (structure.col == right)
        apart[row.group, number, np.flatnonzero(here)] = 1.0
    # The parameter of all groups stays, and each difference from it is one more: their slopes are apart.
    extended = replace(structure, select=np.concatenate([structure.select, apart], axis=1))
    mi, epc = _release(result, extended, np.concatenate([result.theta, np.zeros(len(chosen))]), q)
    made = pd.DataFrame(
        {
            "lhs": [table.rows[i].lhs for i in chosen],
            "op": [table.rows[i].op for i in chosen],
            "rhs": [table.rows[i].rhs for i in chosen],
            "group": [table.groups[table.rows[i].group] for i in chosen],
            "mi": mi,
            "pvalue": stats.chi2.sf(mi, 1),
            "epc": epc,
        }
    )
    return _sorted(made, result, smallest)


def _refuse_ordered(result: CFAResult) -> None:
    if result.estimator in ORDINAL:
        raise NotAvailable(
            "modification indices are not made for ordered items; look at their residuals, or free a "
            "parameter and compare the two models"
        )


def _sorted(made: pd.DataFrame, result: CFAResult, smallest: float) -> pd.DataFrame:
    scaled = result.fit_indices.scaled
    if scaled is not None:
        made["mi_scaled"] = made["mi"] / scaled.scaling_factor
    made = made[made["mi"] >= smallest] if smallest > 0 else made[made["mi"].notna()]
    return made.sort_values("mi", ascending=False, kind="stable", ignore_index=True)


def _release(result: CFAResult, structure: Structure, theta: Array, q: int) -> tuple[Array, Array]:
    """Index and expected change of each parameter after the first q."""
    sample = result.sample
    discrepancy = discrepancy_of(structure, sample, result.estimator)
    found = discrepancy(theta)
    if found is None or not result.converged:
        raise NotAvailable("modification indices need a solution that converged and is proper")
    n = float(sample.sizes.sum())
    u = -0.5 * n * found[1][q:]
    observed = result.options.get("information") == "observed"
    information = n * (discrepancy.observed(theta) if observed else discrepancy.information(theta))
    within = np.linalg.lstsq(information[:q, :q], information[:q, q:], rcond=None)[0]
    left = np.diag(information[q:, q:]) - (information[:q, q:] * within).sum(axis=0)
    total = np.diag(information[q:, q:])
    # What the free parameters already move has nothing left over: freeing it would change nothing.
    kept = left > 1e-9 * np.maximum(total, 1e-300)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(kept, u**2 / left, np.nan), np.where(kept, u / left, np.nan)


def _releasable(table: ParameterTable, row: Parameter) -> bool:
    """Fixed parameters that may be freed: not those that set a factor's scale or mean."""
    if row.free >= 0 or row.sampled or math.isnan(row.value):
        return False
    if row.op in ("=~", "~") or (row.op == "~~" and row.lhs != row.rhs):
        return True
    return row.op == "~~" and row.lhs in table.observed


def _candidates(table: ParameterTable) -> list[Parameter]:
    """Loadings, covariances of residuals and of factors that the model does not have."""
    made = []
    measured = [n for n in table.observed if any(r.op == "=~" and r.rhs == n for r in table.rows)]
    indicators = {r.rhs for r in table.rows if r.op == "=~" and r.rhs in table.latents}
    direct = [
        n for n in table.latents
        if any(r.op == "=~" and r.lhs == n and r.rhs in table.observed for r in table.rows)
    ]  # fmt: skip
    free_latents = [n for n in table.latents if n not in indicators]
    for g in range(len(table.groups)):
        made += [Parameter(f, "=~", item, g, -1, 0.0) for f in direct for item in measured]
        for names in (measured, free_latents, [n for n in table.latents if n in indicators]):
            made += [
                Parameter(names[i], "~~", names[j], g, -1, 0.0)
                for i in range(len(names))
                for j in range(i + 1, len(names))
            ]
        made += [Parameter(item, "~", x, g, -1, 0.0) for item in measured for x in table.exogenous]
    return made
