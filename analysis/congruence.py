"""How alike two sets of loadings are: Tucker's congruence, Procrustes, and matching by name."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from analysis.efa import FactorSolution
from analysis.errors import UnknownName, UnusableColumn
from analysis.wording import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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


@dataclass(frozen=True)
class Aligned:
    """A stack of solutions with the factors in the order and with the signs of a reference.

    Attributes
    ----------
    loadings : (sets, p, k)
    phi : (sets, k, k)
    congruence : (sets, k), Tucker's, of each factor with its counterpart
    """

    loadings: Matrix
    phi: Matrix
    congruence: Matrix


def align(loadings: Matrix, phi: Matrix, reference: Matrix) -> Aligned:
    """Bring solutions into the order and signs of a reference, by the largest sum of absolute congruences.

    Factors are only swapped and turned around, not rotated, so that each solution keeps its own simple
    structure and its own factor correlations.

    Parameters
    ----------
    loadings : (sets, p, k)
    phi : (sets, k, k)
    reference : (p, k), rows in the same order

    Examples
    --------
    >>> a = np.array([[0.8, 0.1], [0.7, 0.0], [0.1, 0.9]])
    >>> turned = align(-a[np.newaxis, :, ::-1], np.eye(2)[np.newaxis], a)
    >>> bool(np.allclose(turned.loadings[0], a))
    True
    """
    lengths = np.sqrt((loadings**2).sum(axis=1))
    scale = lengths[:, np.newaxis, :] * np.sqrt((reference**2).sum(axis=0))[:, np.newaxis]
    table = (reference.T @ loadings) / np.where(scale == 0, 1.0, scale)
    order = np.array([linear_sum_assignment(-np.abs(one))[1] for one in table])
    found = np.take_along_axis(table, order[:, :, np.newaxis], axis=2)[:, :, 0]
    signs = np.where(found < 0, -1.0, 1.0)
    moved = np.take_along_axis(loadings, order[:, np.newaxis, :], axis=2) * signs[:, np.newaxis, :]
    turned = np.take_along_axis(phi, order[:, :, np.newaxis], axis=1)
    turned = np.take_along_axis(turned, order[:, np.newaxis, :], axis=2)
    turned = turned * signs[:, :, np.newaxis] * signs[:, np.newaxis, :]
    return Aligned(moved, turned, np.abs(found))


def procrustes(loadings: Matrix, target: Matrix) -> Matrix:
    r"""Loadings turned orthogonally as near as they come to a whole target.

    .. math:: \min_{T^\top T = I} \lVert L T - B \rVert, \quad T = U V^\top, \; L^\top B = U D V^\top

    Parameters
    ----------
    loadings, target : (p, k), rows and numbers of factors alike

    References
    ----------
    Schonemann 1966, doi 10.1007/BF02289451. R: ``psych::Procrustes(L, B)$loadings``.

    Examples
    --------
    >>> a = np.array([[0.8, 0.1], [0.7, 0.0], [0.1, 0.9]])
    >>> bool(np.allclose(procrustes(a[:, ::-1], a), a))
    True
    """
    left, _, right = np.linalg.svd(loadings.T @ target)
    return np.asarray(loadings @ left @ right, dtype=float)


@dataclass(frozen=True)
class Comparison:
    """A solution beside the loadings of another sample or a publication.

    Attributes
    ----------
    congruence : (k, m) Tucker's, of every factor here with every factor there
    paired : factor here to (factor there, congruence), the pairing with the largest sum
    procrustes : (p, k) loadings turned orthogonally to the others, None where k and m differ
    procrustes_congruence : of each factor there with its counterpart after turning
    items : those both have, in the order used
    left_out : items only one side has
    """

    congruence: Matrix
    factors: tuple[str, ...]
    others: tuple[str, ...]
    paired: dict[str, tuple[str, float]]
    procrustes: Matrix | None
    procrustes_congruence: dict[str, float]
    items: tuple[str, ...]
    left_out: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """One row a factor here, one column a factor there."""
        table = pd.DataFrame(self.congruence, columns=list(self.others))
        table.insert(0, "factor", list(self.factors))
        return table

    def summary(self) -> str:
        """The pairs and their congruences."""
        pairs = ", ".join(f"{here} with {there} {value:.2f}" for here, (there, value) in self.paired.items())
        turned = ", ".join(f"{name} {value:.2f}" for name, value in self.procrustes_congruence.items())
        after = f"; after Procrustes rotation: {turned}" if turned else ""
        missing = f"; not in both: {', '.join(self.left_out)}" if self.left_out else ""
        return f"Tucker's congruence over {len(self.items)} items: {pairs}{after}{missing}"

    def plot(self, note: str = "") -> Figure:
        """Congruences as shades."""
        from analysis.factor_charts import congruences

        return congruences(self, note)


def compare(solution: FactorSolution, published: pd.DataFrame) -> Comparison:
    """Congruence and Procrustes of a solution with other loadings, items matched by name.

    Parameters
    ----------
    solution : k factors
    published : items in the index, m factors in columns; for another sample,
        ``pd.DataFrame(other.loadings, index=other.items, columns=other.factors)``

    Raises
    ------
    UnknownName : fewer than three items have the same names on both sides
    UnusableColumn : a loading is missing or no number, or an item stands twice

    Examples
    --------
    >>> from analysis.efa import efa
    >>> r = np.full((4, 4), 0.49) + 0.51 * np.eye(4)
    >>> found = efa(r, 100, 1, items=("a", "b", "c", "d"))
    >>> compare(found, pd.DataFrame({"g": [0.5, 0.5, 0.5]}, index=["d", "b", "a"])).paired["factor 1"][0]
    'g'
    """
    names = [str(name) for name in published.index]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UnusableColumn(f"published loadings: more than one row is named {', '.join(twice)}")
    wrong = [
        str(column)
        for column in published.columns
        if not pd.api.types.is_numeric_dtype(published[column])
        or not np.isfinite(published[column].to_numpy(dtype=float)).all()
    ]
    if wrong:
        raise UnusableColumn(f"published loadings: column {', '.join(wrong)} holds a cell that is no number")
    both = tuple(item for item in solution.items if item in names)
    if len(both) < 3:
        raise UnknownName(
            f"published loadings: {counted(len(both), 'item')} named as in the data; there: "
            f"{', '.join(names[:20])}; "
            f"here: {', '.join(solution.items[:20])}"
        )
    here = solution.loadings[[solution.items.index(item) for item in both]]
    there = published.to_numpy(dtype=float)[[names.index(item) for item in both]]
    table = tucker(here, there)
    rows, columns = linear_sum_assignment(-np.abs(table))
    others = tuple(str(column) for column in published.columns)
    paired = {
        solution.factors[i]: (others[j], float(table[i, j])) for i, j in zip(rows, columns, strict=True)
    }
    turned, after = None, {}
    if here.shape == there.shape:
        turned = procrustes(here, there)
        alike = np.diag(tucker(turned, there))
        after = {name: float(value) for name, value in zip(others, alike, strict=True)}
    left_out = (*(i for i in solution.items if i not in both), *(i for i in names if i not in both))
    return Comparison(table, solution.factors, others, paired, turned, after, both, left_out)
