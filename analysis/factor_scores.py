"""Scores of people on factors: regression, Bartlett, ten Berge, Anderson-Rubin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.efa import FactorSolution
from analysis.errors import AnalysisError, NotPositiveDefinite
from analysis.items import ItemData
from analysis.wording import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Matrix = NDArray[np.float64]

SCORE_METHODS = ("regression", "bartlett", "tenberge", "anderson")


class UnknownScore(AnalysisError):
    """A way of scoring there is not."""


@dataclass(frozen=True)
class FactorScores:
    """Scores and how well they stand for the factors.

    Attributes
    ----------
    values : (n, k), NaN where a person left an item out
    weights : (p, k), of standardised items
    determinacy : (k,), squared correlation of each estimate with its factor
    rows : where each person stands in the data
    """

    values: Matrix
    weights: Matrix
    determinacy: Matrix
    factors: tuple[str, ...]
    items: tuple[str, ...]
    rows: tuple[str, ...]
    method: str
    warnings: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """One row a person, one column a factor."""
        table = pd.DataFrame(self.values, columns=list(self.factors))
        table.insert(0, "row", list(self.rows))
        return table

    def summary(self) -> str:
        """Method, people and determinacy in one line."""
        scored = int((~np.isnan(self.values[:, 0])).sum())
        told = ", ".join(f"{name} {r:.2f}" for name, r in zip(self.factors, self.determinacy, strict=True))
        return f"{self.method} scores of {scored} people; squared correlation with the factor: {told}"

    def plot(self, note: str = "") -> Figure:
        """The distribution of each factor's scores."""
        from analysis.factor_charts import score_histograms

        return score_histograms(self, note)


def score_weights(solution: FactorSolution, method: str = "regression") -> Matrix:
    r"""Weights of standardised items, (p, k).

    With S = L phi the structure, U the diagonal matrix of uniquenesses and R the correlations:

    ==============  ===========================================================================
    ``regression``  :math:`R^{-1} S` (Thurstone)
    ``bartlett``    :math:`U^{-1} L (L^\top U^{-1} L)^{-1}`
    ``tenberge``    :math:`R^{-1/2} C \Phi^{1/2}`, :math:`C = R^{-1/2} M (M^\top R^{-1} M)^{-1/2}`,
                    :math:`M = L \Phi^{1/2}`: scores correlate as the factors do
    ``anderson``    :math:`U^{-1} L (L^\top U^{-1} R U^{-1} L)^{-1/2}`: scores do not correlate
    ==============  ===========================================================================

    Raises
    ------
    UnknownScore : naming the methods there are
    NotPositiveDefinite : Bartlett or Anderson with a uniqueness of zero or less (Heywood case)

    References
    ----------
    ten Berge, Krijnen, Wansbeek & Shapiro 1999, doi 10.1016/S0024-3795(97)10007-6.
    R: ``psych::factor.scores(x, f, method="Thurstone"|"Bartlett"|"tenBerge"|"Anderson")$weights``.

    Examples
    --------
    >>> from analysis.efa import efa
    >>> r = np.full((4, 4), 0.49) + 0.51 * np.eye(4)
    >>> found = efa(r, 100, 1, items=("a", "b", "c", "d"))
    >>> score_weights(found, "tenberge").round(3)[:, 0].tolist()
    [0.318, 0.318, 0.318, 0.318]
    """
    loadings, phi, correlation = solution.loadings, solution.phi, solution.correlation
    if method not in SCORE_METHODS:
        raise UnknownScore(f"no factor scores {method!r}; there are: {', '.join(SCORE_METHODS)}")
    if method == "regression":
        return np.asarray(np.linalg.solve(correlation, loadings @ phi), dtype=float)
    if method == "tenberge":
        half = _power(phi, 0.5)
        root = _power(correlation, -0.5)
        spread = loadings @ half
        inner = _power(spread.T @ np.linalg.solve(correlation, spread), -0.5)
        return root @ (root @ spread @ inner) @ half
    if float(solution.uniquenesses.min()) <= 0:
        item = solution.items[int(solution.uniquenesses.argmin())]
        raise NotPositiveDefinite(
            f"{method} scores divide by uniquenesses, and that of {item!r} is not above zero (Heywood case); "
            "use regression scores, or leave the item out"
        )
    scaled = loadings / solution.uniquenesses[:, np.newaxis]
    if method == "bartlett":
        return np.asarray(scaled @ np.linalg.inv(loadings.T @ scaled), dtype=float)
    return scaled @ _power(scaled.T @ correlation @ scaled, -0.5)


def factor_scores(solution: FactorSolution, data: ItemData, method: str = "regression") -> FactorScores:
    """Scores of the people of a data set, items matched by name.

    Items are standardised by their mean and standard deviation (n - 1). Where the solution rests on
    correlations within conditions, the deviation is that within conditions and the mean that of
    everybody, so that conditions may differ in their scores.

    Parameters
    ----------
    solution : from :func:`analysis.efa.efa_of` on the same items
    data : the answers; a person with a missing answer gets no score

    Raises
    ------
    UnknownName : an item of the solution is not in the data
    UnknownScore, NotPositiveDefinite : see :func:`score_weights`

    Examples
    --------
    >>> from analysis.correlation import correlate
    >>> from analysis.efa import efa_of
    >>> from analysis.items import items_of
    >>> draws = np.random.default_rng(1).standard_normal((300, 5))
    >>> data = items_of(pd.DataFrame(draws[:, :4] + draws[:, 4:], columns=list("abcd")))
    >>> factor_scores(efa_of(correlate(data), 1), data).values.shape
    (300, 1)
    """
    used = data.select(solution.items)
    weights = score_weights(solution, method)
    complete = np.asarray(~np.isnan(used.values).any(axis=1), dtype=bool)
    values = used.values[complete]
    centred = values - values.mean(axis=0)
    spread, df = centred, len(values) - 1
    if used.groups is not None and solution.basis.startswith("within"):
        members = used.take(complete).group_members()
        spread = np.vstack([values[rows] - values[rows].mean(axis=0) for rows in members.values()])
        df = len(values) - len(members)
    scale = np.sqrt((spread**2).sum(axis=0) / df)
    made = np.full((used.n, weights.shape[1]), np.nan)
    made[complete] = centred / scale @ weights
    covariance = weights.T @ solution.correlation @ weights
    determinacy = np.diag(weights.T @ solution.structure) ** 2 / np.diag(covariance)
    told = []
    if not complete.all():
        told.append(
            f"missing answers: {counted(int((~complete).sum()), 'person')} left an item out and have no score"
        )
    weak = [name for name, r in zip(solution.factors, determinacy, strict=True) if r < 0.8]
    if weak:
        told.append(
            f"undetermined scores: {', '.join(weak)} and its scores share less than 80 % of their variance"
        )
    return FactorScores(
        made, weights, determinacy, solution.factors, solution.items, used.rows, method, tuple(told)
    )


def _power(matrix: Matrix, power: float) -> Matrix:
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray(vectors * values**power @ vectors.T, dtype=float)
