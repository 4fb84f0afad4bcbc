"""Least squares on moments: unweighted, generalised, or with weights made elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.cfa.data import Sample
from analysis.cfa.fiml import moment_information
from analysis.cfa.linear import times
from analysis.cfa.matrices import Implied, Structure
from analysis.cfa.saturated import patterns_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LeastSquares:
    r"""A quadratic discrepancy of moments.

    .. math:: F = \sum_g \frac{n_g}{n} (s_g - \sigma_g)^\top W_g (s_g - \sigma_g)

    where s and sigma hold means (if modelled) and covariances i >= j row by row.

    Attributes
    ----------
    structure, sample : the model and what it is fitted to; ``sample.sizes`` weigh the groups
    weights : (G, m, m)
    """

    structure: Structure
    sample: Sample
    weights: Array

    @property
    def means(self) -> bool:
        """Whether the model explains means."""
        return self.structure.table.means

    def __call__(self, theta: Array) -> tuple[float, Array] | None:
        """F and its gradient (q,)."""
        implied = self.structure.implied(theta)
        off = moments_of(self.sample.cov, self.sample.mean, self.means) - self._moments(implied)
        pulled = times(self.weights, off)
        shares = self.sample.shares
        value = float(shares @ (off * pulled).sum(axis=1))
        cells = implied.tangents().slope(*self._directions(pulled))
        return value, self.structure.to_parameters(-2 * shares[:, None] * cells)

    def information(self, theta: Array) -> Array:
        r""":math:`\Delta^\top W \Delta`, (q, q)."""
        delta = self.structure.implied(theta).tangents().moments(self.means)
        cells = delta @ self.weights @ np.swapaxes(delta, 1, 2)
        return self.structure.to_parameters2(self.sample.shares[:, None, None] * cells)

    def observed(self, theta: Array) -> Array:
        """Half the second derivative of F."""
        implied = self.structure.implied(theta)
        off = moments_of(self.sample.cov, self.sample.mean, self.means) - self._moments(implied)
        cells = implied.curvature(implied.tangents(), *self._directions(times(self.weights, off)))
        bent = self.structure.to_parameters2(self.sample.shares[:, None, None] * cells)
        return self.information(theta) - bent

    def scoring(self, theta: Array) -> Array:
        """Second derivative of F without the curvature of the model (Gauss-Newton)."""
        return 2 * self.information(theta)

    def newton(self, theta: Array) -> Array:
        """Second derivative of F."""
        return 2 * self.observed(theta)

    def _moments(self, implied: Implied) -> Array:
        return moments_of(implied.cov, implied.mean, self.means)

    def _directions(self, pulled: Array) -> tuple[Array, Array]:
        """Weighted distances as matrices (G, p, p) and vectors (G, p), for products with derivatives."""
        groups, p = len(pulled), self.structure.p
        i, j = np.tril_indices(p)
        start = p if self.means else 0
        q = np.zeros((groups, p, p))
        q[:, i, j] += pulled[:, start:] / 2
        q[:, j, i] += pulled[:, start:] / 2
        return q, pulled[:, :p] if self.means else np.zeros((groups, p))


def moments_of(cov: Array, mean: Array, means: bool) -> Array:
    """(G, m): means (if modelled), then covariances i >= j row by row."""
    i, j = np.tril_indices(cov.shape[1])
    spread = cov[:, i, j]
    return np.concatenate([mean, spread], axis=1) if means else spread


def unweighted(structure: Structure, sample: Sample) -> LeastSquares:
    """ULS: every moment counts the same, a covariance once.

    References
    ----------
    R: ``lavaan::cfa(model, data, estimator = "ULS")``, which takes covariances with divisor n - 1.
    """
    m = moments_of(sample.cov, sample.mean, structure.table.means).shape[1]
    return LeastSquares(structure, sample, np.broadcast_to(np.eye(m), (len(sample.groups), m, m)))


def generalised(structure: Structure, sample: Sample) -> LeastSquares:
    r"""GLS: weights of the normal distribution at the sample's covariances.

    For covariances :math:`F = \tfrac12 \mathrm{tr}[(S^{-1} (S - \Sigma))^2]` (Browne 1974).

    References
    ----------
    R: ``lavaan::cfa(model, data, estimator = "GLS")``, which takes covariances with divisor n - 1.
    """
    made = []
    for group in sample.groups:
        weights = moment_information(patterns_of(group.mean[None, :]), group.mean, group.cov, observed=False)
        made.append(weights if structure.table.means else weights[structure.p :, structure.p :])
    return LeastSquares(structure, sample, np.stack(made))
