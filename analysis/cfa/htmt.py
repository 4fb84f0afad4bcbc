"""HTMT: do items of different factors correlate less than items of the same factor?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.correlation import Kind, correlate
from analysis.errors import TooFewData
from analysis.items import ItemData

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Htmt:
    """Ratios of correlations between factors to correlations within them.

    Attributes
    ----------
    factors : k names
    ratio, ratio2 : (k, k) HTMT (arithmetic means) and HTMT2 (geometric means), ones on the diagonal; nan
        where a factor's items do not correlate positively on average
    kind : kind of correlations
    """

    factors: tuple[str, ...]
    ratio: Matrix
    ratio2: Matrix
    kind: str

    def to_frame(self) -> pd.DataFrame:
        """One row a pair of factors."""
        rows = [
            {"first": self.factors[i], "second": self.factors[j], "kind": self.kind,
             "htmt": float(self.ratio[i, j]), "htmt2": float(self.ratio2[i, j])}
            for i, j in zip(*np.triu_indices(len(self.factors), 1), strict=True)
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=["first", "second", "kind", "htmt", "htmt2"])


def htmt(matrix: Matrix, names: tuple[str, ...], factors: Mapping[str, tuple[str, ...]], kind: str) -> Htmt:
    r"""HTMT and HTMT2 of a correlation matrix.

    .. math:: \mathrm{HTMT}_{jk} = \frac{m(|r|_{jk})}{\sqrt{m(|r|_{jj}) \, m(|r|_{kk})}}

    with m the arithmetic mean (HTMT) or the geometric mean (HTMT2) of the absolute correlations between
    the items of factors j and k, or among the items of one factor.

    Parameters
    ----------
    matrix : (p, p) correlations
    names : p items
    factors : factor name to its items, two or more each; items are matched by name
    kind : of the correlations, for the tables

    Raises
    ------
    TooFewData : a factor of one item, which has no correlation within itself

    References
    ----------
    Henseler, Ringle & Sarstedt 2015, doi 10.1007/s11747-014-0403-8; Roemer, Schuberth & Henseler 2021,
    doi 10.1108/IMDS-02-2021-0082. R: ``semTools::htmt(model, d, htmt2 = FALSE)`` and ``htmt2 = TRUE``
    (which is its default).

    Examples
    --------
    >>> r = np.array([[1, .6, .3, .3], [.6, 1, .3, .3], [.3, .3, 1, .5], [.3, .3, .5, 1]])
    >>> float(htmt(r, tuple("abcd"), {"f": ("a", "b"), "g": ("c", "d")}, "pearson").ratio[0, 1].round(6))
    0.547723
    """
    size = np.abs(matrix)
    places = {name: [names.index(item) for item in items] for name, items in factors.items()}
    single = [name for name, items in places.items() if len(items) < 2]
    if single:
        raise TooFewData(f"HTMT needs two items or more a factor; one only: {', '.join(single)}")
    blocks = list(places.values())
    within = [size[np.ix_(b, b)][np.triu_indices(len(b), 1)] for b in blocks]
    k = len(blocks)
    plain, geometric = np.eye(k), np.eye(k)
    with np.errstate(divide="ignore", invalid="ignore"):
        for i, j in zip(*np.triu_indices(k, 1), strict=True):
            between = size[np.ix_(blocks[i], blocks[j])]
            plain[i, j] = plain[j, i] = between.mean() / np.sqrt(within[i].mean() * within[j].mean())
            logs = [float(np.log(part).mean()) for part in (between, within[i], within[j])]
            geometric[i, j] = geometric[j, i] = np.exp(logs[0] - (logs[1] + logs[2]) / 2)
    return Htmt(tuple(places), plain, geometric, kind)


def htmt_of(items: ItemData, factors: Mapping[str, tuple[str, ...]], kind: Kind = "pearson") -> Htmt:
    """HTMT and HTMT2 of answers, within their groups where they have any.

    Examples
    --------
    >>> from analysis.items import items_of
    >>> d = np.random.default_rng(1).standard_normal((200, 6))
    >>> d[:, :2] += d[:, 4:5]; d[:, 2:4] += d[:, 5:]
    >>> found = htmt_of(items_of(pd.DataFrame(d[:, :4], columns=list("abcd"))), {"f": ("a", "b"), "g": ("c", "d")})
    >>> bool(found.ratio[0, 1] < 0.3)
    True
    """  # noqa: E501
    wanted = tuple(dict.fromkeys(item for named in factors.values() for item in named))
    made = correlate(items.select(wanted), kind)
    return htmt(made.matrix, made.names, factors, kind)
