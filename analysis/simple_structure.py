"""Very Simple Structure: how well loadings fit when each item keeps only its highest one or two."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.extraction import degrees_of_freedom, extract
from analysis.rotation import rotate
from analysis.wording import counted

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class SimpleStructure:
    """Fit by number of factors, with one (``first``) and two (``second``) loadings an item kept."""

    first: tuple[float, ...]
    second: tuple[float, ...]

    @property
    def factors(self) -> int:
        """The number of factors with the best fit of complexity one."""
        return int(np.argmax(self.first)) + 1

    def to_frame(self) -> pd.DataFrame:
        """One row a number of factors."""
        return pd.DataFrame(
            {"factors": range(1, len(self.first) + 1), "vss_1": self.first, "vss_2": self.second}
        )

    def summary(self) -> str:
        """The number of factors and the fit."""
        return f"VSS: {counted(self.factors, 'factor')}, fit {max(self.first):.3f} with one loading an item"


def very_simple_structure(correlation: Matrix, most: int = 8) -> SimpleStructure:
    r"""Share of the squared correlations that simplified varimax loadings reproduce.

    .. math:: VSS_c = 1 - \frac{\sum (R - S_c S_c^\top)^2}{\sum R^2}

    with S the minres loadings of which each item keeps its c highest.

    Parameters
    ----------
    correlation : (p, p), positive definite
    most : largest number of factors; stops where degrees of freedom would run out

    References
    ----------
    Revelle & Rocklin 1979, doi 10.1207/s15327906mbr1404_2.
    R: ``psych::VSS(R, n = 8, fm = "minres", rotate = "varimax")$cfit.1``.

    Examples
    --------
    >>> r = np.eye(6)
    >>> for block in (slice(0, 3), slice(3, 6)):
    ...     r[block, block] = 0.5 + 0.5 * np.eye(3)
    >>> very_simple_structure(r, 2).factors
    2
    """
    p = correlation.shape[0]
    total = float((correlation**2).sum())
    first: list[float] = []
    second: list[float] = []
    for factors in range(1, most + 1):
        if degrees_of_freedom(p, factors) < 0:
            break
        loadings = extract(correlation, factors).loadings
        if factors > 1:
            loadings = rotate(loadings, "varimax").loadings
        order = np.argsort(-np.abs(loadings), axis=1)
        for kept, found in ((1, first), (2, second)):
            simple = np.zeros_like(loadings)
            rows = np.arange(p)[:, np.newaxis]
            simple[rows, order[:, :kept]] = loadings[rows, order[:, :kept]]
            found.append(1 - float(((correlation - simple @ simple.T) ** 2).sum()) / total)
    return SimpleStructure(tuple(first), tuple(second))
