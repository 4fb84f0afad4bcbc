"""Velicer's minimum average partial: components are taken out while they hold what items share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.wording import counted

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class MinimumAveragePartial:
    """Average squared partial correlation after 0, 1, 2, ... components; ``components`` is at its minimum."""

    averages: tuple[float, ...]
    components: int

    def to_frame(self) -> pd.DataFrame:
        """One row a number of components."""
        return pd.DataFrame({"components": range(len(self.averages)), "average": self.averages})

    def summary(self) -> str:
        """The number of components and the minimum."""
        return f"MAP: {counted(self.components, 'component')}, minimum {min(self.averages):.4f}"


def minimum_average_partial(correlation: Matrix, most: int = 8) -> MinimumAveragePartial:
    r"""The average squared correlation left when the first m principal components are partialled out.

    Parameters
    ----------
    correlation : (p, p), positive definite
    most : largest m, below p

    References
    ----------
    Velicer 1976, doi 10.1007/BF02293557. R: ``psych::VSS(R, n = 8)$map`` (which begins at m = 1).

    Examples
    --------
    >>> r = np.full((5, 5), 0.5) + 0.5 * np.eye(5)
    >>> minimum_average_partial(r).components
    1
    """
    p = correlation.shape[0]
    values, vectors = np.linalg.eigh(correlation)
    components = (vectors * np.sqrt(np.maximum(values, 0)))[:, ::-1]
    averages = []
    for m in range(min(most, p - 1) + 1):
        left = correlation - components[:, :m] @ components[:, :m].T
        scale = np.sqrt(np.maximum(np.diag(left), 1e-15))
        partial = left / np.outer(scale, scale)
        averages.append((float((partial**2).sum()) - p) / (p * (p - 1)))
    return MinimumAveragePartial(tuple(averages), int(np.argmin(averages)))
