"""The model of uncorrelated items, against which CFI and TLI compare."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analysis.cfa.data import Sample
from analysis.cfa.matrices import Structure, structure_of
from analysis.cfa.parameters import Parameter, ParameterTable

Array = NDArray[np.float64]


def baseline_of(table: ParameterTable, sample: Sample) -> tuple[Structure, Array]:
    """Variances (and means) free in every group, no covariances but those of observed predictors.

    Returns
    -------
    its structure, and its estimates: variances and means of the answers each item has
    """
    if sample.incomplete:
        mean = np.stack([np.nanmean(group.rows, axis=0) for group in sample.groups])
        spread = np.stack([np.nanvar(group.rows, axis=0) for group in sample.groups])
    else:
        mean, spread = sample.mean, np.diagonal(sample.cov, axis1=1, axis2=2)
    rows: list[Parameter] = []
    theta: list[float] = []
    outside = set(table.exogenous)
    for g in range(len(table.groups)):
        for i, name in enumerate(table.observed):
            taken = name in outside
            rows.append(
                Parameter(name, "~~", name, g, -1 if taken else len(theta), float("nan"), sampled=taken)
            )
            if not taken:
                theta.append(float(spread[g, i]))
        rows += [
            Parameter(left, "~~", right, g, -1, float("nan"), sampled=True)
            for j, left in enumerate(table.exogenous)
            for right in table.exogenous[j + 1 :]
        ]
        for i, name in enumerate(table.observed if table.means else ()):
            taken = name in outside
            rows.append(
                Parameter(name, "~1", "", g, -1 if taken else len(theta), float("nan"), sampled=taken)
            )
            if not taken:
                theta.append(float(mean[g, i]))
    made = ParameterTable(tuple(rows), table.observed, (), table.groups, table.means, table.exogenous)
    return structure_of(made, sample.cov, sample.mean), np.array(theta)
