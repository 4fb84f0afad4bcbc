"""Split halves: how high and how low the reliability of a sum can look, by the halves one takes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from analysis.errors import TooFewData

Matrix = NDArray[np.float64]

# 18 items in two halves: 24,310 splits. Beyond that splits are drawn.
MOST_SPLITS = 25_000
SEED = 1


@dataclass(frozen=True)
class SplitHalf:
    """Reliabilities of all splits (or of ``splits`` random ones), of standardised items.

    Attributes
    ----------
    highest, lowest, mean : the highest is lambda 4, the lowest beta's ground: the worst split half
    quantiles : .025, .5 and .975
    lambda2 : Guttman's, above alpha and never below it
    splits, exhaustive : how many halves were formed, and whether these were all
    best : the items of one half of the highest split
    """

    highest: float
    lowest: float
    mean: float
    quantiles: tuple[float, float, float]
    lambda2: float
    splits: int
    exhaustive: bool
    best: tuple[str, ...]

    def summary(self) -> str:
        """Lowest, mean and highest in one line."""
        how = "all" if self.exhaustive else "random"
        return (
            f"split half: lowest {self.lowest:.3f}, mean {self.mean:.3f}, highest {self.highest:.3f} "
            f"({self.splits} {how} splits); lambda 2 = {self.lambda2:.3f}"
        )


def split_half(correlation: Matrix, items: tuple[str, ...], *, seed: int = SEED) -> SplitHalf:
    r"""Reliability of the sum by every way to halve the items, :math:`4 s_{AB} / \sum\sum r_{ij}`.

    Parameters
    ----------
    correlation : (p, p), items keyed alike; with an odd p the halves differ by one
    items : p names
    seed : for more than 25,000 splits, of which 10,000 are drawn

    Raises
    ------
    TooFewData : fewer than two items

    References
    ----------
    Guttman 1945, doi 10.1007/BF02288892. R: ``psych::splitHalf(d, brute = TRUE)``.

    Examples
    --------
    >>> r = np.full((4, 4), 0.5) + 0.5 * np.eye(4)
    >>> round(split_half(r, ("a", "b", "c", "d")).highest, 3)
    0.8
    """
    p = len(items)
    if p < 2:
        raise TooFewData("halves need two items or more")
    half = p // 2
    even = p % 2 == 0
    # In halves of one size the first item may always be in the first one.
    count = comb(p, half) // (2 if even else 1)
    exhaustive = count <= MOST_SPLITS
    if exhaustive:
        chosen = (
            [(0, *rest) for rest in combinations(range(1, p), half - 1)]
            if even
            else list(combinations(range(p), half))
        )
        sides = np.zeros((len(chosen), p))
        sides[np.arange(len(chosen))[:, np.newaxis], np.array(chosen)] = 1
    else:
        order = np.random.default_rng(seed).random((10_000, p)).argsort(axis=1)
        sides = (order < half).astype(float)
    total = float(correlation.sum())
    # s_AB = a'R(1 - a)
    found = 4 * np.einsum("si,si->s", sides @ correlation, 1 - sides) / total
    off = correlation - np.diag(np.diag(correlation))
    lambda2 = (float(off.sum()) + float(np.sqrt((off**2).sum() * p / (p - 1)))) / total
    low, middle, high = (float(q) for q in np.quantile(found, (0.025, 0.5, 0.975)))
    best = sides[int(found.argmax())]
    return SplitHalf(
        highest=float(found.max()),
        lowest=float(found.min()),
        mean=float(found.mean()),
        quantiles=(low, middle, high),
        lambda2=lambda2,
        splits=len(found),
        exhaustive=exhaustive,
        best=tuple(item for item, side in zip(items, best, strict=True) if side),
    )
