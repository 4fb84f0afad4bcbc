"""Polychoric correlations: what items would correlate at, were their categories cut from normal variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from analysis.errors import TooManyCategories
from analysis.items import ItemData

Matrix = NDArray[np.float64]
# Thresholds of each item, lowest first, by group.
Thresholds = Mapping[str, tuple[tuple[float, ...], ...]]

MOST_CATEGORIES = 20
# Beyond any threshold that a sample can have; stands for infinity where categories are padded.
FAR = 40.0
SMALLEST = 1e-14
LIMIT = 4.0  # of atanh(rho): |rho| below .9994
ITERATIONS = 100


@dataclass(frozen=True)
class Polychoric:
    """Polychoric correlations (p, p), thresholds by group and item, and what to say of them."""

    matrix: Matrix
    thresholds: Thresholds
    warnings: tuple[str, ...]


def bivariate_normal(h: Matrix, k: Matrix, rho: Matrix) -> Matrix:
    r"""Standard bivariate normal distribution function, by Owen's T.

    .. math:: \Phi_2(h, k; \rho) = \tfrac12 \Phi(h) + \tfrac12 \Phi(k) - T(h, a_h) - T(k, a_k) - \beta

    with :math:`a_h = (k - \rho h) / (h \sqrt{1 - \rho^2})`, a_k likewise, and beta one half where h and k
    have different signs, else 0.

    Parameters
    ----------
    h, k, rho : arrays that broadcast; -1 < rho < 1

    References
    ----------
    Owen 1956, doi 10.1214/aoms/1177728074.

    Examples
    --------
    >>> bivariate_normal(np.zeros(2), np.zeros(2), np.array([0.0, 0.5])).round(6).tolist()
    [0.25, 0.333333]
    """
    # Owen's T is even in h and its limits at 0 are those of a number next to it.
    h, k = np.where(h == 0, 1e-300, h), np.where(k == 0, 1e-300, k)
    root = np.sqrt(1 - rho**2)
    with np.errstate(over="ignore"):
        first = special.owens_t(h, (k - rho * h) / (h * root))
        second = special.owens_t(k, (h - rho * k) / (k * root))
    half = np.where((h < 0) != (k < 0), 0.5, 0.0)
    made = 0.5 * (special.ndtr(h) + special.ndtr(k)) - first - second - half
    return np.asarray(np.clip(made, 0.0, 1.0), dtype=float)


def polychoric(items: ItemData) -> Polychoric:
    r"""Polychoric correlations in two steps: thresholds of each item, then each pair's correlation.

    The thresholds are normal quantiles of the cumulative shares. With them fixed, the correlation of a pair
    maximises :math:`\sum_g \sum_{ab} n_{gab} \ln P_{ab}(\rho; \tau_g)`: groups have thresholds of their
    own and share the correlation. All pairs are climbed at once, by scoring on atanh(rho) with
    :math:`\partial \Phi_2 / \partial \rho` equal to the bivariate normal density. Tables are taken as they
    are: nothing is added to empty cells.

    Parameters
    ----------
    items : answers of a few ordered values; a row counts for the pairs it has both answers of

    Raises
    ------
    TooManyCategories : an item of more than 20 values

    References
    ----------
    Olsson 1979, doi 10.1007/BF02296207. R: ``psych::polychoric(d)$rho`` (to its 1e-4),
    ``lavaan::lavCor(d, ordered = names(d))``.

    Examples
    --------
    >>> import pandas as pd
    >>> from analysis.items import items_of
    >>> d = pd.DataFrame({"a": [1, 1, 2, 2] * 5, "b": [1, 1, 2, 1] * 5})
    >>> polychoric(items_of(d)).thresholds["all"]
    ((0.0,), (0.6744897501960817,))
    """
    categories = [np.unique(column[~np.isnan(column)]) for column in items.values.T]
    for name, values in zip(items.names, categories, strict=True):
        if len(values) > MOST_CATEGORIES:
            raise TooManyCategories(
                f"{items.source}: item {name!r} has {len(values)} different values; polychoric correlations "
                f"are for up to {MOST_CATEGORIES} ordered categories: use Pearson or Spearman"
            )
    p, most = len(items.names), max(len(values) for values in categories)
    first, second = np.tril_indices(p, k=-1)
    tables, cuts = [], []
    thresholds: dict[str, tuple[tuple[float, ...], ...]] = {}
    for group, rows in items.group_members().items():
        indicator = np.zeros((p, len(rows), most))
        for i, values in enumerate(categories):
            indicator[i, :, : len(values)] = items.values[rows, i][:, np.newaxis] == values
        cut = _thresholds(indicator.sum(axis=1))
        cuts.append(cut)
        stacked = indicator.transpose(1, 0, 2).reshape(len(rows), p * most)
        joint = (stacked.T @ stacked).reshape(p, most, p, most)
        tables.append(joint[first, :, second, :])
        thresholds[group] = tuple(
            tuple(float(value) for value in cut[i, : len(values) - 1]) for i, values in enumerate(categories)
        )
    counts, cut = np.stack(tables), np.stack(cuts)
    rho, stopped = _climb(counts, cut[:, first], cut[:, second])
    matrix = np.eye(p)
    matrix[first, second] = matrix[second, first] = rho
    return Polychoric(matrix, thresholds, _said(items, categories, counts, rho, stopped))


def _thresholds(counts: Matrix) -> Matrix:
    """(p, most - 1) cut points of (p, most) counts; beyond the last category of an item: far."""
    shares = counts.cumsum(axis=1)[:, :-1] / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return np.asarray(np.clip(special.ndtri(shares), -FAR, FAR), dtype=float)


def _climb(counts: Matrix, h: Matrix, k: Matrix) -> tuple[Matrix, NDArray[np.bool_]]:
    """Correlations of all pairs: counts (groups, pairs, a, b), cut points (groups, pairs, a - 1)."""
    total = np.maximum(counts.sum(axis=(0, 2, 3)), 1)
    z, highest = np.zeros(counts.shape[1]), np.zeros(counts.shape[1])
    best = np.full_like(z, -np.inf)
    active = np.ones(len(z), dtype=bool)
    for _ in range(ITERATIONS):
        now = np.flatnonzero(active)
        rho = np.tanh(z[now])
        chances, slopes = cells(h[:, now], k[:, now], rho)
        seen = counts[:, now]
        level = (seen * np.log(chances)).sum(axis=(0, 2, 3)) / total[now]
        gradient = (seen * slopes / chances).sum(axis=(0, 2, 3))
        n = seen.sum(axis=(2, 3))
        information = (n * (slopes**2 / chances).sum(axis=(2, 3))).sum(axis=0)
        fell = level < best[now] - 1e-13
        jacobian = 1 - rho**2
        onward = np.clip(gradient / np.maximum(information * jacobian, 1e-12), -0.5, 0.5)
        # Where the last step led down, go back half of it.
        step = np.where(fell, (highest[now] - z[now]) / 2, onward)
        highest[now] = np.where(fell, highest[now], z[now])
        best[now] = np.maximum(best[now], level)
        z[now] = np.clip(z[now] + step, -LIMIT, LIMIT)
        active[now] = (np.abs(step) > 1e-9) & (np.abs(z[now]) < LIMIT)
        if not active.any():
            break
    return np.tanh(z), active


def cells(h: Matrix, k: Matrix, rho: Matrix) -> tuple[Matrix, Matrix]:
    """Probabilities of the cells of many tables and their slopes in rho.

    Parameters
    ----------
    h, k : (groups, pairs, a - 1) cut points of the first and of the second item of each pair
    rho : (pairs,)

    Returns
    -------
    chances, slopes : (groups, pairs, a, a); a cell without any chance has slope 0
    """
    groups, pairs, cuts = h.shape
    wide = rho[np.newaxis, :, np.newaxis, np.newaxis]
    x, y = h[..., :, np.newaxis], k[..., np.newaxis, :]
    cumulative = np.zeros((groups, pairs, cuts + 2, cuts + 2))
    cumulative[..., 1:-1, 1:-1] = bivariate_normal(x, y, wide)
    cumulative[..., 1:-1, -1] = special.ndtr(h)
    cumulative[..., -1, 1:-1] = special.ndtr(k)
    cumulative[..., -1, -1] = 1.0
    density = np.zeros_like(cumulative)
    left = 1 - wide**2
    density[..., 1:-1, 1:-1] = np.exp(-(x**2 - 2 * wide * x * y + y**2) / (2 * left)) / (
        2 * np.pi * np.sqrt(left)
    )
    chances = np.diff(np.diff(cumulative, axis=-1), axis=-2)
    slopes = np.diff(np.diff(density, axis=-1), axis=-2)
    return np.maximum(chances, SMALLEST), np.where(chances > SMALLEST, slopes, 0.0)


def _said(
    items: ItemData, categories: list[Matrix], counts: Matrix, rho: Matrix, stopped: NDArray[np.bool_]
) -> tuple[str, ...]:
    first, second = np.tril_indices(len(items.names), k=-1)
    told = []
    extreme = [
        f"{items.names[j]} and {items.names[i]}"
        for i, j, value in zip(first, second, rho, strict=True)
        if abs(value) >= np.tanh(LIMIT) - 1e-9
    ]
    if extreme:
        told.append(
            f"polychoric at its limit: {'; '.join(extreme[:5])} (an empty cell lets it grow without end)"
        )
    if stopped.any():
        pairs = [f"{items.names[second[i]]} and {items.names[first[i]]}" for i in np.flatnonzero(stopped)[:5]]
        told.append(f"not converged: the polychoric correlation of {'; '.join(pairs)}")
    rare = [
        f"{name} = {value:g}"
        for name, column, values in zip(items.names, items.values.T, categories, strict=True)
        for value in values
        if int((column == value).sum()) < 5
    ]
    if rare:
        told.append(
            f"rare categories (fewer than five answers): {', '.join(rare[:8])}"
            f"{' and more' if len(rare) > 8 else ''}; polychoric correlations rest on few people there"
        )
    return tuple(told)
