"""Unrotated loadings of a correlation matrix: minimum residual, maximum likelihood, principal axis."""

from __future__ import annotations

import warnings as python_warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.errors import AnalysisError, NotPositiveDefinite, TooFewData
from analysis.wording import counted

Matrix = NDArray[np.float64]

METHODS = ("minres", "ml", "pa")
# psych's limits of a principal axis: the sum of communalities moves less than this, or so many rounds.
AXIS_CHANGE = 0.001
AXIS_ROUNDS = 50


class TooManyFactors(TooFewData):
    """More factors than the correlations of the items can carry: negative degrees of freedom."""


class UnknownMethod(AnalysisError):
    """A method of extraction there is not."""


@dataclass(frozen=True)
class Extraction:
    """Loadings before rotation.

    Attributes
    ----------
    loadings : (p, k), columns in falling order of what they explain, column sums not negative
    converged : whether the optimiser settled
    told : what it said where it did not, else ""
    """

    loadings: Matrix
    converged: bool
    told: str


def degrees_of_freedom(items: int, factors: int) -> int:
    """Correlations less parameters of a model with k factors: p(p-1)/2 - pk + k(k-1)/2.

    >>> degrees_of_freedom(18, 3)
    102
    """
    return items * (items - 1) // 2 - items * factors + factors * (factors - 1) // 2


def check(correlation: Matrix, n: int, factors: int, items: tuple[str, ...]) -> None:
    """Refuse what no method could fit.

    Raises
    ------
    ValueError : the matrix is not p by p for p item names
    TooManyFactors : degrees of freedom below zero, or fewer than one factor
    TooFewData : not more people than items
    NotPositiveDefinite : a missing correlation, or an eigenvalue of zero or less
    """
    p = len(items)
    if correlation.shape != (p, p):
        raise ValueError(f"a matrix of {correlation.shape} for {p} item names")
    df = degrees_of_freedom(p, factors)
    if factors < 1 or df < 0:
        most = max((k for k in range(1, p) if degrees_of_freedom(p, k) >= 0), default=0)
        way_out = f"ask for {most} at most" if most else "three items are needed for one factor"
        raise TooManyFactors(f"{p} items cannot hold {counted(factors, 'factor')}: df = {df}; {way_out}")
    if n <= p:
        raise TooFewData(f"n = {n} for {p} items ({items[0]} to {items[-1]}): more people are needed")
    if not np.isfinite(correlation).all():
        row, column = (int(found) for found in np.argwhere(~np.isfinite(correlation))[0])
        raise NotPositiveDefinite(
            f"the correlation of {items[row]!r} and {items[column]!r} is missing: nobody, or nobody who "
            "differs, answered both; leave one out"
        )
    if float(np.linalg.eigvalsh(correlation)[0]) <= 1e-10:
        raise NotPositiveDefinite(
            f"the correlation matrix of {items[0]} to {items[-1]} is singular or not positive definite: an "
            "item is a sum or a copy of others, or pairs of items were answered by different people; leave "
            "it out, or use complete rows"
        )


def extract(correlation: Matrix, factors: int, method: str = "minres") -> Extraction:
    r"""Unrotated loadings.

    ``minres`` minimises :math:`\sum_{i<j} (r_{ij} - \hat r_{ij})^2`; ``ml`` minimises
    :math:`\ln|\hat R| + \mathrm{tr}(R \hat R^{-1}) - \ln|R| - p`; both over uniquenesses between .005 and 1
    (factor-analyzer's optimiser). ``pa`` starts from squared multiple correlations and puts the
    communalities of the k largest eigenvectors into the diagonal until their sum settles.

    Parameters
    ----------
    correlation : (p, p), as :func:`check` lets it pass
    factors : k
    method : one of ``METHODS``

    Raises
    ------
    UnknownMethod : naming the methods there are

    References
    ----------
    Harman & Jones 1966, doi 10.1007/BF02289468; Joreskog 1967, doi 10.1007/BF02289658.
    R: ``psych::fa(R, k, fm="minres"|"ml"|"pa", rotate="none")``.

    Examples
    --------
    >>> r = np.full((4, 4), 0.49) + 0.51 * np.eye(4)
    >>> [extract(r, 1, method).loadings.round(2)[0, 0].item() for method in METHODS]
    [0.7, 0.7, 0.7]
    """
    if method not in METHODS:
        raise UnknownMethod(f"no method {method!r}; there are: {', '.join(METHODS)}")
    if method == "pa":
        loadings, told = _principal_axis(correlation, factors)
    else:
        loadings, told = _factor_analyzer(correlation, factors, method)
    signs = np.where(loadings.sum(axis=0) < 0, -1.0, 1.0)
    return Extraction(loadings * signs, not told, told)


def _factor_analyzer(correlation: Matrix, factors: int, method: str) -> tuple[Matrix, str]:
    from factor_analyzer import FactorAnalyzer

    model = FactorAnalyzer(n_factors=factors, rotation=None, method=method, is_corr_matrix=True)
    with python_warnings.catch_warnings(record=True) as caught:
        python_warnings.simplefilter("always")
        model.fit(correlation)
    told = [str(found.message) for found in caught if str(found.message).startswith("Failed to converge")]
    return np.asarray(model.loadings_, dtype=float), told[0] if told else ""


def _principal_axis(correlation: Matrix, factors: int) -> tuple[Matrix, str]:
    reduced = correlation.copy()
    np.fill_diagonal(reduced, 1 - 1 / np.diag(np.linalg.inv(correlation)))
    before = float(np.trace(reduced))
    for _ in range(AXIS_ROUNDS):
        values, vectors = np.linalg.eigh(reduced)
        loadings = (vectors[:, -factors:] * np.sqrt(np.maximum(values[-factors:], 0)))[:, ::-1]
        communalities = (loadings**2).sum(axis=1)
        np.fill_diagonal(reduced, communalities)
        after = float(communalities.sum())
        if abs(before - after) <= AXIS_CHANGE:
            return loadings, ""
        before = after
    return loadings, f"the communalities still moved after {AXIS_ROUNDS} rounds"
