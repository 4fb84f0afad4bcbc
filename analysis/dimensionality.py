"""Whether a correlation matrix can be factored, and into how many: KMO, Bartlett, parallel analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Matrix = NDArray[np.float64]

# psych's lower bound of a uniqueness in minres, so that Heywood cases stop at the same place.
SMALLEST_UNIQUENESS = 0.005


@dataclass(frozen=True)
class Adequacy:
    """Kaiser-Meyer-Olkin measure of sampling adequacy, overall and per item, and Bartlett's test."""

    kmo: float
    kmo_items: dict[str, float]
    chi2: float
    df: int
    p: float
    n: int

    def to_frame(self) -> pd.DataFrame:
        """One row an item: its KMO."""
        return pd.DataFrame({"item": list(self.kmo_items), "kmo": list(self.kmo_items.values())})

    def summary(self) -> str:
        """KMO and Bartlett in one line."""
        bartlett = f"chi2({self.df}) = {self.chi2:.1f}, p = {self.p:.3g}"
        return f"KMO = {self.kmo:.3f}; Bartlett {bartlett}, n = {self.n}"


def adequacy(correlation: Matrix, n: int, items: tuple[str, ...]) -> Adequacy:
    r"""KMO and Bartlett's test of sphericity of a correlation matrix.

    .. math:: KMO = \frac{\sum_{i \ne j} r_{ij}^2}{\sum_{i \ne j} r_{ij}^2 + \sum_{i \ne j} q_{ij}^2},
              \quad \chi^2 = -\left(n - 1 - \frac{2p + 5}{6}\right) \ln |R|

    with q the anti-image correlations.

    Parameters
    ----------
    correlation : (p, p), positive definite
    n : sample size (df + 1 for a within-condition matrix)
    items : p names

    References
    ----------
    Kaiser & Rice 1974, doi 10.1177/001316447403400115; Bartlett 1951, doi 10.1093/biomet/38.3-4.337.
    R: ``psych::KMO(R)``, ``psych::cortest.bartlett(R, n)``.

    Examples
    --------
    >>> r = np.full((3, 3), 0.5) + 0.5 * np.eye(3)
    >>> round(adequacy(r, 100, ("a", "b", "c")).kmo, 4)
    0.6923
    """
    p = len(items)
    inverse = np.linalg.inv(correlation)
    scale = np.sqrt(np.diag(inverse))
    anti_image = inverse / np.outer(scale, scale)
    squares = correlation**2 * (1 - np.eye(p))
    partials = anti_image**2 * (1 - np.eye(p))
    per_item = squares.sum(axis=0) / (squares.sum(axis=0) + partials.sum(axis=0))
    overall = float(squares.sum() / (squares.sum() + partials.sum()))
    log_determinant = float(np.linalg.slogdet(correlation)[1])
    chi2 = -log_determinant * (n - 1 - (2 * p + 5) / 6)
    df = p * (p - 1) // 2
    named = {item: float(value) for item, value in zip(items, per_item, strict=True)}
    return Adequacy(overall, named, float(chi2), df, float(stats.chi2.sf(chi2, df)), n)


@dataclass(frozen=True)
class Parallel:
    """Observed eigenvalues beside those of random normal data of the same size.

    ``factor_*``: eigenvalues of R minus the uniquenesses of a one-factor minres solution (as psych);
    ``component_*``: eigenvalues of R. ``*_random`` are quantiles over the random sets.
    """

    factor_observed: tuple[float, ...]
    factor_random: tuple[float, ...]
    component_observed: tuple[float, ...]
    component_random: tuple[float, ...]
    factor_mean: tuple[float, ...]
    factors: int
    components: int
    sets: int
    quantile: float
    seed: int

    def to_frame(self) -> pd.DataFrame:
        """One row an eigenvalue, in falling order."""
        return pd.DataFrame(
            {
                "number": range(1, len(self.factor_observed) + 1),
                "factor_observed": self.factor_observed,
                "factor_random": self.factor_random,
                "component_observed": self.component_observed,
                "component_random": self.component_random,
            }
        )

    def summary(self) -> str:
        """How many factors and components exceed chance."""
        return (
            f"{self.factors} factor(s) and {self.components} component(s) above the {self.quantile:.0%} "
            f"quantile of {self.sets} random sets (seed {self.seed})"
        )

    def plot(self, note: str = "") -> Figure:
        """Observed and random eigenvalues of the common factors."""
        from analysis.factor_charts import scree

        return scree(self, note)


def parallel_analysis(
    correlation: Matrix, n: int, *, seed: int, sets: int = 500, quantile: float = 0.95
) -> Parallel:
    """Horn's parallel analysis with random normal data, for components and for common factors.

    The number kept is the count of leading eigenvalues above the quantile of the random ones, stopping at
    the first that is not.

    Parameters
    ----------
    correlation : (p, p)
    n : rows of each random set
    seed : seed of numpy's default generator; the same seed gives the same result
    sets, quantile : number of random sets, quantile of their eigenvalues

    References
    ----------
    Horn 1965, doi 10.1007/BF02289447. R: ``psych::fa.parallel(d, fm="minres", fa="both", n.iter=500,
    sim=TRUE, quant=.95)``.

    Examples
    --------
    >>> r = np.full((6, 6), 0.5) + 0.5 * np.eye(6)
    >>> parallel_analysis(r, 200, seed=1, sets=50).factors
    1
    """
    p = correlation.shape[0]
    generator = np.random.default_rng(seed)
    random = np.empty((sets, p, p))
    for index in range(sets):
        random[index] = np.corrcoef(generator.standard_normal((n, p)), rowvar=False)
    components = np.linalg.eigvalsh(random)[:, ::-1]
    factors = _reduced_eigenvalues(random)
    observed_component = np.linalg.eigvalsh(correlation)[::-1]
    observed_factor = _reduced_eigenvalues(correlation[np.newaxis])[0]
    component_limit = np.quantile(components, quantile, axis=0)
    factor_limit = np.quantile(factors, quantile, axis=0)
    return Parallel(
        _tuple(observed_factor),
        _tuple(factor_limit),
        _tuple(observed_component),
        _tuple(component_limit),
        _tuple(factors.mean(axis=0)),
        _leading(observed_factor > factor_limit),
        _leading(observed_component > component_limit),
        sets,
        quantile,
        seed,
    )


def one_factor(correlation: Matrix, *, sweeps: int = 1000, tolerance: float = 1e-9) -> Matrix:
    r"""One-factor minres loadings of a stack of correlation matrices, by coordinate descent.

    .. math:: \lambda_i = \sum_{j \ne i} r_{ij} \lambda_j / \sum_{j \ne i} \lambda_j^2

    Parameters
    ----------
    correlation : (sets, p, p)

    Returns
    -------
    (sets, p) loadings with positive sums, each limited to a uniqueness of at least .005

    References
    ----------
    Harman & Jones 1966, doi 10.1007/BF02289468.
    """
    p = correlation.shape[1]
    limit = np.sqrt(1 - SMALLEST_UNIQUENESS)
    values, vectors = np.linalg.eigh(correlation)
    loadings = vectors[:, :, -1] * np.sqrt(np.maximum(values[:, -1:], 0)) * 0.7
    for _ in range(sweeps):
        before = loadings.copy()
        total = (loadings**2).sum(axis=1)
        for i in range(p):
            rest = total - loadings[:, i] ** 2
            above = np.einsum("sj,sj->s", correlation[:, i], loadings) - loadings[:, i]
            new = np.clip(above / np.maximum(rest, 1e-12), -limit, limit)
            total = rest + new**2
            loadings[:, i] = new
        if float(np.abs(loadings - before).max()) < tolerance:
            break
    signs = np.where(loadings.sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
    return np.asarray(loadings * signs, dtype=float)


def _reduced_eigenvalues(correlation: Matrix) -> Matrix:
    reduced = correlation.copy()
    p = correlation.shape[1]
    # One sweep limit for all sets: random matrices converge slowly where nothing is to be found.
    reduced[:, np.arange(p), np.arange(p)] = one_factor(correlation, sweeps=300, tolerance=1e-6) ** 2
    return np.asarray(np.linalg.eigvalsh(reduced)[:, ::-1], dtype=float)


def _leading(above: NDArray[np.bool_]) -> int:
    return int(np.argmin(above)) if not above.all() else len(above)


def _tuple(values: NDArray[Any]) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
