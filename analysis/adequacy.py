"""Whether a correlation matrix can be factored at all: Kaiser-Meyer-Olkin and Bartlett."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

Matrix = NDArray[np.float64]
LOW_KMO = 0.5


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
    Kaiser & Rice 1974, doi 10.1177/001316447403400115; Bartlett 1951, Biometrika 38, 337-344.
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
