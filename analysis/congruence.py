"""How alike two sets of loadings are: Tucker's congruence, matched to a published assignment."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.efa import FactorSolution

Matrix = NDArray[np.float64]


def tucker(first: Matrix, second: Matrix) -> Matrix:
    r"""Congruence of every column of one loading matrix with every column of another.

    .. math:: \phi_{jk} = \frac{\sum_i a_{ij} b_{ik}}{\sqrt{\sum_i a_{ij}^2 \sum_i b_{ik}^2}}

    Parameters
    ----------
    first, second : (p, k) and (p, m), rows in the same order

    Returns
    -------
    (k, m), between -1 and 1; .95 and above is commonly read as equal, .85 to .94 as fair
    (Lorenzo-Seva & ten Berge 2006, doi 10.1027/1614-2241.2.2.57)

    References
    ----------
    R: ``psych::factor.congruence(a, b)`` (which rounds to two digits).

    Examples
    --------
    >>> a = np.array([[0.8, 0.1], [0.7, 0.0], [0.1, 0.9]])
    >>> tucker(a, a).diagonal().round(6).tolist()
    [1.0, 1.0]
    """
    scale = np.outer(np.sqrt((first**2).sum(axis=0)), np.sqrt((second**2).sum(axis=0)))
    return np.asarray(first.T @ second / scale, dtype=float)


@dataclass(frozen=True)
class Match:
    """A solution brought into the order of an assignment, with the congruence of each factor.

    The assignment gives each item to one factor (1, else 0), so that a factor of uneven or
    cross-loadings stays below 1 even in perfect data: it asks whether the *groups* are found.
    """

    solution: FactorSolution
    congruence: dict[str, float]
    misplaced: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """One row a factor."""
        return pd.DataFrame({"factor": list(self.congruence), "congruence": list(self.congruence.values())})

    def summary(self) -> str:
        """Congruences and items that load highest elsewhere."""
        values = ", ".join(f"{name} {value:.3f}" for name, value in self.congruence.items())
        moved = f"; highest elsewhere: {', '.join(self.misplaced)}" if self.misplaced else ""
        return f"congruence: {values}{moved}"


def match(solution: FactorSolution, assignment: dict[str, tuple[str, ...]]) -> Match:
    """Order a solution's factors by an assignment of items to factors and measure congruence with it.

    Parameters
    ----------
    solution : k factors
    assignment : factor name to its items, k of them; items are matched by name

    Examples
    --------
    >>> from analysis.efa import efa
    >>> r = np.eye(6)
    >>> for block in (slice(0, 3), slice(3, 6)):
    ...     r[block, block] = 0.5 + 0.5 * np.eye(3)
    >>> found = efa(r, 200, 2, items=tuple("abcdef"))
    >>> match(found, {"x": ("d", "e", "f"), "y": ("a", "b", "c")}).misplaced
    ()
    """
    names = tuple(assignment)
    target = np.array([[float(item in assignment[name]) for name in names] for item in solution.items])
    table = tucker(solution.loadings, target)
    best = max(
        permutations(range(len(solution.factors)), len(names)),
        key=lambda order: sum(table[factor, column] for column, factor in enumerate(order)),
    )
    ordered = solution.reordered(list(best), names)
    highest = np.abs(ordered.loadings).argmax(axis=1)
    assigned = target.argmax(axis=1)
    misplaced = tuple(
        item for item, found, meant in zip(solution.items, highest, assigned, strict=True) if found != meant
    )
    values = {
        name: float(table[factor, column])
        for column, (name, factor) in enumerate(zip(names, best, strict=True))
    }
    return Match(ordered, values, misplaced)
