"""Estimates in standard deviations: of factors only, or of factors and items."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analysis.cfa.matrices import Implied
from analysis.cfa.parameters import ParameterTable

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
