"""Reliability of a scale: alpha with Feldt's interval, Guttman's bounds, omegas, and what each item does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from analysis.correlation import Covariance
from analysis.dimensionality import one_factor
from analysis.errors import TooFewData
from analysis.extraction import degrees_of_freedom, extract
from analysis.schmid_leiman import SchmidLeiman, schmid_leiman
from analysis.split_half import SplitHalf, split_half

Matrix = NDArray[np.float64]

# From where on items say the same thing in other words rather than different things of one trait.
REPEATED_PAIR = 0.85
REPEATED_ON_AVERAGE = 0.70
# Few items, or no degrees of freedom, are a matter of course where one factor of a short scale is extracted.
WRONG_EVEN_FOR_ONE_FACTOR = ("Heywood case", "no convergence", "improper", "turned for the omegas")


@dataclass(frozen=True)
class Reliability:
    """Alpha, omega and their company, of one set of items.

    Attributes
    ----------
    alpha, alpha_low, alpha_high : Cronbach's, with Feldt's interval
    alpha_se : standard error of alpha (Duhachek & Iacobucci)
    standardised_alpha, mean_r, g6 : of the correlations; g6 is Guttman's lambda 6
    alpha_if_dropped, item_rest : by item
    omega_total : None where a one-factor model has no degrees of freedom left to find loadings (two
        items); ``warnings`` says so
    general : the Schmid-Leiman solution behind the omegas; None with two items
    halves : split halves
    factors : group factors the omegas rest on
    glb : greatest lower bound, by communalities of as many factors as the reduced matrix has positive
        eigenvalues (as psych's ``glb.fa``); None with two items
    """

    alpha: float
    alpha_low: float
    alpha_high: float
    standardised_alpha: float
    omega_total: float | None
    items: tuple[str, ...]
    n: int
    basis: str
    confidence: float
    warnings: tuple[str, ...]
    alpha_se: float
    mean_r: float
    g6: float
    alpha_if_dropped: dict[str, float]
    item_rest: dict[str, float]
    general: SchmidLeiman | None
    halves: SplitHalf
    factors: int
    glb: float | None

    @property
    def omega_hierarchical(self) -> float | None:
        """Share of the general factor; None where there are no group factors beside it."""
        return self.general.omega_hierarchical if self.general and self.factors > 1 else None

    def to_frame(self) -> pd.DataFrame:
        """One row."""
        return pd.DataFrame(
            [
                {
                    "items": len(self.items),
                    "n": self.n,
                    "alpha": self.alpha,
                    "alpha_low": self.alpha_low,
                    "alpha_high": self.alpha_high,
                    "omega_total": self.omega_total,
                    "basis": self.basis,
                    "warnings": "; ".join(self.warnings),
                }
            ]
        )

    def items_frame(self) -> pd.DataFrame:
        """One row an item: correlation with the rest, and alpha without it."""
        return pd.DataFrame(
            {
                "item": list(self.items),
                "item_rest": [self.item_rest[item] for item in self.items],
                "alpha_if_dropped": [self.alpha_if_dropped.get(item) for item in self.items],
            }
        )

    def summary(self) -> str:
        """Alpha with its interval and omega total."""
        omega = "not defined" if self.omega_total is None else f"{self.omega_total:.3f}"
        return (
            f"alpha = {self.alpha:.3f} [{self.alpha_low:.3f}, {self.alpha_high:.3f}], omega total = {omega} "
            f"({len(self.items)} items, {self.basis})"
        )

    def sentence(self) -> str:
        """The result as APA style prints it."""
        level = f"{self.confidence * 100:g}% CI"
        text = (
            f"Internal consistency of the {len(self.items)} items was α = {_bare(self.alpha)}, "
            f"{level} [{_bare(self.alpha_low)}, {_bare(self.alpha_high)}]"
        )
        if self.omega_total is not None:
            text += f", ωₜ = {_bare(self.omega_total)}"
        if self.omega_hierarchical is not None:
            text += f", ωₕ = {_bare(self.omega_hierarchical)}"
        where = "" if self.basis == "one group" else f", {self.basis}"
        return f"{text} (N = {self.n}{where})."


def reliability(
    covariance: Covariance, *, factors: int = 1, confidence: float = 0.95, method: str = "minres"
) -> Reliability:
    r"""Cronbach's alpha with Feldt's interval, Guttman's lambdas, split halves and the omegas.

    .. math:: \alpha = \frac{k}{k-1}\left(1 - \frac{\sum s_i^2}{\sum\sum s_{ij}}\right), \quad
              \omega_t = 1 - \frac{\sum u_i^2}{\sum\sum r_{ij}}, \quad
              \lambda_6 = 1 - \frac{\sum (1 - R_i^2)}{\sum\sum r_{ij}}

    with u² the uniquenesses of a factor solution of the correlations. Feldt's interval uses
    (1 - alpha) over its estimate as F with df and df(k-1) degrees of freedom, df = n - 1 (or N - G).

    Parameters
    ----------
    covariance : items already reversed where they are keyed negatively
    factors : group factors the omegas rest on; 1 for a unidimensional scale
    confidence : of Feldt's interval
    method : extraction of the factors, ``"minres"``, ``"ml"`` or ``"pa"``

    Raises
    ------
    TooFewData : fewer than two items, or too few for so many factors

    References
    ----------
    Feldt 1965, doi 10.1007/BF02289499; Guttman 1945, doi 10.1007/BF02288892; Duhachek & Iacobucci 2004,
    doi 10.1037/0021-9010.89.5.792; McDonald 1999, Test theory (omega).
    R: ``psych::alpha(d)``, ``psych::omega(d, nfactors = k)``, ``psych::glb.fa(cor(d))$glb``.

    Examples
    --------
    >>> import pandas as pd
    >>> from analysis.correlation import covariance
    >>> d = pd.DataFrame({"a": [1, 2, 3, 4, 5], "b": [2, 1, 4, 3, 5], "c": [1, 3, 3, 5, 5]})
    >>> found = reliability(covariance(d))
    >>> round(found.alpha, 3), round(found.item_rest["a"], 3)
    (0.909, 0.988)
    """
    k = len(covariance.items)
    if k < 2:
        raise TooFewData(f"reliability needs two items or more; {', '.join(covariance.items)} is one")
    matrix, correlation, df = covariance.matrix, covariance.correlation, covariance.df
    alpha = _alpha(matrix)
    mean_r = (float(correlation.sum()) - k) / (k * (k - 1))
    tail = (1 - confidence) / 2
    low = 1 - (1 - alpha) * float(stats.f.ppf(1 - tail, df, df * (k - 1)))
    high = 1 - (1 - alpha) * float(stats.f.ppf(tail, df, df * (k - 1)))
    told = list(covariance.warnings)
    rest = item_rest(matrix, covariance.items)
    backwards = [item for item, value in rest.items() if value < 0]
    if backwards:
        told.append(f"{', '.join(backwards)} runs against the other items (keyed the wrong way?)")
    general: SchmidLeiman | None = None
    if k == 2:
        told.append("two items: omega is not defined, alpha is their Spearman-Brown bound")
    else:
        general = schmid_leiman(correlation, covariance.n, factors, items=covariance.items, method=method)
        told += [w for w in general.warnings if factors > 1 or w.startswith(WRONG_EVEN_FOR_ONE_FACTOR)]
    dropped = _alpha_if_dropped(matrix, covariance.items)
    told += _repetition(alpha, correlation, covariance.items, dropped)
    smc = 1 - 1 / np.diag(np.linalg.inv(correlation))
    return Reliability(
        alpha=alpha,
        alpha_low=low,
        alpha_high=high,
        standardised_alpha=k * mean_r / (1 + (k - 1) * mean_r),
        omega_total=None if general is None else general.omega_total,
        items=covariance.items,
        n=covariance.rows,
        basis=covariance.basis,
        confidence=confidence,
        warnings=tuple(told),
        alpha_se=_standard_error(matrix, covariance.n),
        mean_r=mean_r,
        g6=1 - (k - float(smc.sum())) / float(correlation.sum()),
        alpha_if_dropped=dropped,
        item_rest=rest,
        general=general,
        halves=split_half(correlation, covariance.items),
        factors=factors,
        glb=_greatest_lower_bound(correlation) if k > 2 else None,
    )


def _greatest_lower_bound(correlation: Matrix) -> float:
    p = correlation.shape[0]
    reduced = correlation.copy()
    np.fill_diagonal(reduced, one_factor(correlation[np.newaxis])[0] ** 2)
    factors = max(1, int((np.linalg.eigvalsh(reduced) > 0).sum()))
    while degrees_of_freedom(p, factors) < 0:
        factors -= 1
    communalities = (extract(correlation, factors).loadings ** 2).sum(axis=1)
    return float(1 - (p - communalities.sum()) / correlation.sum())


def _alpha(matrix: Matrix) -> float:
    k = matrix.shape[0]
    return float(k / (k - 1) * (1 - np.trace(matrix) / matrix.sum()))


def _standard_error(matrix: Matrix, n: int) -> float:
    k, total, trace = matrix.shape[0], float(matrix.sum()), float(np.trace(matrix))
    squared = matrix @ matrix
    q = (2 * k**2 / ((k - 1) ** 2 * total**3)) * (
        total * (float(np.trace(squared)) + trace**2) - 2 * trace * float(squared.sum())
    )
    return float(np.sqrt(q / n))


def item_rest(matrix: Matrix, items: tuple[str, ...]) -> dict[str, float]:
    """Correlation of each item with the sum of the others, of a (p, p) covariance matrix."""
    own = np.diag(matrix)
    shared = matrix.sum(axis=0) - own
    rest = matrix.sum() - 2 * matrix.sum(axis=0) + own
    values = shared / np.sqrt(own * rest)
    return {item: float(value) for item, value in zip(items, values, strict=True)}


def _alpha_if_dropped(matrix: Matrix, items: tuple[str, ...]) -> dict[str, float]:
    """Alpha of the others, where there are two or more of them."""
    if len(items) < 3:
        return {}
    others = {item: np.delete(np.arange(len(items)), i) for i, item in enumerate(items)}
    return {item: _alpha(matrix[np.ix_(kept, kept)]) for item, kept in others.items()}


def _repetition(
    alpha: float, correlation: Matrix, items: tuple[str, ...], dropped: dict[str, float]
) -> list[str]:
    k = len(items)
    first, second = np.triu_indices(k, k=1)
    values = correlation[first, second]
    pairs = [
        f"{items[i]} and {items[j]} (r = {_bare(r)})"
        for i, j, r in sorted(zip(first, second, values, strict=True), key=lambda found: -found[2])
        if r >= REPEATED_PAIR
    ]
    if alpha >= 0.8 and pairs:
        more = f" and {len(pairs) - 5} more pairs" if len(pairs) > 5 else ""
        lowest = (
            f"; without one of them alpha may be as low as {_bare(min(dropped.values()))}" if dropped else ""
        )
        return [
            f"items repeat each other: alpha is high partly because {'; '.join(pairs[:5])}{more} ask the "
            f"same twice{lowest}. A high alpha of repeated items is no sign of a good scale"
        ]
    if alpha >= 0.9 and float(values.mean()) >= REPEATED_ON_AVERAGE:
        return [
            f"items repeat each other: alpha is high because the items correlate at {_bare(values.mean())} "
            "on average; they may ask one narrow thing in different words"
        ]
    return []


def _bare(value: float) -> str:
    """Two digits without a leading zero, as APA style prints what cannot exceed one."""
    text = f"{value:.2f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 else text
