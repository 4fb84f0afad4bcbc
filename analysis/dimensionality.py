"""How many factors exceed chance: Horn's parallel analysis, against random and against shuffled data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.items import ItemData
from analysis.wording import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Matrix = NDArray[np.float64]

# psych's lower bound of a uniqueness in minres, so that Heywood cases stop at the same place.
SMALLEST_UNIQUENESS = 0.005


@dataclass(frozen=True)
class Parallel:
    """Observed eigenvalues beside those of data without any structure, of the same size.

    ``factor_*``: eigenvalues of R minus the uniquenesses of a one-factor minres solution (as psych);
    ``component_*``: eigenvalues of R. ``*_random`` are quantiles over sets of random normal data, ``*_mean``
    their means; ``*_resampled`` and ``*_resampled_mean`` are those over sets in which each item's own answers
    were shuffled, None where no answers were given.
    """

    factor_observed: tuple[float, ...]
    factor_random: tuple[float, ...]
    component_observed: tuple[float, ...]
    component_random: tuple[float, ...]
    factor_mean: tuple[float, ...]
    component_mean: tuple[float, ...]
    factors: int
    components: int
    sets: int
    quantile: float
    seed: int
    factor_resampled: tuple[float, ...] | None = None
    component_resampled: tuple[float, ...] | None = None
    factor_resampled_mean: tuple[float, ...] | None = None
    component_resampled_mean: tuple[float, ...] | None = None
    factors_resampled: int | None = None
    components_resampled: int | None = None

    def to_frame(self) -> pd.DataFrame:
        """One row an eigenvalue, in falling order."""
        table = pd.DataFrame(
            {
                "number": range(1, len(self.factor_observed) + 1),
                "factor_observed": self.factor_observed,
                "factor_random": self.factor_random,
                "component_observed": self.component_observed,
                "component_random": self.component_random,
            }
        )
        if self.factor_resampled is not None:
            table["factor_resampled"] = self.factor_resampled
            table["component_resampled"] = self.component_resampled
        return table

    def summary(self) -> str:
        """How many factors and components exceed chance."""
        text = (
            f"{counted(self.factors, 'factor')} and {counted(self.components, 'component')} "
            f"above the {self.quantile:.0%} "
            f"quantile of {self.sets} random sets (seed {self.seed})"
        )
        if self.factors_resampled is not None:
            text += (
                f"; {self.factors_resampled} and {self.components_resampled} above that of shuffled answers"
            )
        return text

    def plot(self, note: str = "") -> Figure:
        """Observed and random eigenvalues of the common factors."""
        from analysis.factor_charts import scree

        return scree(self, note)


def parallel_analysis(
    correlation: Matrix,
    n: int,
    *,
    seed: int,
    sets: int = 500,
    quantile: float = 0.95,
    data: ItemData | None = None,
) -> Parallel:
    """Horn's parallel analysis, for components and for common factors.

    The number kept is the count of leading eigenvalues above the quantile of the random ones, stopping at
    the first that is not. Random correlation matrices are drawn directly: those of n rows of independent
    normal variables follow a Wishart distribution, whose root is a triangle of chi and normal variables.

    Parameters
    ----------
    correlation : (p, p)
    n : rows of each random set
    seed : seed of numpy's default generator; the same seed gives the same result
    sets, quantile : number of random sets, quantile of their eigenvalues
    data : the answers behind a Pearson correlation, to be shuffled item by item (within their groups) as
        a second yardstick that keeps the items' own distributions; incomplete rows are left out

    References
    ----------
    Horn 1965, doi 10.1007/BF02289447; Smith & Hocking 1972 (Algorithm AS 53, Wishart variates).
    R: ``psych::fa.parallel(d, fm="minres", fa="both", n.iter=500, sim=TRUE, quant=.95)``.

    Examples
    --------
    >>> r = np.full((6, 6), 0.5) + 0.5 * np.eye(6)
    >>> parallel_analysis(r, 200, seed=1, sets=50).factors
    1
    """
    p = correlation.shape[0]
    generator = np.random.default_rng(seed)
    observed = np.linalg.eigvalsh(correlation)[::-1], _reduced_eigenvalues(correlation[np.newaxis])[0]
    random = _random_correlations(p, n, sets, generator)
    component, factor = np.linalg.eigvalsh(random)[:, ::-1], _reduced_eigenvalues(random)
    component_limit, factor_limit = (np.quantile(found, quantile, axis=0) for found in (component, factor))
    shuffled: dict[str, Any] = {}
    if data is not None:
        resampled = _shuffled_correlations(data, sets, generator)
        again = np.linalg.eigvalsh(resampled)[:, ::-1], _reduced_eigenvalues(resampled)
        limits = [np.quantile(found, quantile, axis=0) for found in again]
        shuffled = {
            "component_resampled": _tuple(limits[0]),
            "factor_resampled": _tuple(limits[1]),
            "component_resampled_mean": _tuple(again[0].mean(axis=0)),
            "factor_resampled_mean": _tuple(again[1].mean(axis=0)),
            "components_resampled": _leading(observed[0] > limits[0]),
            "factors_resampled": _leading(observed[1] > limits[1]),
        }
    return Parallel(
        factor_observed=_tuple(observed[1]),
        factor_random=_tuple(factor_limit),
        component_observed=_tuple(observed[0]),
        component_random=_tuple(component_limit),
        factor_mean=_tuple(factor.mean(axis=0)),
        component_mean=_tuple(component.mean(axis=0)),
        factors=_leading(observed[1] > factor_limit),
        components=_leading(observed[0] > component_limit),
        sets=sets,
        quantile=quantile,
        seed=seed,
        **shuffled,
    )


def _random_correlations(p: int, n: int, sets: int, generator: np.random.Generator) -> Matrix:
    """Correlations of n rows of p independent normal variables, ``sets`` times."""
    root = np.tril(generator.standard_normal((sets, p, p)), k=-1)
    root[:, np.arange(p), np.arange(p)] = np.sqrt(generator.chisquare(n - 1 - np.arange(p), (sets, p)))
    root /= np.linalg.norm(root, axis=2, keepdims=True)
    return np.asarray(root @ root.transpose(0, 2, 1), dtype=float)


def _shuffled_correlations(data: ItemData, sets: int, generator: np.random.Generator) -> Matrix:
    """Correlations after each item's answers were shuffled, within groups, ``sets`` times."""
    complete = data.complete()
    p = len(complete.names)
    products = np.zeros((sets, p, p))
    squares = np.zeros(p)
    for rows in complete.group_members().values():
        # Items in rows: shuffling along memory is many times as fast as across it.
        centred = np.ascontiguousarray((complete.values[rows] - complete.values[rows].mean(axis=0)).T)
        squares += (centred**2).sum(axis=1)
        mixed = np.empty_like(centred)
        for index in range(sets):
            generator.permuted(centred, axis=1, out=mixed)
            products[index] += mixed @ mixed.T
    scale = np.sqrt(squares)
    return np.asarray(products / np.outer(scale, scale), dtype=float)


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
