"""Full-information maximum likelihood: every answer counts, also those of people who left some out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from analysis.cfa.data import Sample
from analysis.cfa.linear import times
from analysis.cfa.matrices import Structure
from analysis.cfa.saturated import Patterns, patterns_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class FullInformation:
    r"""The likelihood of incomplete answers, as a discrepancy.

    With :math:`y_i` the answers of person i, and :math:`\mu_i, \Sigma_i` the parts of mean and covariance
    that belong to them,

    .. math:: F = \frac1n \sum_i \left[ \ln|\Sigma_i| + (y_i - \mu_i)^\top \Sigma_i^{-1} (y_i - \mu_i)
              \right] - (\text{the same of the saturated model}),

    so that n F is the likelihood-ratio chi-square. People of one pattern of answers are taken together and
    all patterns at once.

    References
    ----------
    Arbuckle 1996, in Marcoulides & Schumacker (eds.), Advanced Structural Equation Modeling.
    R: ``lavaan::cfa(model, data, missing = "fiml")``.
    """

    structure: Structure
    sample: Sample

    @cached_property
    def patterns(self) -> tuple[Patterns, ...]:
        """Of each group."""
        return tuple(patterns_of(group.rows) for group in self.sample.groups)

    @cached_property
    def _saturated(self) -> float:
        value = 0.0
        for share, patterns, group in zip(self.sample.shares, self.patterns, self.sample.groups, strict=True):
            found = _deviance(patterns, group.mean, group.cov)
            assert found is not None
            value += share * found[0]
        return value

    @property
    def means(self) -> bool:
        """Means are always part of it."""
        return True

    def __call__(self, theta: Array) -> tuple[float, Array] | None:
        """F and its gradient (q,); None where an implied covariance matrix is not positive definite."""
        implied = self.structure.implied(theta)
        value, turns, pulls = -self._saturated, [], []
        for g, (share, patterns) in enumerate(zip(self.sample.shares, self.patterns, strict=True)):
            found = _deviance(patterns, implied.mean[g], implied.cov[g])
            if found is None:
                return None
            value += share * found[0]
            turns.append(-share * found[1])
            pulls.append(-2 * share * found[2])
        cells = implied.tangents().slope(np.stack(turns), np.stack(pulls))
        return (value, self.structure.to_parameters(cells)) if np.isfinite(value) else None

    def information(self, theta: Array) -> Array:
        """Information a case expected under the patterns found, (q, q)."""
        implied = self.structure.implied(theta)
        delta = implied.tangents().moments(means=True)
        made = []
        for g, patterns in enumerate(self.patterns):
            inner = moment_information(patterns, implied.mean[g], implied.cov[g], observed=False)
            made.append(delta[g] @ inner @ delta[g].T)
        return self.structure.to_parameters2(self.sample.shares[:, None, None] * np.stack(made))

    def observed(self, theta: Array) -> Array:
        """Observed information a case, (q, q)."""
        implied = self.structure.implied(theta)
        tangents = implied.tangents()
        delta = tangents.moments(means=True)
        made, turns, pulls = [], [], []
        for g, patterns in enumerate(self.patterns):
            inner = moment_information(patterns, implied.mean[g], implied.cov[g], observed=True)
            found = _deviance(patterns, implied.mean[g], implied.cov[g])
            assert found is not None
            made.append(delta[g] @ inner @ delta[g].T)
            turns.append(-found[1])
            pulls.append(-2 * found[2])
        cells = np.stack(made) + implied.curvature(tangents, np.stack(turns), np.stack(pulls)) / 2
        return self.structure.to_parameters2(self.sample.shares[:, None, None] * cells)

    def scoring(self, theta: Array) -> Array:
        """Expected second derivative of F."""
        return 2 * self.information(theta)

    def newton(self, theta: Array) -> Array:
        """Second derivative of F."""
        return 2 * self.observed(theta)

    def crossed(self, theta: Array) -> Array:
        """Mean product of the cases' scores, (q, q): information of the first order."""
        implied = self.structure.implied(theta)
        delta = implied.tangents().moments(means=True)
        made = np.stack(
            [
                delta[g] @ moment_products(patterns, implied.mean[g], implied.cov[g]) @ delta[g].T
                for g, patterns in enumerate(self.patterns)
            ]
        )
        return self.structure.to_parameters2(self.sample.shares[:, None, None] * made)


def log_likelihood(patterns: Patterns, mean: Array, cov: Array) -> float:
    """Of the cases of one group, at given moments."""
    found = _deviance(patterns, mean, cov)
    assert found is not None
    answers = float((patterns.n * patterns.seen.sum(axis=1)).sum())
    return float(-0.5 * (answers * np.log(2 * np.pi) + patterns.n.sum() * found[0]))


def _deviance(patterns: Patterns, mean: Array, cov: Array) -> tuple[float, Array, Array] | None:
    """A case's deviance without its constant, and minus its slopes: of covariances (p, p), of means (p,)."""
    found = patterns.inverted(cov)
    if found is None:
        return None
    w, logs = found
    share = patterns.n / patterns.n.sum()
    d = np.where(patterns.seen, patterns.mean - mean, 0.0)
    t = patterns.cov + d[:, :, None] * d[:, None, :]
    value = float(share @ (logs + np.einsum("kij,kij->k", w, t)))
    turn = np.tensordot(share, w @ t @ w - w, axes=1)
    return value, turn, share @ times(w, d)


def moment_information(patterns: Patterns, mean: Array, cov: Array, *, observed: bool) -> Array:
    r"""Information a case about the moments themselves: means, then covariances i >= j row by row.

    .. math:: \tfrac12 \mathrm{tr}\left(E_a W E_b (2 M - W)\right), \qquad
              M = W (S + d d^\top) W

    for covariances (expected: M = W), W for means, and :math:`d^\top W E_a W e_i` between them.

    Returns
    -------
    (m, m)
    """
    found = patterns.inverted(cov)
    assert found is not None
    w = found[0]
    k, p = patterns.seen.shape
    share = patterns.n / patterns.n.sum()
    d = np.where(patterns.seen, patterns.mean - mean, 0.0)
    x = 2 * (w @ (patterns.cov + d[:, :, None] * d[:, None, :]) @ w) - w if observed else w
    flat = (w * share[:, None, None]).reshape(k, p * p)
    paired = (flat.T @ x.reshape(k, p * p)).reshape(p, p, p, p)  # sum over patterns of W_ij X_kl
    i, j = np.tril_indices(p)
    a, b, c, e = i[:, None], j[:, None], i[None, :], j[None, :]
    one = paired[a, c, b, e] + paired[a, e, b, c] + paired[b, c, a, e] + paired[b, e, a, c]
    weight = np.where(i == j, 0.5, 1.0)
    made = np.zeros((p + len(i), p + len(i)))
    # E_a = s (e_i e_j' + e_j e_i'): four products, and the same with W and X changed over.
    block = one * np.outer(weight, weight) / 2
    made[p:, p:] = (block + block.T) / 2
    made[:p, :p] = np.tensordot(share, w, axes=1)
    if observed:
        pulled = times(w, d) * share[:, None]
        mixed = (pulled.T @ w.reshape(k, p * p)).reshape(p, p, p)  # sum of (W d)_i W_jk
        cross = (mixed[i, j, :] + mixed[j, i, :]) * weight[:, None]
        made[p:, :p] = cross
        made[:p, p:] = cross.T
    return made


def moment_products(patterns: Patterns, mean: Array, cov: Array) -> Array:
    """Mean product of the cases' scores for the moments, in the order of :func:`moment_information`."""
    found = patterns.inverted(cov)
    assert found is not None
    w = found[0]
    p = len(mean)
    d = np.where(patterns.seen[patterns.member], patterns.rows - mean, 0.0)
    pulled = times(w[patterns.member], d)
    i, j = np.tril_indices(p)
    weight = np.where(i == j, 0.5, 1.0)
    spread = (pulled[:, i] * pulled[:, j] - w[:, i, j][patterns.member]) * weight
    scores = np.concatenate([pulled, spread], axis=1)
    return np.asarray(scores.T @ scores / len(d))
