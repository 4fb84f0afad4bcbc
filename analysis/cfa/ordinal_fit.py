"""Diagonally weighted least squares on thresholds and polychorics: minimum, standard errors, tests.

Works on plain arrays, so that model text, tables of parameters and reports stay out of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from analysis.cfa.ordinal_moments import OrdinalMoments

Matrix = NDArray[np.float64]
# Free parameters to the moments of each group, and to their slopes (m, q).
Moments = Callable[[Matrix], list[Matrix]]
Slopes = Callable[[Matrix], list[Matrix]]
ITERATIONS = 300
SMALL = 1e-9


@dataclass(frozen=True)
class Minimum:
    """Where the discrepancy is smallest.

    Attributes
    ----------
    free : (q,) parameters
    discrepancy : sum over groups of (n - 1) times the weighted squares; chi-square unless scaled
    converged : the gradient vanished there
    iterations : steps made
    """

    free: Matrix
    discrepancy: float
    converged: bool
    iterations: int


@dataclass(frozen=True)
class Adjusted:
    r"""A discrepancy made comparable with :math:`\chi^2`.

    Attributes
    ----------
    chisq, df : unscaled
    first, second : traces of U Gamma and of its square
    """

    chisq: float
    df: int
    first: float
    second: float

    @property
    def scaling(self) -> float:
        """Of the mean-adjusted test: trace over df; nan without df."""
        return self.first / self.df if self.df else np.nan

    @property
    def mean_adjusted(self) -> float:
        r""":math:`T / c` with :math:`c = \mathrm{tr}(U\Gamma) / df` (Satorra & Bentler)."""
        return self.chisq / self.scaling

    @property
    def slope(self) -> float:
        r""":math:`a = \sqrt{df / \mathrm{tr}((U\Gamma)^2)}` of the scaled and shifted test."""
        return float(np.sqrt(self.df / self.second)) if self.df else np.nan

    @property
    def shift(self) -> float:
        r""":math:`b = df - a \, \mathrm{tr}(U\Gamma)`."""
        return self.df - self.slope * self.first

    @property
    def shifted(self) -> float:
        """a T + b, which has the mean and the variance of chi-square (Asparouhov & Muthen 2010)."""
        return self.slope * self.chisq + self.shift


def minimise(
    groups: Sequence[OrdinalMoments],
    weights: Sequence[Matrix],
    start: Matrix,
    moments: Moments,
    slopes: Slopes,
) -> Minimum:
    r"""Least weighted squares by Gauss-Newton with halved and damped steps.

    .. math:: T = \sum_g (n_g - 1) \sum_i w_{gi} (s_{gi} - \sigma_{gi}(\theta))^2

    Parameters
    ----------
    groups : moments of each group
    weights : (m,) of each group: 1 / diag(Gamma), or ones (ULS)
    start : (q,)
    moments, slopes : the model
    """
    roots = np.concatenate([np.sqrt((g.n - 1) * w) for g, w in zip(groups, weights, strict=True)])
    observed = np.concatenate([g.vector for g in groups])

    def misfit(free: Matrix) -> Matrix:
        with np.errstate(all="ignore"):
            return np.asarray(roots * (observed - np.concatenate(moments(free))), dtype=float)

    free = start.copy()
    rest = misfit(free)
    value, damping, settled, made = float(rest @ rest), 0.0, False, 0
    for made in range(1, ITERATIONS + 1):
        steep = roots[:, np.newaxis] * np.concatenate(slopes(free))
        inner, gradient = steep.T @ steep, steep.T @ rest
        scale = np.maximum(np.diag(inner), 1e-12)
        if float((gradient**2 / scale).max()) < SMALL**2 * max(1.0, value):
            settled = True
            break
        while True:
            step = _solve(inner + np.diag(damping * scale), gradient)
            tried = free + step
            rest_tried = misfit(tried)
            reached = float(rest_tried @ rest_tried)
            if np.isfinite(reached) and reached <= value + 1e-12 * max(1.0, value):
                break
            damping = max(4 * damping, 1e-3)
            if damping > 1e8:
                return Minimum(free, value, False, made)
        free, rest, value = tried, rest_tried, reached
        damping = damping / 6 if damping > 1e-6 else 0.0
    return Minimum(free, value, settled, made)


def covariance(
    groups: Sequence[OrdinalMoments],
    weights: Sequence[Matrix],
    jacobians: Sequence[Matrix],
    *,
    robust: bool = True,
) -> Matrix:
    r"""(q, q) covariance of the estimates: the sandwich with Gamma as its filling.

    .. math::
        A = \sum_g f_g D_g^\top W_g D_g, \quad
        V = \tfrac1N A^{-1} \Big( \sum_g \tfrac{f_g^2 N}{n_g - 1} D_g^\top W_g \Gamma_g W_g D_g \Big) A^{-1},

    :math:`f_g = n_g / N`; not robust: :math:`A^{-1} / (N - G)`. R: ``vcov(cfa(model, d, ordered = TRUE))``.
    """
    total = sum(g.n for g in groups)
    q = jacobians[0].shape[1]
    bread, filling = np.zeros((q, q)), np.zeros((q, q))
    for g, w, d in zip(groups, weights, jacobians, strict=True):
        share, weighted = g.n / total, w[:, np.newaxis] * d
        bread += share * d.T @ weighted
        filling += share**2 * total / (g.n - 1) * weighted.T @ g.gamma @ weighted
    inverse = np.linalg.pinv(bread, hermitian=True)
    if not robust:
        return np.asarray(inverse / (total - len(groups)), dtype=float)
    return np.asarray(inverse @ filling @ inverse / total, dtype=float)


def adjusted(
    groups: Sequence[OrdinalMoments],
    weights: Sequence[Matrix],
    jacobians: Sequence[Matrix],
    chisq: float,
    df: int,
) -> Adjusted:
    r"""The test of a model with the traces its adjustments need.

    .. math:: U = W - W D (D^\top W D)^{-1} D^\top W

    over all groups at once, W and Gamma block by block with :math:`f_g W_g` and :math:`\Gamma_g / f_g`.

    References
    ----------
    Satorra & Bentler 1994 (in von Eye & Clogg, Latent variables analysis); Asparouhov & Muthen 2010,
    "Simple second order chi-square correction" (Mplus technical appendix). R: ``cfa(model, d,
    ordered = TRUE, estimator = "WLSMV")`` (shifted), ``"WLSM"`` (mean-adjusted).
    """
    total = sum(g.n for g in groups)
    shares = [g.n / total for g in groups]
    flat = np.concatenate([f * w for f, w in zip(shares, weights, strict=True)])
    steep = np.concatenate(list(jacobians))
    filling = linalg.block_diag(*(g.gamma / f for g, f in zip(groups, shares, strict=True)))
    weighted = flat[:, np.newaxis] * steep
    inverse = np.linalg.pinv(steep.T @ weighted, hermitian=True)
    # U Gamma = W (Gamma - D A^-1 D'W Gamma)
    product = flat[:, np.newaxis] * (filling - steep @ (inverse @ (weighted.T @ filling)))
    return Adjusted(chisq, df, float(np.trace(product)), float((product * product.T).sum()))


def baseline(groups: Sequence[OrdinalMoments], weights: Sequence[Matrix]) -> Adjusted:
    """The test of no correlation at all, thresholds free in every group."""
    chisq, df, first, second = 0.0, 0, 0.0, 0.0
    for g, w in zip(groups, weights, strict=True):
        t = len(g.thresholds)
        rho = g.vector[t:]
        chisq += (g.n - 1) * float(w[t:] @ rho**2)
        df += len(rho)
        product = w[t:, np.newaxis] * g.gamma[t:, t:]
        first += float(np.trace(product))
        second += float((product * product.T).sum())
    return Adjusted(chisq, df, first, second)


def difference(
    groups: Sequence[OrdinalMoments],
    weights: Sequence[Matrix],
    wide: Sequence[Matrix],
    narrow: Sequence[Matrix],
    chisq: float,
    df: int,
) -> Adjusted:
    r"""The difference of two nested models, with the traces its adjustment needs.

    Near the wider model, the narrower one allows the directions
    :math:`H = D_1^+ D_0` of its parameters; what it forbids is A, the orthogonal complement of H. With
    :math:`P = \sum_g f_g D_{1g}^\top W_g D_{1g}`,

    .. math:: U_d = W D_1 P^{-1} A^\top (A P^{-1} A^\top)^{-1} A P^{-1} D_1^\top W .

    Parameters
    ----------
    wide, narrow : slopes of the moments of each group in the parameters of either model
    chisq, df : differences of the unscaled tests

    References
    ----------
    Satorra 2000 (in Heijmans, Pollock & Satorra, Innovations in multivariate statistical analysis,
    233-247). R: ``lavTestLRT(wide, narrow)`` of models fitted with WLSMV (its default: method
    "satorra.2000", A.method "delta", scaled.shifted).
    """
    total = sum(g.n for g in groups)
    shares = [g.n / total for g in groups]
    steep, other = np.concatenate(list(wide)), np.concatenate(list(narrow))
    allowed = np.linalg.pinv(steep) @ other
    forbidden = linalg.null_space(allowed.T).T
    bread = np.zeros((steep.shape[1], steep.shape[1]))
    for f, w, d in zip(shares, weights, wide, strict=True):
        bread += f * d.T @ (w[:, np.newaxis] * d)
    inverse = np.linalg.pinv(bread, hermitian=True)
    across = inverse @ forbidden.T
    middle = across @ np.linalg.pinv(forbidden @ across, hermitian=True) @ across.T
    # Both traces of U Gamma are those of (middle times D'W Gamma W D), which is only (q, q).
    filling = np.zeros_like(bread)
    for g, f, w, d in zip(groups, shares, weights, wide, strict=True):
        weighted = w[:, np.newaxis] * d
        filling += f * weighted.T @ g.gamma @ weighted
    product = middle @ filling
    return Adjusted(chisq, df, float(np.trace(product)), float((product * product.T).sum()))


def _solve(matrix: Matrix, vector: Matrix) -> Matrix:
    try:
        return np.asarray(linalg.solve(matrix, vector, assume_a="pos", check_finite=False), dtype=float)
    except linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(matrix, vector, rcond=None)[0], dtype=float)
