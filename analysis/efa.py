"""Exploratory factor analysis (minres, oblimin) with a result that is right also for oblique factors.

factor-analyzer finds the loadings; its ``phi_``, communalities and signs are not used (its factors are
sorted without sorting phi, and its communalities assume orthogonal factors).
"""

from __future__ import annotations

import warnings as python_warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.errors import NotPositiveDefinite, TooFewData

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Matrix = NDArray[np.float64]
HEYWOOD = 0.995  # the largest communality the optimiser allows


@dataclass(frozen=True)
class FactorSolution:
    """Loadings, factor correlations and what is explained.

    Attributes
    ----------
    loadings : (p, k) pattern coefficients; factors in falling order of sum of squares, column sums positive
    phi : (k, k) factor correlations
    communalities, uniquenesses : (p,), diag(L phi L') and one minus it
    sum_of_squares : (k,), diag(phi L'L); over all factors this is the sum of the communalities
    share_of_total : sum of squares over p: the share of the items' *total* variance
    share_of_explained : sum of squares over their sum: the share of the *explained* variance
    rmsr : root mean square of the off-diagonal residuals
    df : p(p-1)/2 - pk + k(k-1)/2
    heywood : items whose communality reached its limit: the solution is improper
    """

    loadings: Matrix
    phi: Matrix
    communalities: Matrix
    uniquenesses: Matrix
    sum_of_squares: Matrix
    share_of_total: Matrix
    share_of_explained: Matrix
    items: tuple[str, ...]
    factors: tuple[str, ...]
    n: int
    df: int
    rmsr: float
    heywood: tuple[str, ...]
    warnings: tuple[str, ...]
    method: str
    rotation: str

    def to_frame(self) -> pd.DataFrame:
        """One row an item: loadings, communality, uniqueness."""
        table = pd.DataFrame(self.loadings, columns=list(self.factors))
        table.insert(0, "item", list(self.items))
        table["communality"] = self.communalities
        table["uniqueness"] = self.uniquenesses
        return table

    def variance(self) -> pd.DataFrame:
        """One row a factor: sum of squares and both shares of variance under their names."""
        return pd.DataFrame(
            {
                "factor": list(self.factors),
                "sum_of_squares": self.sum_of_squares,
                "share_of_total_variance": self.share_of_total,
                "share_of_explained_variance": self.share_of_explained,
            }
        )

    def reordered(self, order: list[int], names: tuple[str, ...]) -> FactorSolution:
        """The same solution with factors in another order and under other names."""
        index = np.array(order)
        return FactorSolution(
            self.loadings[:, index],
            self.phi[np.ix_(index, index)],
            self.communalities,
            self.uniquenesses,
            self.sum_of_squares[index],
            self.share_of_total[index],
            self.share_of_explained[index],
            self.items,
            names,
            self.n,
            self.df,
            self.rmsr,
            self.heywood,
            self.warnings,
            self.method,
            self.rotation,
        )

    def summary(self) -> str:
        """Shares and size in one line."""
        total = ", ".join(f"{share:.0%}" for share in self.share_of_total)
        explained = ", ".join(f"{share:.0%}" for share in self.share_of_explained)
        return (
            f"{len(self.factors)} factor(s), {self.method} + {self.rotation}, n = {self.n}: "
            f"{total} of total variance, {explained} of explained variance; RMSR = {self.rmsr:.3f}"
        )

    def plot(self, note: str = "") -> Figure:
        """The loadings as a table of shades."""
        from analysis.factor_charts import loadings

        return loadings(self, note)


def efa(
    correlation: Matrix, n: int, factors: int, *, items: tuple[str, ...], rotation: str = "oblimin"
) -> FactorSolution:
    r"""Minimum residual factor analysis of a correlation matrix.

    Minimises :math:`\sum_{i<j} (r_{ij} - \hat r_{ij})^2` over the uniquenesses. After rotation
    :math:`\Phi` is the least-squares solution of :math:`L \Phi = S` (S the structure matrix), which
    belongs to the columns of L whatever their order.

    Parameters
    ----------
    correlation : (p, p), positive definite
    n : sample size (df + 1 for a within-condition matrix)
    factors : k, small enough to leave df >= 0
    items : p names
    rotation : ``"oblimin"`` or ``"none"``

    Raises
    ------
    TooFewData : the model has fewer correlations than parameters
    NotPositiveDefinite : the matrix has an eigenvalue of zero or less

    References
    ----------
    Harman & Jones 1966, doi 10.1007/BF02289468; Jennrich & Sampson 1966, doi 10.1007/BF02289465.
    R: ``psych::fa(R, k, fm="minres", rotate="oblimin", n.obs=n)``.

    Examples
    --------
    >>> r = np.full((4, 4), 0.49) + 0.51 * np.eye(4)
    >>> efa(r, 100, 1, items=("a", "b", "c", "d")).loadings.round(3)[:, 0].tolist()
    [0.7, 0.7, 0.7, 0.7]
    """
    p = len(items)
    df = p * (p - 1) // 2 - p * factors + factors * (factors - 1) // 2
    if factors < 1 or df < 0:
        raise TooFewData(f"{p} items cannot hold {factors} factor(s): df = {df}; ask for fewer factors")
    if float(np.linalg.eigvalsh(correlation)[0]) <= 1e-10:
        raise NotPositiveDefinite(f"the correlation matrix of {items[0]} to {items[-1]} is singular")
    loadings, structure = _fit(correlation, factors, rotation if factors > 1 else "none")
    phi: Matrix = np.eye(factors)
    if structure is not None:
        phi = np.asarray(np.linalg.lstsq(loadings, structure, rcond=None)[0], dtype=float)
        phi = (phi + phi.T) / 2
    signs = np.where(loadings.sum(axis=0) < 0, -1.0, 1.0)
    loadings, phi = loadings * signs, phi * np.outer(signs, signs)
    order = np.argsort(-np.diag(phi @ loadings.T @ loadings), kind="stable")
    loadings, phi = loadings[:, order], phi[np.ix_(order, order)]
    squares = np.diag(phi @ loadings.T @ loadings).copy()
    common = loadings @ phi @ loadings.T
    communalities = np.diag(common).copy()
    residuals = (correlation - common)[np.triu_indices(p, k=1)]
    heywood = tuple(item for item, h in zip(items, communalities, strict=True) if h >= HEYWOOD - 1e-6)
    told = []
    if heywood:
        told.append(
            f"improper solution: the communality of {', '.join(heywood)} reached its limit (Heywood case)"
        )
    small = [k + 1 for k in range(factors) if int((np.abs(loadings[:, k]) >= 0.3).sum()) < 3]
    if small:
        told.append(f"factor {', '.join(map(str, small))} has fewer than three items loading .30 or more")
    return FactorSolution(
        loadings=loadings,
        phi=phi,
        communalities=communalities,
        uniquenesses=1 - communalities,
        sum_of_squares=squares,
        share_of_total=squares / p,
        share_of_explained=squares / squares.sum(),
        items=items,
        factors=tuple(f"factor {number + 1}" for number in range(factors)),
        n=n,
        df=df,
        rmsr=float(np.sqrt(np.mean(residuals**2))),
        heywood=heywood,
        warnings=tuple(told),
        method="minres",
        rotation=rotation if factors > 1 else "none",
    )


def _fit(correlation: Matrix, factors: int, rotation: str) -> tuple[Matrix, Matrix | None]:
    from factor_analyzer import FactorAnalyzer

    model = FactorAnalyzer(
        n_factors=factors,
        rotation=None if rotation == "none" else rotation,
        method="minres",
        is_corr_matrix=True,
    )
    with python_warnings.catch_warnings():
        # A renamed argument inside factor-analyzer; the lock keeps scikit-learn below its removal.
        python_warnings.filterwarnings("ignore", message=".*force_all_finite.*", category=FutureWarning)
        model.fit(correlation)
    structure = None if rotation == "none" else np.asarray(model.structure_, dtype=float)
    return np.asarray(model.loadings_, dtype=float), structure
