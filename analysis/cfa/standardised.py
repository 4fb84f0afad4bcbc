"""Estimates in standard deviations: of factors only, or of factors and items."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analysis.cfa.matrices import Implied, Structure
from analysis.cfa.parameters import ParameterTable, free_values

Array = NDArray[np.float64]


def standardise(table: ParameterTable, implied: Implied, values: Array, *, items: bool = True) -> Array:
    r"""Standardised values of all rows.

    Loadings and regressions are multiplied by the standard deviation of the predictor over that of the
    outcome; variances are divided by the variance of their variable, so that of an outcome it is the share
    not explained; covariances become correlations (of residuals, where there are residuals).

    Parameters
    ----------
    values : (rows,) as estimated
    items : False: only factors are standardised (lavaan's ``std.lv``)

    Returns
    -------
    (rows,); nan where a variance is negative
    """
    position = {name: i for i, name in enumerate((*table.observed, *table.latents))}
    total = np.diagonal(implied.full, axis1=1, axis2=2)
    own = np.diagonal(implied.spreads, axis1=1, axis2=2)
    with np.errstate(invalid="ignore"):
        sd, residual_sd = np.sqrt(total), np.sqrt(own)
    if not items:
        p = len(table.observed)
        sd, residual_sd = sd.copy(), residual_sd.copy()
        sd[:, :p] = 1.0
        residual_sd[:, :p] = 1.0
    made = np.empty(len(table.rows))
    with np.errstate(invalid="ignore", divide="ignore"):
        for number, row in enumerate(table.rows):
            g, left = row.group, position[row.lhs]
            value = values[number]
            if row.op == "~1":
                made[number] = value / sd[g, left]
                continue
            right = position[row.rhs]
            if row.op == "=~":
                made[number] = value * sd[g, left] / sd[g, right]
            elif row.op == "~":
                made[number] = value * sd[g, right] / sd[g, left]
            elif left == right:
                made[number] = value / sd[g, left] ** 2
            else:
                made[number] = value / (residual_sd[g, left] * residual_sd[g, right])
    return made


def slopes(structure: Structure, theta: Array, *, items: bool = True) -> Array:
    """(rows, q) derivatives of the standardised values, by central differences of the whole formula."""
    table = structure.table
    made = np.empty((len(table.rows), structure.q))
    for i in range(structure.q):
        step = np.zeros(structure.q)
        step[i] = 1e-5 * max(1.0, abs(float(theta[i])))
        high, low = (_at(structure, theta + sign * step, items) for sign in (1.0, -1.0))
        made[:, i] = (high - low) / (2 * step[i])
    return made


def _at(structure: Structure, theta: Array, items: bool) -> Array:
    implied = structure.implied(theta)
    return standardise(structure.table, implied, all_values(structure.table, implied, theta), items=items)


def all_values(table: ParameterTable, implied: Implied, theta: Array) -> Array:
    """(rows,) values of all rows; those taken from the sample are read from the matrices."""
    position = {name: i for i, name in enumerate(table.observed)}
    made = free_values(table, theta)
    for i, row in enumerate(table.rows):
        if row.sampled:
            left = position[row.lhs]
            mean = row.op == "~1"
            made[i] = (
                implied.offsets[row.group, left]
                if mean
                else implied.spreads[row.group, left, position[row.rhs]]
            )
    return made
