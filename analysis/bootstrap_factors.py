"""Bootstrap intervals of loadings and factor correlations, the factors of each draw aligned by congruence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.congruence import align
from analysis.correlation import Kind, correlate
from analysis.efa import HEYWOOD, FactorSolution, efa_of
from analysis.errors import AnalysisError, TooFewData
from analysis.extraction import extract
from analysis.factor_minres import minres_stack
from analysis.items import ItemData, MissingPolicy
from analysis.rotation import rotate_stack
from analysis.wording import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Matrix = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Draws made at once: enough to keep the linear algebra busy, few enough to stay in the cache.
BATCH = 250
SAME_FACTOR = 0.85


@dataclass(frozen=True)
class FactorBootstrap:
    """Percentile intervals of a solution.

    Attributes
    ----------
    solution : of the data as they are
    loadings_low, loadings_high, loadings_se : (p, k)
    phi_low, phi_high : (k, k)
    congruence : (k,), mean Tucker's congruence of each factor with its counterpart in the draws
    draws, used : asked for; that could be fitted and settled
    heywood : used draws with a communality at its limit
    seed : of numpy's default generator; the same seed gives the same intervals
    """

    solution: FactorSolution
    loadings_low: Matrix
    loadings_high: Matrix
    loadings_se: Matrix
    phi_low: Matrix
    phi_high: Matrix
    congruence: Matrix
    draws: int
    used: int
    heywood: int
    seed: int
    confidence: float
    warnings: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """One row a loading: item, factor, estimate, low, high, standard error."""
        solution = self.solution
        return pd.DataFrame(
            [
                {
                    "item": item,
                    "factor": factor,
                    "loading": solution.loadings[i, j],
                    "low": self.loadings_low[i, j],
                    "high": self.loadings_high[i, j],
                    "se": self.loadings_se[i, j],
                }
                for i, item in enumerate(solution.items)
                for j, factor in enumerate(solution.factors)
            ]
        )

    def correlations(self) -> pd.DataFrame:
        """One row a pair of factors: estimate, low, high."""
        solution = self.solution
        rows = [
            {
                "first": solution.factors[i],
                "second": solution.factors[j],
                "phi": solution.phi[i, j],
                "low": self.phi_low[i, j],
                "high": self.phi_high[i, j],
            }
            for i in range(len(solution.factors))
            for j in range(i + 1, len(solution.factors))
        ]
        return pd.DataFrame(rows, columns=["first", "second", "phi", "low", "high"])

    def summary(self) -> str:
        """How many draws, and whether the factors were found again."""
        found = ", ".join(f"{value:.2f}" for value in self.congruence)
        return (
            f"{self.confidence:.0%} percentile intervals of {self.used} of {self.draws} draws "
            f"(seed {self.seed}); mean congruence of the factors with those of the draws: {found}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON."""
        return {
            "draws": self.draws,
            "used": self.used,
            "heywood": self.heywood,
            "seed": self.seed,
            "confidence": self.confidence,
            "loadings_low": self.loadings_low.tolist(),
            "loadings_high": self.loadings_high.tolist(),
            "phi_low": self.phi_low.tolist(),
            "phi_high": self.phi_high.tolist(),
            "congruence": self.congruence.tolist(),
        }

    def plot(self, note: str = "") -> Figure:
        """Loadings with their intervals."""
        from analysis.factor_charts import intervals

        return intervals(self, note)


@dataclass(frozen=True)
class _Draws:
    loadings: Matrix
    phi: Matrix
    communalities: Matrix


def bootstrap_factors(
    data: ItemData,
    factors: int,
    *,
    seed: int,
    draws: int = 1000,
    method: str = "minres",
    rotation: str = "oblimin",
    target: Matrix | None = None,
    cor: Kind = "pearson",
    within: bool = True,
    na: MissingPolicy | None = None,
    confidence: float = 0.95,
    progress: Callable[[int], None] = lambda done: None,
) -> FactorBootstrap:
    """Percentile intervals by drawing people with replacement, within conditions where there are any.

    Pearson correlations of complete rows with minres are made, fitted and rotated many draws at once;
    other kinds go one by one. Draws that cannot be fitted or do not settle are left out and counted.

    Parameters
    ----------
    data : the answers
    factors, method, rotation, target : see :func:`analysis.efa.efa`
    seed, draws : of the resampling
    cor, within, na : see :func:`analysis.correlation.correlate`
    confidence : of the intervals
    progress : told the number of draws made since it was last told

    Raises
    ------
    TooFewData : fewer than 50 draws asked for, or fewer than half of them usable
    AnalysisError : of the data as they are, see :func:`analysis.efa.efa` and
        :func:`analysis.correlation.correlate`

    References
    ----------
    Efron & Tibshirani 1993, An introduction to the bootstrap (percentile interval).
    R: ``psych::fa(d, k, n.iter=1000)``, which turns draws by ``target.rot`` and gives normal intervals.

    Examples
    --------
    >>> from analysis.items import items_of
    >>> draws = np.random.default_rng(1).standard_normal((300, 5))
    >>> data = items_of(pd.DataFrame(draws[:, :4] + draws[:, 4:], columns=list("abcd")))
    >>> found = bootstrap_factors(data, 1, seed=3, draws=100)
    >>> found.used, bool((found.loadings_low < found.solution.loadings).all())
    (100, True)
    """
    if draws < 50:
        raise TooFewData(f"{draws} draws do not show the ends of an interval; ask for 50, better 1000")
    correlation = correlate(data, cor, within=within, na=na)
    solution = efa_of(correlation, factors, method=method, rotation=rotation, target=target)
    generator = np.random.default_rng(seed)
    grouped = within and data.groups is not None
    batched = cor == "pearson" and (correlation.na == "listwise" or not np.isnan(data.values).any())
    maker = _Products(data, grouped) if batched else _OneByOne(data, grouped, cor, within, correlation.na)
    parts: list[_Draws] = []
    for start in range(0, draws, BATCH):
        size = min(BATCH, draws - start)
        parts.append(_fitted(maker.correlations(size, generator), factors, method, rotation, target))
        progress(size)
    loadings = np.concatenate([part.loadings for part in parts])
    phi = np.concatenate([part.phi for part in parts])
    communalities = np.concatenate([part.communalities for part in parts])
    used = len(loadings)
    if used < draws / 2:
        raise TooFewData(
            f"only {used} of {draws} draws could be fitted: the data do not carry "
            f"{counted(factors, 'factor')}; ask "
            "for fewer, or for fewer items"
        )
    aligned = align(loadings, phi, solution.loadings)
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    low, high = np.quantile(aligned.loadings, tails, axis=0)
    phi_low, phi_high = np.quantile(aligned.phi, tails, axis=0)
    congruence = aligned.congruence.mean(axis=0)
    heywood = int((communalities.max(axis=1) >= HEYWOOD - 1e-6).sum())
    return FactorBootstrap(
        solution, low, high, aligned.loadings.std(axis=0, ddof=1), phi_low, phi_high, congruence, draws, used,
        heywood, seed, confidence, tuple(_oddities(solution, congruence, draws, used, heywood)),
    )  # fmt: skip


def _oddities(solution: FactorSolution, congruence: Matrix, draws: int, used: int, heywood: int) -> list[str]:
    told = []
    if used < draws:
        told.append(f"bootstrap: {draws - used} of {draws} draws could not be fitted and are left out")
    if heywood:
        told.append(f"bootstrap: {heywood} of {used} draws were Heywood cases, with loadings at their limit")
    lost = [name for name, c in zip(solution.factors, congruence, strict=True) if c < SAME_FACTOR]
    if lost:
        told.append(
            f"unstable factor: {', '.join(lost)} is not found again in the draws (mean congruence below "
            f"{SAME_FACTOR:.2f}), so that its intervals mix different factors"
        )
    return told


def _fitted(correlations: Matrix, factors: int, method: str, rotation: str, target: Matrix | None) -> _Draws:
    if method == "minres":
        found = minres_stack(correlations, factors)
        loadings, settled = found.loadings, found.converged
    else:
        each = [extract(one, factors, method) for one in correlations]
        loadings = np.array([one.loadings for one in each]).reshape(-1, correlations.shape[1], factors)
        settled = np.array([one.converged for one in each], dtype=bool)
    turned = rotate_stack(loadings, rotation, target=target)
    kept = settled & turned.converged
    communalities = (loadings**2).sum(axis=2)
    return _Draws(turned.loadings[kept], turned.phi[kept], communalities[kept])


class _Products:
    """Correlations of many draws at once: a draw is how often each person is in it.

    Sums of products over a draw are that count times each person's own products, so that all draws are
    one matrix product.
    """

    def __init__(self, data: ItemData, grouped: bool) -> None:
        complete = data.complete()
        values = complete.values
        members = list(complete.group_members().values()) if grouped else [np.arange(len(values))]
        # Centred once: products of large numbers would lose the digits that matter.
        self.groups = [values[rows] - values[rows].mean(axis=0) for rows in members if len(rows) > 1]
        self.upper = np.triu_indices(values.shape[1])
        self.products = [group[:, self.upper[0]] * group[:, self.upper[1]] for group in self.groups]

    def correlations(self, size: int, generator: np.random.Generator) -> Matrix:
        p = self.groups[0].shape[1]
        sums = np.zeros((size, len(self.upper[0])))
        for values, products in zip(self.groups, self.products, strict=True):
            n = len(values)
            drawn = generator.integers(0, n, size=(size, n)) + n * np.arange(size)[:, np.newaxis]
            counts = np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n).astype(float)
            totals = counts @ values
            sums += counts @ products - totals[:, self.upper[0]] * totals[:, self.upper[1]] / n
        made = np.empty((size, p, p))
        made[:, self.upper[0], self.upper[1]] = sums
        made[:, self.upper[1], self.upper[0]] = sums
        spread = np.sqrt(np.maximum(np.diagonal(made, axis1=1, axis2=2), 0))
        sound = spread.min(axis=1) > 1e-8
        made, spread = made[sound], spread[sound]
        made /= spread[:, :, np.newaxis] * spread[:, np.newaxis, :]
        made[:, np.arange(p), np.arange(p)] = 1.0
        return np.asarray(made[np.linalg.eigvalsh(made)[:, 0] > 1e-10], dtype=float)


class _OneByOne:
    """Correlations of draws that have to be made one by one."""

    def __init__(self, data: ItemData, grouped: bool, cor: Kind, within: bool, na: MissingPolicy) -> None:
        self.data = data.complete() if na == "listwise" else data
        self.members = list(self.data.group_members().values()) if grouped else [np.arange(self.data.n)]
        self.cor, self.within, self.na = cor, within, na

    def correlations(self, size: int, generator: np.random.Generator) -> Matrix:
        p = len(self.data.names)
        made: list[Matrix] = []
        for _ in range(size):
            drawn = [rows[generator.integers(0, len(rows), len(rows))] for rows in self.members]
            people = self.data.take(np.concatenate(drawn))
            try:
                made.append(correlate(people, self.cor, within=self.within, na=self.na).matrix)
            except AnalysisError:
                # Such a draw (an item nobody varied in) is no sample of the analysis; the count says so.
                continue
        return np.array(made).reshape(-1, p, p)
