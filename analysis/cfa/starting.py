"""Where the search for parameters begins."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from analysis.cfa.parameters import Parameter, ParameterTable

Array = NDArray[np.float64]


def starting_values(table: ParameterTable, cov: Array, mean: Array) -> Array:
    """Starting values of the free parameters.

    Loadings of a factor start at those of the first principal axis of its items (communalities from
    squared multiple correlations), in the scale its marker gives; residual variances at half the items'
    variances; factors uncorrelated; intercepts at the sample's means. Parameters that are equal in several
    places start at the mean over these.

    Parameters
    ----------
    cov, mean : (G, p, p), (G, p) of the sample

    Returns
    -------
    (q,)
    """
    sums, counts = np.zeros(table.q), np.zeros(table.q)
    position = {name: i for i, name in enumerate(table.observed)}
    for g in range(len(table.groups)):
        rows = [row for row in table.rows if row.group == g]
        loads, spread = _factors(table, [row for row in rows if row.op == "=~"], rows, cov[g], position)
        for row in rows:
            if row.free < 0:
                continue
            if not math.isnan(row.start):
                value = row.start
            elif row.op == "=~":
                value = loads[row.lhs, row.rhs]
            elif row.op == "~~" and row.lhs == row.rhs:
                value = (
                    spread[row.lhs]
                    if row.lhs in spread
                    else 0.5 * cov[g][position[row.lhs], position[row.lhs]]
                )
            elif (
                row.op == "~~"
                and row.lhs in position
                and row.rhs in position
                and not _residual(table, row.lhs)
            ):
                value = cov[g][position[row.lhs], position[row.rhs]]
            elif row.op == "~1" and row.lhs in position:
                value = mean[g][position[row.lhs]]
            else:
                value = 0.0
            sums[row.free] += value
            counts[row.free] += 1
    return np.asarray(sums / np.maximum(counts, 1))


def _residual(table: ParameterTable, name: str) -> bool:
    """Whether the spread of a variable is what others leave of it."""
    return any(
        (row.op == "=~" and row.rhs == name) or (row.op == "~" and row.lhs == name) for row in table.rows
    )


def _factors(
    table: ParameterTable,
    loadings: list[Parameter],
    rows: list[Parameter],
    cov: Array,
    position: dict[str, int],
) -> tuple[dict[tuple[str, str], float], dict[str, float]]:
    """Loadings and variances to start with; a factor of factors comes after those it is made of."""
    made: dict[tuple[str, str], float] = {}
    spread: dict[str, float] = {}
    depth: dict[str, int] = {}
    variances = {row.lhs: row for row in rows if row.op == "~~" and row.lhs == row.rhs}
    of = {latent: [row for row in loadings if row.lhs == latent] for latent in table.latents}
    shared: dict[str, int] = {}
    for row in loadings:
        shared[row.rhs] = shared.get(row.rhs, 0) + 1

    def rank(latent: str) -> int:
        if latent not in depth:
            depth[latent] = 1 + max((rank(r.rhs) for r in of[latent] if r.rhs in of), default=-1)
        return depth[latent]

    for latent in sorted(table.latents, key=rank):
        seen = [row for row in of[latent] if row.rhs in position]
        weights: dict[str, float] = {}
        if seen:
            at = np.array([position[row.rhs] for row in seen])
            axis = _axis(cov[np.ix_(at, at)])
            crossed = np.array([shared[row.rhs] for row in seen], dtype=float)
            weights = {r.rhs: float(v) for r, v in zip(seen, axis / np.sqrt(crossed), strict=True)}
        for row in of[latent]:
            if row.rhs not in position:
                weights[row.rhs] = math.sqrt(0.5 * spread[row.rhs]) if spread[row.rhs] > 0 else 0.5
        marker = next((row for row in of[latent] if row.free < 0 and row.value not in (0.0,)), None)
        held = variances.get(latent)
        unit = 1.0
        if marker is not None and abs(weights[marker.rhs]) > 1e-8:
            unit = weights[marker.rhs] / marker.value
            if abs(unit) < 0.05 * max(abs(w) for w in weights.values()):
                unit = math.copysign(0.05 * max(abs(w) for w in weights.values()), unit)
        elif held is not None and held.free < 0 and held.value > 0:
            unit = math.sqrt(held.value)
        for name, weight in weights.items():
            made[latent, name] = weight / unit
        spread[latent] = unit**2
        if held is not None and held.free < 0:
            spread[latent] = held.value
        for row in of[latent]:
            if row.rhs in of and row.rhs in spread and variances[row.rhs].free >= 0:
                spread[row.rhs] *= 0.6
    return made, spread


def _axis(cov: Array) -> Array:
    """Loadings on the first principal axis, in the items' units, with a positive sum."""
    scale = np.sqrt(np.diag(cov))
    correlation = cov / np.outer(scale, scale)
    if len(scale) == 1:
        return scale
    reduced = correlation.copy()
    smc = 1 - 1 / np.diag(np.linalg.inv(correlation))
    np.fill_diagonal(reduced, np.clip(smc, 0.05, 0.95))
    values, vectors = np.linalg.eigh(reduced)
    axis = vectors[:, -1] * math.sqrt(max(float(values[-1]), 0.1))
    return np.asarray(np.clip(axis * (1 if axis.sum() >= 0 else -1), -0.95, 0.95) * scale)


def plain_values(table: ParameterTable, cov: Array, start: Array) -> Array:
    """A second start: loadings all alike, factors of modest variance; the rest as in the first.

    Parameters
    ----------
    cov : (G, p, p) of the sample
    start : (q,) the first start
    """
    made = start.copy()
    position = {name: i for i, name in enumerate(table.observed)}
    markers: dict[tuple[int, str], float] = {}
    for row in table.rows:
        if row.op == "=~" and row.free < 0 and row.value != 0 and row.rhs in position:
            at = position[row.rhs]
            markers.setdefault((row.group, row.lhs), math.sqrt(cov[row.group, at, at]) / abs(row.value))
    for row in table.owners():
        if not math.isnan(row.start):
            continue
        unit = markers.get((row.group, row.lhs))
        if row.op == "=~" and row.rhs in position:
            scale = math.sqrt(cov[row.group, position[row.rhs], position[row.rhs]])
            made[row.free] = scale / unit if unit is not None else 0.6 * scale
        elif row.op == "~~" and row.lhs == row.rhs and row.lhs in table.latents:
            made[row.free] = 0.36 * unit**2 if unit is not None else 0.5
    return made
