"""Maximum likelihood from means and covariances: discrepancy, gradient, information."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.cfa.data import Sample
from analysis.cfa.linear import inverse, times
from analysis.cfa.matrices import Implied, Structure
from analysis.cfa.robust import case_scores

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Likelihood:
    r"""The normal-theory discrepancy of a sample without missing answers.

    .. math:: F = \sum_g \frac{n_g}{n} \left[ \ln|\Sigma_g| - \ln|S_g| + \mathrm{tr}(\Sigma_g^{-1} S_g) - p
              + (\bar x_g - \mu_g)^\top \Sigma_g^{-1} (\bar x_g - \mu_g) \right]

    The likelihood-ratio chi-square is n F (Jöreskog 1969, doi 10.1007/BF02289343).

    Attributes
    ----------
    structure : the model
    sample : its moments
    """

    structure: Structure
    sample: Sample

    @property
    def means(self) -> bool:
        """Whether the model explains means."""
        return self.structure.table.means

    def __call__(self, theta: Array) -> tuple[float, Array] | None:
        """F and its gradient (q,); None where an implied covariance matrix is not positive definite."""
        implied = self.structure.implied(theta)
        try:
            root = np.linalg.cholesky(implied.cov)
        except np.linalg.LinAlgError:
            return None
        w = inverse(implied.cov)
        d = self._distance(implied)
        t = self.sample.cov + d[:, :, None] * d[:, None, :]
        logs = 2 * np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1)
        fits = logs - self._logs() + np.einsum("gij,gij->g", w, t) - self.structure.p
        shares = self.sample.shares
        value = float(shares @ fits)
        if not np.isfinite(value):
            return None
        wd = times(w, d)
        cells = implied.tangents().slope(-(w @ (t - implied.cov) @ w), -2 * wd)
        return value, self.structure.to_parameters(shares[:, None] * cells)

    def information(self, theta: Array) -> Array:
        """Expected information a case, (q, q): half the expected second derivative of F."""
        implied = self.structure.implied(theta)
        cells = implied.tangents().information(inverse(implied.cov))
        return self.structure.to_parameters2(self.sample.shares[:, None, None] * cells)

    def observed(self, theta: Array) -> Array:
        """Observed information a case, (q, q): half the second derivative of F."""
        implied = self.structure.implied(theta)
        w = inverse(implied.cov)
        d = self._distance(implied)
        t = self.sample.cov + d[:, :, None] * d[:, None, :]
        cells = second_derivative(implied, w, w @ t @ w, times(w, d))
        return self.structure.to_parameters2(self.sample.shares[:, None, None] * cells) / 2

    def crossed(self, theta: Array) -> Array:
        """Mean product of the cases' scores, (q, q): information of the first order."""
        implied = self.structure.implied(theta)
        tangents = implied.tangents()
        weights = inverse(implied.cov)
        cells = []
        for g, group in enumerate(self.sample.groups):
            d = group.rows - (implied.mean[g] if self.means else group.rows.mean(axis=0))
            w = weights[g]
            scores = case_scores(d @ w, tangents.u[g], tangents.v[g], tangents.scale, tangents.mean[g], w)
            cells.append(scores.T @ scores / len(d))
        return self.structure.to_parameters2(self.sample.shares[:, None, None] * np.stack(cells))

    def scoring(self, theta: Array) -> Array:
        """Expected second derivative of F."""
        return 2 * self.information(theta)

    def newton(self, theta: Array) -> Array:
        """Second derivative of F."""
        return 2 * self.observed(theta)

    def _distance(self, implied: Implied) -> Array:
        if not self.means:
            return np.zeros_like(self.sample.mean)
        return np.asarray(self.sample.mean - implied.mean)

    def _logs(self) -> Array:
        return np.asarray(np.linalg.slogdet(self.sample.cov)[1])


def second_derivative(implied: Implied, w: Array, m: Array, wd: Array) -> Array:
    r"""Second derivative of :math:`\ln|\Sigma| + \mathrm{tr}(\Sigma^{-1} T)` over cells.

    Parameters
    ----------
    w : (G, p, p), the inverse of the implied covariances
    m : (G, p, p), W T W with T the sample's covariances about the implied means
    wd : (G, p), W (sample mean less implied mean)

    Returns
    -------
    (G, C, C)
    """
    tangents = implied.tangents()
    c = len(tangents.scale)
    made = implied.curvature(tangents, w - m, -2 * wd)
    made[:, :c, :c] += 2 * tangents.product(w, m) - tangents.product(w, w)
    wm = w @ tangents.mean
    made += 2 * np.swapaxes(tangents.mean, 1, 2) @ wm
    cross = 2 * np.swapaxes(tangents.along(wd), 1, 2) @ wm  # (G, c, C): (W d)' dSigma_a W dmu_b
    made[:, :c, :] += cross
    made[:, :, :c] += np.swapaxes(cross, 1, 2)
    return np.asarray(made)
