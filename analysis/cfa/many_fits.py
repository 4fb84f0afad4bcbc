"""One model fitted to many samples of complete answers at once, as a bootstrap needs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analysis.cfa.linear import inverse, times
from analysis.cfa.matrices import Implied, Structure
from analysis.cfa.minimise import TINY
from analysis.cfa.ml import second_derivative

Array = NDArray[np.float64]
SCORING, NEWTON = 3, 5


def fit_many(structure: Structure, cov: Array, mean: Array, shares: Array, start: Array) -> Array:
    """Maximum-likelihood estimates for each of many samples.

    A few steps of scoring and then of Newton, all samples abreast, from one start. A sample for which these
    do not end at a minimum gets no estimates here: it needs a search of its own.

    Parameters
    ----------
    cov, mean : (B, G, p, p), (B, G, p) of B samples
    shares : (G,) of the groups
    start : (q,), close to the minima

    Returns
    -------
    (B, q); rows of nan where no minimum was reached
    """
    many, groups, p = mean.shape
    theta = np.tile(start, (many, 1))
    done = np.zeros(many, dtype=bool)
    for step in range(SCORING + NEWTON):
        active = np.flatnonzero(~done)
        if not len(active):
            break
        here = theta[active]
        s = cov[active].reshape(-1, p, p)
        implied = _implied(structure, here)
        sigma = implied.cov
        # A step that leads out of the region of covariance matrices is not mended here.
        lost = ~_positive(sigma).reshape(-1, groups).all(axis=1)
        if lost.any():
            theta[active[lost]] = np.nan
            done[active[lost]] = True
            keep = ~lost
            active, here = active[keep], here[keep]
            if not len(active):
                break
            s, implied = cov[active].reshape(-1, p, p), _implied(structure, here)
            sigma = implied.cov
        w = inverse(sigma)
        d = (mean[active].reshape(-1, p) - implied.mean) if structure.table.means else np.zeros((len(s), p))
        m = w @ (s + d[:, :, None] * d[:, None, :]) @ w
        wd = times(w, d)
        tangents = implied.tangents()
        slope = _gather(structure, tangents.slope(w - m, -2 * wd), shares, groups)
        cells = 2 * tangents.information(w) if step < SCORING else second_derivative(implied, w, m, wd)
        curve = _gather2(structure, cells, shares, groups)
        move = np.full_like(here, np.nan)
        sound = _positive(curve)
        move[sound] = np.linalg.solve(curve[sound], -slope[sound][:, :, None])[:, :, 0]
        theta[active] = here + move
        decrement = -(slope * move).sum(axis=1)
        done[active] |= (decrement < TINY) | ~np.isfinite(decrement)
    theta[~done] = np.nan
    return theta


def _positive(stack: Array) -> NDArray[np.bool_]:
    """Which matrices of a stack are positive definite."""
    try:
        np.linalg.cholesky(stack)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.eigvalsh(stack)[:, 0] > 0)
    return np.ones(len(stack), dtype=bool)


def _implied(structure: Structure, theta: Array) -> Implied:
    """The model at each row of theta, groups within samples."""
    many, groups = len(theta), len(structure.owner)
    a = np.tile(structure.arrows, (many, 1, 1))
    s = np.tile(structure.spreads, (many, 1, 1))
    m = np.tile(structure.offsets, (many, 1))
    group, cell = np.nonzero(structure.owner >= 0)
    values = theta[:, structure.owner[group, cell]]
    row, col, kind = structure.row[cell], structure.col[cell], structure.kind[cell]
    place = (np.arange(many) * groups)[:, None] + group
    for number, matrix in ((0, a), (1, s)):
        here = kind == number
        matrix[place[:, here], row[here], col[here]] = values[:, here]
        if number == 1:
            matrix[place[:, here], col[here], row[here]] = values[:, here]
    here = kind == 2
    m[place[:, here], row[here]] = values[:, here]
    total = np.asarray(np.linalg.inv(np.eye(structure.nodes) - a), dtype=float)
    full = total @ s @ np.swapaxes(total, 1, 2)
    return Implied(structure, a, s, m, total, (full + np.swapaxes(full, 1, 2)) / 2, times(total, m))


def _gather(structure: Structure, cells: Array, shares: Array, groups: int) -> Array:
    per_sample = cells.reshape(-1, groups, cells.shape[-1])
    made = np.zeros((len(per_sample), structure.q))
    for g in range(groups):
        made += shares[g] * per_sample[:, g] @ structure.select[g].T
    return made


def _gather2(structure: Structure, cells: Array, shares: Array, groups: int) -> Array:
    c = cells.shape[-1]
    per_sample = cells.reshape(-1, groups, c, c)
    made = np.zeros((len(per_sample), structure.q, structure.q))
    for g in range(groups):
        chosen = structure.select[g]
        made += shares[g] * (chosen @ per_sample[:, g] @ chosen.T)
    return (made + np.swapaxes(made, 1, 2)) / 2
