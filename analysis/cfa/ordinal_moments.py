"""What a model of ordered categories is fitted to: thresholds, polychorics, and how samples scatter them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from analysis.errors import ConstantColumn, EmptyCategory, NotPositiveDefinite, TooFewData
from analysis.items import ItemData
from analysis.polychoric import FAR, cells, polychoric

Matrix = NDArray[np.float64]
TINY = 1e-200


@dataclass(frozen=True)
class OrdinalMoments:
    r"""Thresholds and polychoric correlations of one group, with their asymptotic covariance.

    Attributes
    ----------
    names : p items
    categories : the values of each item, lowest first
    n : complete rows
    thresholds : (t,) of all items after one another, lowest first
    owner : (t,) which item each threshold belongs to
    correlation : (p, p) polychoric
    gamma : (m, m) covariance of :math:`\sqrt{n}` times the moments
    warnings : what to say of the polychorics
    """

    names: tuple[str, ...]
    categories: tuple[tuple[float, ...], ...]
    n: int
    thresholds: Matrix
    owner: NDArray[np.intp]
    correlation: Matrix
    gamma: Matrix
    warnings: tuple[str, ...]

    @property
    def vector(self) -> Matrix:
        """(m,) thresholds, then correlations above the diagonal row by row, as lavaan orders them."""
        return np.concatenate([self.thresholds, self.correlation[np.triu_indices(len(self.names), 1)]])


def moments_by_group(items: ItemData) -> dict[str, OrdinalMoments]:
    """Moments of the complete rows of every group, groups in order of appearance.

    Parameters
    ----------
    items : answers of a few ordered values, with groups or without

    Raises
    ------
    EmptyCategory : a value that one group gave and another did not
    TooFewData : a group without complete rows, or with no more of them than there are items
    ConstantColumn : everybody of a group gave an item the same answer
    NotPositiveDefinite : the polychorics of a group do not fit together
    TooManyCategories : an item of more than 20 values

    References
    ----------
    R: ``lavInspect(cfa(model, d, ordered = TRUE, group = "g"), "sampstat")`` and ``"gamma"``.
    """
    asked = items.group_members()
    items = items.complete()
    members = items.group_members() if items.n else {}
    p = len(items.names)
    for group in asked:
        left = len(members.get(group, ()))
        if left <= p:
            where = f"group {group!r}" if items.groups is not None or len(asked) > 1 else "the data"
            raise TooFewData(
                f"{items.source}: {left} complete rows in {where} for {p} items; polychoric correlations "
                "need more rows than items: leave the group out or join it with another"
            )
    _refuse_empty(items, members)
    return {
        group: ordinal_moments(replace(items.take(rows), groups=None), place=_place(group, members))
        for group, rows in members.items()
    }


def ordinal_moments(items: ItemData, *, place: str = "the data") -> OrdinalMoments:
    r"""Thresholds, polychorics and their asymptotic covariance in one group.

    The moments are estimated in two steps, so that each row i has an influence on each of them: on a
    threshold :math:`(1[y_i \le a] - \Phi(\tau_a)) / \phi(\tau_a)`, on a correlation

    .. math:: A_{22}^{-1} \left( s_i(\rho) - A_{21} \, \mathrm{infl}_i(\tau) \right),

    with s the score of the pair's likelihood, and :math:`A_{21}, A_{22}` sums over rows of the products
    of that score with the scores of thresholds and with itself. Gamma is n times the sum of products of
    influences: the sandwich of the two-step estimator.

    Parameters
    ----------
    items : complete answers of one group
    place : what to call the group in a complaint

    References
    ----------
    Muthen 1984, doi 10.1007/BF02294210. R: ``lavInspect(fit, "gamma")``.
    """
    found = polychoric(items)
    _refuse_improper(found.matrix, items.source, place)
    categories = _categories(items)
    counts = np.array([len(values) - 1 for values in categories])
    owner = np.repeat(np.arange(len(counts)), counts)
    thresholds = np.concatenate([np.asarray(cuts) for cuts in found.thresholds["all"]])
    first, second = np.triu_indices(len(counts), 1)
    on_thresholds, numerators, information = _influences(
        items.values, categories, thresholds, owner, found.matrix[first, second]
    )
    influence = np.concatenate([on_thresholds, numerators / information[:, np.newaxis]])
    gamma = items.n * influence @ influence.T
    return OrdinalMoments(
        items.names, categories, items.n, thresholds, owner, found.matrix, gamma, found.warnings
    )


def within_moments(items: ItemData) -> OrdinalMoments:
    """Polychorics shared by all conditions while each has thresholds of its own; only they are moments.

    A model of them says nothing of thresholds, which conditions may shift. n counts N - G + 1, as
    covariances within conditions do.

    Parameters
    ----------
    items : answers with groups

    Raises
    ------
    TooFewData : no more rows than items are left
    NotPositiveDefinite, TooManyCategories : as :func:`moments_by_group`

    Examples
    --------
    >>> import pandas as pd
    >>> from analysis.items import items_of
    >>> d = np.random.default_rng(1).integers(1, 4, (200, 3))
    >>> frame = pd.DataFrame(d, columns=list("abc")).assign(arm=["x", "y"] * 100)
    >>> made = within_moments(items_of(frame, condition="arm"))
    >>> made.n, made.gamma.shape
    (199, (3, 3))
    """
    items = items.complete()
    members = items.group_members() if items.n else {}
    n = items.n - len(members) + 1
    if n <= len(items.names) + 1:
        raise TooFewData(
            f"{items.source}: {items.n} complete rows in {len(members)} condition(s) for {len(items.names)} "
            "items; polychoric correlations need more rows than items"
        )
    found = polychoric(items)
    _refuse_improper(found.matrix, items.source, "the conditions")
    categories = _categories(items)
    counts = np.array([len(values) - 1 for values in categories])
    owner = np.repeat(np.arange(len(counts)), counts)
    first, second = np.triu_indices(len(counts), 1)
    squares = np.zeros((len(first), len(first)))
    total = np.zeros(len(first))
    for group, rows in members.items():
        thresholds = np.concatenate([np.asarray(cuts) for cuts in found.thresholds[group]])
        _, numerators, information = _influences(
            items.values[rows], categories, thresholds, owner, found.matrix[first, second]
        )
        squares += numerators @ numerators.T
        total += information
    gamma = n * squares / np.outer(total, total)
    nothing = np.zeros(0)
    return OrdinalMoments(
        items.names, categories, n, nothing, nothing.astype(np.intp), found.matrix, gamma, found.warnings
    )


def _influences(
    values: Matrix,
    categories: tuple[tuple[float, ...], ...],
    thresholds: Matrix,
    owner: NDArray[np.intp],
    rho: Matrix,
) -> tuple[Matrix, Matrix, Matrix]:
    """Influences of n rows on thresholds (t, n) and, times the information (pairs,), on correlations."""
    coded = np.stack(
        [np.searchsorted(known, column) for known, column in zip(categories, values.T, strict=True)]
    )
    counts = np.bincount(owner)
    step = np.concatenate([np.arange(count) for count in counts])
    cut = np.full((len(counts), int(counts.max())), FAR)
    cut[owner, step] = thresholds
    below = (coded[owner] <= step[:, np.newaxis]).astype(float)
    # A threshold that nobody is beyond does not move with anybody.
    height = _density(thresholds)[:, np.newaxis]
    gap = below - special.ndtr(thresholds)[:, np.newaxis]
    on_thresholds = np.where(height > TINY, gap / np.maximum(height, TINY), 0.0) / len(values)
    first, second = np.triu_indices(len(counts), 1)
    h, k = cut[first], cut[second]
    chances, slopes = (table[0] for table in cells(h[np.newaxis], k[np.newaxis], rho))
    pairs = np.arange(len(rho))[:, np.newaxis]
    scores = (slopes / chances)[pairs, coded[first], coded[second]]
    information = (scores**2).sum(axis=1)
    size = chances.shape[1]
    flat = (pairs * size + coded[first]) * size + coded[second]
    tables = np.bincount(flat.ravel(), minlength=chances.size).reshape(chances.shape)
    weights = tables * slopes / chances**2
    crossed = np.zeros((len(rho), len(owner)))
    edge = np.full((len(rho), 1), FAR)
    wide, root = rho[:, np.newaxis, np.newaxis], np.sqrt(1 - rho**2)[:, np.newaxis, np.newaxis]
    for cuts, other, mine, table in ((h, k, first, weights), (k, h, second, weights.transpose(0, 2, 1))):
        # How the probabilities on both sides of a threshold move with it.
        around = np.concatenate([-edge, other, edge], axis=1)[:, np.newaxis, :]
        below_given = special.ndtr((around - wide * cuts[:, :, np.newaxis]) / root)
        moved = _density(cuts)[:, :, np.newaxis] * np.diff(below_given, axis=2)
        gained = (moved * (table[:, :-1] - table[:, 1:])).sum(axis=2)
        row, column = np.nonzero(mine[:, np.newaxis] == owner[np.newaxis, :])
        crossed[row, column] += gained[row, step[column]]
    return on_thresholds, scores - crossed @ on_thresholds, information


def _categories(items: ItemData) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(value) for value in np.unique(column)) for column in items.values.T)


def _refuse_improper(matrix: Matrix, source: str, place: str) -> None:
    smallest = float(np.linalg.eigvalsh(matrix)[0])
    if smallest <= 1e-10:
        raise NotPositiveDefinite(
            f"{source}: the polychoric correlations of {place} do not fit together (smallest eigenvalue "
            f"{smallest:.3g}); join rare categories, leave an item out, or treat the items as continuous"
        )


def _density(points: Matrix) -> Matrix:
    return np.asarray(np.exp(-(points**2) / 2) / np.sqrt(2 * np.pi), dtype=float)


def _refuse_empty(items: ItemData, members: dict[str, NDArray[np.intp]]) -> None:
    told = []
    for name, column in zip(items.names, items.values.T, strict=True):
        values = np.unique(column)
        for group, rows in members.items():
            here = np.unique(column[rows])
            if len(here) == 1:
                raise ConstantColumn(
                    f"{items.source}: everybody in {_place(group, members)} answered {here[0]:g} to "
                    f"{name!r}; leave the item out"
                )
            lacking = np.setdiff1d(values, here)
            if len(lacking):
                told.append(
                    f"{name!r} has no answer {', '.join(f'{v:g}' for v in lacking)} in group {group!r}"
                )
    if told:
        raise EmptyCategory(
            f"{items.source}: empty categories: {'; '.join(told[:6])}{' and more' if len(told) > 6 else ''}. "
            "Groups can only be compared on thresholds that all of them have: join the category with its "
            "neighbour in every group, or treat the items as continuous (estimator mlr)"
        )


def _place(group: str, members: dict[str, NDArray[np.intp]]) -> str:
    return f"group {group!r}" if len(members) > 1 else "the data"
