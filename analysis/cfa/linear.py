"""Inverses of stacks of small symmetric matrices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def inverse(stack: Array) -> Array:
    """Inverse of (..., p, p), exactly symmetric.

    Examples
    --------
    >>> inverse(np.array([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    made: Array = np.asarray(np.linalg.inv(stack), dtype=float)
    return np.asarray((made + np.swapaxes(made, -1, -2)) / 2)


def times(matrix: Array, vector: Array) -> Array:
    """(..., p, p) times (..., p)."""
    made = np.einsum("...ij,...j->...i", matrix, vector)
    return np.asarray(made, dtype=float)
