"""Reliability of a scale: alpha with Feldt's interval, and omega total of a minres solution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from analysis.correlation import Covariance
from analysis.efa import efa
from analysis.errors import TooFewData


@dataclass(frozen=True)
class Reliability:
    """Alpha and omega of one set of items.

    ``omega_total`` is None where a one-factor model has no degrees of freedom left to find loadings
    (two items); ``warnings`` says so.
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

    def summary(self) -> str:
        """Alpha with its interval and omega total."""
        omega = "not defined" if self.omega_total is None else f"{self.omega_total:.3f}"
        return (
            f"alpha = {self.alpha:.3f} [{self.alpha_low:.3f}, {self.alpha_high:.3f}], omega total = {omega} "
            f"({len(self.items)} items, {self.basis})"
        )


def reliability(covariance: Covariance, *, factors: int = 1, confidence: float = 0.95) -> Reliability:
    r"""Cronbach's alpha with Feldt's interval, and omega total.

    .. math:: \alpha = \frac{k}{k-1}\left(1 - \frac{\sum s_i^2}{\sum\sum s_{ij}}\right), \quad
              \omega_t = 1 - \frac{\sum u_i^2}{\sum\sum r_{ij}}

    with u² the uniquenesses of a minres solution of the correlations. Feldt's interval uses
    (1 - alpha) over its estimate as F with df and df(k-1) degrees of freedom, df = n - 1 (or N - G).

    Parameters
    ----------
    covariance : items already reversed where they are keyed negatively
    factors : factors of the minres solution omega rests on; 1 for a unidimensional scale

    Raises
    ------
    TooFewData : fewer than two items

    References
    ----------
    Feldt 1965, doi 10.1007/BF02289499; McDonald 1999, Test theory (omega).
    R: ``psych::alpha(d)`` (``$feldt``), ``psych::omega(d, nfactors=1)$omega.tot``.

    Examples
    --------
    >>> import pandas as pd
    >>> from analysis.correlation import covariance
    >>> d = pd.DataFrame({"a": [1, 2, 3, 4, 5], "b": [2, 1, 4, 3, 5], "c": [1, 3, 3, 5, 5]})
    >>> round(reliability(covariance(d)).alpha, 3)
    0.909
    """
    k = len(covariance.items)
    if k < 2:
        raise TooFewData(f"reliability needs two items or more; {', '.join(covariance.items)} is one")
    matrix, correlation, df = covariance.matrix, covariance.correlation, covariance.df
    alpha = k / (k - 1) * (1 - float(np.trace(matrix)) / float(matrix.sum()))
    mean_r = (float(correlation.sum()) - k) / (k * (k - 1))
    standardised = k * mean_r / (1 + (k - 1) * mean_r)
    tail = (1 - confidence) / 2
    low = 1 - (1 - alpha) * float(stats.f.ppf(1 - tail, df, df * (k - 1)))
    high = 1 - (1 - alpha) * float(stats.f.ppf(tail, df, df * (k - 1)))
    told = []
    item_rest = matrix.sum(axis=0) - np.diag(matrix)
    backwards = [item for item, value in zip(covariance.items, item_rest, strict=True) if value < 0]
    if backwards:
        told.append(f"{', '.join(backwards)} runs against the other items (keyed the wrong way?)")
    omega: float | None = None
    if k == 2:
        told.append("two items: omega is not defined, alpha is their Spearman-Brown bound")
    else:
        solution = efa(correlation, covariance.n, factors, items=covariance.items)
        omega = 1 - float(solution.uniquenesses.sum()) / float(correlation.sum())
        if solution.heywood:
            told.append(f"omega rests on an improper solution ({', '.join(solution.heywood)})")
    return Reliability(
        alpha,
        low,
        high,
        standardised,
        omega,
        covariance.items,
        covariance.rows,
        covariance.basis,
        confidence,
        tuple(told),
    )
