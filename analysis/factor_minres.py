"""Minimum residual loadings of many correlation matrices at once, by Newton's method.

A bootstrap fits the same model a thousand times. One eigendecomposition of the whole stack a step, with
the exact second derivatives, needs some eight steps where a general optimiser needs hundreds of calls.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.dimensionality import SMALLEST_UNIQUENESS

Matrix = NDArray[np.float64]
Mask = NDArray[np.bool_]

LARGEST_UNIQUENESS = 1.0


@dataclass(frozen=True)
class MinresStack:
    """Unrotated loadings of a stack.

    Attributes
    ----------
    loadings : (sets, p, k), columns in falling order of eigenvalue, column sums not negative
    uniquenesses : (sets, p), between .005 and 1
    converged : (sets,), whether the projected gradient fell below the tolerance
    """

    loadings: Matrix
    uniquenesses: Matrix
    converged: Mask


def minres_stack(
    correlations: Matrix, factors: int, *, steps: int = 60, tolerance: float = 1e-8
) -> MinresStack:
    r"""Minres loadings of a stack of correlation matrices.

    With :math:`\lambda_m, u_m` the eigenvalues and vectors of :math:`R - \Psi` and M those that no factor
    explains (all but the k largest, and any that is negative), minimises over the uniquenesses

    .. math:: f = \tfrac12 \sum_{m \in M} \lambda_m^2, \quad
              \frac{\partial f}{\partial \psi_i} = -\sum_{m \in M} \lambda_m u_{im}^2,

    .. math:: \frac{\partial^2 f}{\partial \psi_i \partial \psi_j} =
              \Big(\sum_{m \in M} u_{im} u_{jm}\Big)^2 + 2 \sum_{m \in M} \sum_{n \notin M}
              \frac{\lambda_m}{\lambda_m - \lambda_n} u_{im} u_{in} u_{jm} u_{jn}

    by Newton steps on the uniquenesses that are not at a bound. Where the second derivatives do not lead
    downhill, their first term alone, which is never negative, takes their place.

    Parameters
    ----------
    correlations : (sets, p, p), positive definite
    factors : k
    steps : most Newton steps
    tolerance : largest derivative left where nothing is at a bound

    References
    ----------
    Harman & Jones 1966, doi 10.1007/BF02289468; Joreskog 1967, doi 10.1007/BF02289658 (the same idea for
    maximum likelihood). R: ``psych::fa(R, k, fm="minres", rotate="none")``.

    Examples
    --------
    >>> r = np.full((4, 4), 0.49) + 0.51 * np.eye(4)
    >>> minres_stack(np.array([r, r]), 1).loadings.round(6)[1, :, 0].tolist()
    [0.7, 0.7, 0.7, 0.7]
    """
    smc = 1 / np.diagonal(np.linalg.inv(correlations), axis1=1, axis2=2)
    psi, converged = _minimised(correlations, factors, smc, steps, tolerance)
    # With a uniqueness at its bound there are often several minima: the lowest of a few starts is taken.
    heywood = np.flatnonzero((psi <= SMALLEST_UNIQUENESS).any(axis=1) | ~converged)
    if len(heywood):
        hard = correlations[heywood]
        best = _objective(_reduced(hard, psi[heywood])[0], factors)
        for start in (np.full_like(smc[heywood], 0.5), np.sqrt(smc[heywood]), smc[heywood] ** 2):
            other, settled = _minimised(hard, factors, start, steps, tolerance)
            reached = _objective(_reduced(hard, other)[0], factors)
            better = settled & ((reached < best - 1e-12) | ~converged[heywood])
            psi[heywood[better]], best[better] = other[better], reached[better]
            converged[heywood[better]] = True
    values, vectors = _reduced(correlations, psi)
    loadings = vectors[:, :, -factors:] * np.sqrt(np.maximum(values[:, np.newaxis, -factors:], 0))
    loadings = loadings[:, :, ::-1]
    signs = np.where(loadings.sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
    return MinresStack(loadings * signs, psi, converged)


def _minimised(
    correlations: Matrix, factors: int, start: Matrix, steps: int, tolerance: float
) -> tuple[Matrix, Mask]:
    """Uniquenesses of a local minimum near each start, and whether they settled."""
    low, high = SMALLEST_UNIQUENESS, LARGEST_UNIQUENESS
    psi = np.clip(start, low, high)
    converged = np.zeros(len(psi), dtype=bool)
    going = np.arange(len(psi))
    values, vectors = _reduced(correlations, psi)
    for _ in range(steps):
        unexplained = _unexplained(values, factors)
        gradient = -np.einsum("sm,sim->si", values * unexplained, vectors**2)
        current = psi[going]
        held = ((current <= low) & (gradient > 0)) | ((current >= high) & (gradient < 0))
        free_gradient = np.where(held, 0.0, gradient)
        done = np.abs(free_gradient).max(axis=1) < tolerance
        converged[going[done]] = True
        keep = ~done
        if not keep.any():
            break
        going, current, held = going[keep], current[keep], held[keep]
        values, vectors, free_gradient = values[keep], vectors[keep], free_gradient[keep]
        step = _step(values, vectors, unexplained[keep], free_gradient, held)
        psi[going], values, vectors = _descend(
            correlations[going], current, step, free_gradient, values, vectors, factors
        )
    return psi, converged


def _reduced(correlations: Matrix, psi: Matrix) -> tuple[Matrix, Matrix]:
    p = psi.shape[1]
    reduced = correlations.copy()
    reduced[:, np.arange(p), np.arange(p)] -= psi
    values, vectors = np.linalg.eigh(reduced)
    return values, vectors


def _unexplained(values: Matrix, factors: int) -> Mask:
    rank = np.arange(values.shape[1]) < values.shape[1] - factors
    return np.asarray(rank[np.newaxis] | (values < 0), dtype=bool)


def _objective(values: Matrix, factors: int) -> Matrix:
    return np.asarray(0.5 * (values**2 * _unexplained(values, factors)).sum(axis=1), dtype=float)


def _step(values: Matrix, vectors: Matrix, unexplained: Mask, gradient: Matrix, held: Mask) -> Matrix:
    """The Newton step of the free uniquenesses, or the safe one where Newton's leads uphill."""
    rest = vectors * unexplained[:, np.newaxis]
    first = (rest @ rest.transpose(0, 2, 1)) ** 2
    gaps = values[:, :, np.newaxis] - values[:, np.newaxis, :]
    pairs = unexplained[:, :, np.newaxis] & ~unexplained[:, np.newaxis, :]
    weights = np.where(pairs, values[:, :, np.newaxis] / np.where(gaps == 0, 1.0, gaps), 0.0)
    second = np.zeros_like(first)
    # Only the k explained columns have weight, so the sum runs over them and not over all pairs.
    explained = np.flatnonzero((~unexplained).any(axis=0))
    for n in explained:
        outer = vectors[:, :, n : n + 1] * vectors[:, :, n : n + 1].transpose(0, 2, 1)
        second += outer * ((vectors * weights[:, np.newaxis, :, n]) @ vectors.transpose(0, 2, 1))
    newton = _solve(first + 2 * second, gradient, held, ridge=0.0)
    uphill = ~((newton * gradient).sum(axis=1) < 0) | (np.abs(newton).max(axis=1) > 1)
    if uphill.any():
        newton[uphill] = _solve(first[uphill], gradient[uphill], held[uphill], ridge=1e-6)
    return newton


def _solve(hessian: Matrix, gradient: Matrix, held: Mask, *, ridge: float) -> Matrix:
    p = gradient.shape[1]
    made = np.where(held[:, :, np.newaxis] | held[:, np.newaxis, :], 0.0, hessian)
    made[:, np.arange(p), np.arange(p)] += np.where(held, 1.0, ridge)
    # A singular matrix among many must not stop the others: its step is replaced by the caller.
    singular = np.abs(np.linalg.det(made)) < 1e-300
    made[singular] = np.eye(p)
    return np.asarray(-np.linalg.solve(made, gradient[:, :, np.newaxis])[:, :, 0], dtype=float)


def _descend(
    correlations: Matrix,
    psi: Matrix,
    step: Matrix,
    gradient: Matrix,
    values: Matrix,
    vectors: Matrix,
    factors: int,
) -> tuple[Matrix, Matrix, Matrix]:
    """Halve each set's step until the objective falls enough; the uniquenesses stay within bounds."""
    before = _objective(values, factors)
    psi, values, vectors = psi.copy(), values.copy(), vectors.copy()
    left = np.arange(len(psi))
    length = 1.0
    start = psi.copy()
    for _ in range(30):
        trial = np.clip(start[left] + length * step[left], SMALLEST_UNIQUENESS, LARGEST_UNIQUENESS)
        trial_values, trial_vectors = _reduced(correlations[left], trial)
        promised = ((trial - start[left]) * gradient[left]).sum(axis=1)
        fine = _objective(trial_values, factors) <= before[left] + 1e-4 * promised + 1e-15
        taken = left[fine]
        psi[taken], values[taken], vectors[taken] = trial[fine], trial_values[fine], trial_vectors[fine]
        left = left[~fine]
        if not len(left):
            break
        length /= 2
    return psi, values, vectors
