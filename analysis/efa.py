"""Exploratory factor analysis with a result that is right also for oblique factors.

factor-analyzer finds the loadings; its ``phi_``, communalities and signs are not used (its factors are
sorted without sorting phi, and its communalities assume orthogonal factors).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.extraction import check, extract
from analysis.factor_fit import FactorFit, fit_of
from analysis.rotation import rotate
from analysis.wording import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from analysis.correlation import Correlation

Matrix = NDArray[np.float64]
HEYWOOD = 0.995  # the largest communality the optimiser allows
SALIENT = 0.3
WEAK = "weak factor: "


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
    fit : chi-square, RMSEA, TLI, RMSR, BIC
    correlation : (p, p), what was factored
    n : sample size the fit rests on (df + 1 within conditions)
    cor, basis : kind of correlations, and whether within conditions; "" for a bare matrix
    converged : extraction and rotation both settled
    heywood : items whose communality reached its limit: the solution is improper
    warnings : named oddities, each with its place and a way out
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
    fit: FactorFit
    correlation: Matrix
    n: int
    cor: str
    basis: str
    converged: bool
    heywood: tuple[str, ...]
    warnings: tuple[str, ...]
    method: str
    rotation: str

    @property
    def df(self) -> int:
        """p(p-1)/2 - pk + k(k-1)/2."""
        return self.fit.df

    @property
    def rmsr(self) -> float:
        """Root mean square of the off-diagonal residuals."""
        return self.fit.rmsr

    @property
    def structure(self) -> Matrix:
        """(p, k) correlations of items with factors, L phi."""
        return self.loadings @ self.phi

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

    def correlations(self) -> pd.DataFrame:
        """One row a factor: its correlations with the others."""
        table = pd.DataFrame(self.phi, columns=list(self.factors))
        table.insert(0, "factor", list(self.factors))
        return table

    def reordered(self, order: list[int], names: tuple[str, ...]) -> FactorSolution:
        """The same solution with factors in another order and under other names."""
        index = np.array(order)
        told = [text for text in self.warnings if not text.startswith(WEAK)]
        return replace(
            self,
            warnings=(*told, *_weak(self.loadings[:, index], names)),
            loadings=self.loadings[:, index],
            phi=self.phi[np.ix_(index, index)],
            sum_of_squares=self.sum_of_squares[index],
            share_of_total=self.share_of_total[index],
            share_of_explained=self.share_of_explained[index],
            factors=names,
        )

    def summary(self) -> str:
        """Shares and size in one line."""
        total = ", ".join(f"{share:.0%}" for share in self.share_of_total)
        explained = ", ".join(f"{share:.0%}" for share in self.share_of_explained)
        return (
            f"{counted(len(self.factors), 'factor')}, {self.method} + {self.rotation}, n = {self.n}: "
            f"{total} of total variance, {explained} of explained variance; RMSR = {self.rmsr:.3f}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON: loadings are items by factors."""
        return {
            "converged": self.converged,
            "heywood": list(self.heywood),
            "warnings": list(self.warnings),
            "n": self.n,
            "items": list(self.items),
            "factors": list(self.factors),
            "loadings": self.loadings.tolist(),
            "phi": self.phi.tolist(),
            "communalities": self.communalities.tolist(),
            "variance_total": self.share_of_total.tolist(),
            "variance_explained": self.share_of_explained.tolist(),
            "fit": self.fit.to_dict(),
        }

    def plot(self, note: str = "") -> Figure:
        """The loadings as a table of shades."""
        from analysis.factor_charts import loadings

        return loadings(self, note)


def efa(
    correlation: Matrix,
    n: int,
    factors: int,
    *,
    items: tuple[str, ...],
    method: str = "minres",
    rotation: str = "oblimin",
    target: Matrix | None = None,
) -> FactorSolution:
    r"""Factor analysis of a correlation matrix.

    After rotation, :math:`\Phi` is the least-squares solution of :math:`L \Phi = S` (S the structure
    matrix), which belongs to the columns of L whatever their order; communalities are
    :math:`\mathrm{diag}(L \Phi L^\top)`.

    Parameters
    ----------
    correlation : (p, p), positive definite
    n : sample size (df + 1 for a within-condition matrix)
    factors : k, small enough to leave df >= 0
    items : p names
    method : ``"minres"``, ``"ml"`` or ``"pa"`` (see :func:`analysis.extraction.extract`)
    rotation : see :func:`analysis.rotation.rotate_stack`; one factor is not rotated
    target : (p, k) for the target rotations, nan where free; its columns keep their order in the result

    Raises
    ------
    TooManyFactors : the model has fewer correlations than parameters
    TooFewData : not more people than items
    NotPositiveDefinite : the matrix has an eigenvalue of zero or less
    UnknownMethod, UnusableRotation : naming those there are

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
    correlation = np.asarray(correlation, dtype=float)
    check(correlation, n, factors, items)
    found = extract(correlation, factors, method)
    turned = rotate(found.loadings, rotation, target=target)
    loadings, phi = _in_order(turned.loadings, turned.phi, keep=target is not None)
    common = loadings @ phi @ loadings.T
    communalities = np.diag(common).copy()
    squares = np.diag(phi @ loadings.T @ loadings).copy()
    fit = fit_of(correlation, common, n, factors)
    names = tuple(f"factor {number + 1}" for number in range(factors))
    heywood = tuple(item for item, h in zip(items, communalities, strict=True) if h >= HEYWOOD - 1e-6)
    return FactorSolution(
        loadings=loadings,
        phi=phi,
        communalities=communalities,
        uniquenesses=1 - communalities,
        sum_of_squares=squares,
        share_of_total=squares / len(items),
        share_of_explained=squares / squares.sum(),
        items=items,
        factors=names,
        fit=fit,
        correlation=correlation,
        n=n,
        cor="",
        basis="",
        converged=found.converged and bool(turned.converged),
        heywood=heywood,
        warnings=(
            *_oddities(fit, heywood, found.told, bool(turned.converged), rotation),
            *_weak(loadings, names),
        ),
        method=method,
        rotation=rotation if factors > 1 else "none",
    )


def efa_of(
    correlation: Correlation,
    factors: int,
    *,
    method: str = "minres",
    rotation: str = "oblimin",
    target: Matrix | None = None,
) -> FactorSolution:
    """Factor analysis of what :func:`analysis.correlation.correlate` made; its warnings go along.

    Examples
    --------
    >>> from analysis.correlation import correlate
    >>> from analysis.items import items_of
    >>> draws = np.random.default_rng(1).standard_normal((300, 5))
    >>> frame = pd.DataFrame(draws[:, :4] + draws[:, 4:], columns=list("abcd"))
    >>> efa_of(correlate(items_of(frame)), 1).n
    300
    """
    made = efa(
        correlation.matrix,
        correlation.n,
        factors,
        items=correlation.names,
        method=method,
        rotation=rotation,
        target=target,
    )
    return replace(
        made,
        cor=correlation.kind,
        basis=correlation.basis,
        warnings=(*correlation.warnings, *made.warnings),
    )


def _in_order(loadings: Matrix, phi: Matrix, *, keep: bool) -> tuple[Matrix, Matrix]:
    """Positive column sums and falling sums of squares, as psych; a target keeps its own columns."""
    # phi from the structure matrix, so that it belongs to the columns whatever is done to them.
    solved = np.asarray(np.linalg.lstsq(loadings, loadings @ phi, rcond=None)[0], dtype=float)
    phi = (solved + solved.T) / 2
    if keep:
        return loadings, phi
    signs = np.where(loadings.sum(axis=0) < 0, -1.0, 1.0)
    loadings, phi = loadings * signs, phi * np.outer(signs, signs)
    order = np.argsort(-np.diag(phi @ loadings.T @ loadings), kind="stable")
    return loadings[:, order], phi[np.ix_(order, order)]


def _oddities(fit: FactorFit, heywood: tuple[str, ...], told: str, settled: bool, rotation: str) -> list[str]:
    found = []
    if told:
        found.append(f"no convergence: the extraction did not settle ({told}); try another method")
    if not settled:
        found.append(f"no convergence: the {rotation} rotation did not settle; try another rotation")
    if heywood:
        found.append(
            f"Heywood case: the communality of {', '.join(heywood)} reached its limit, the solution is "
            "improper; ask for fewer factors or leave the item out"
        )
    if fit.df == 0:
        found.append("saturated model: df = 0, so that fit cannot be tested; ask for fewer factors")
    if fit.objective is None:
        found.append(
            "improper model: its correlation matrix is not positive definite, so that there is no "
            "chi-square, RMSEA, TLI or BIC"
        )
    return found


def _weak(loadings: Matrix, names: tuple[str, ...]) -> list[str]:
    salient = (np.abs(loadings) >= SALIENT).sum(axis=0)
    return [
        f"{WEAK}{name} has {counted(int(count), 'item')} loading .30 or more, fewer than "
        "the three that fix a factor"
        for name, count in zip(names, salient, strict=True)
        if count < 3
    ]
