"""Covariances and correlations within conditions, the default ground of every factor model here.

Pooling people of conditions that differ in their means makes items correlate that do not correlate
within any condition, and a factor appears that is only the manipulation. So each condition's means
are taken out first.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from analysis import validation
from analysis.errors import ConstantColumn, TextCell, TooFewData
from analysis.items import ItemData, MissingPolicy
from analysis.polychoric import Thresholds, polychoric
from analysis.wording import counted

Matrix = NDArray[np.float64]
Counts = NDArray[np.int64]
Kind = Literal["pearson", "spearman", "polychoric"]


@dataclass(frozen=True)
class Covariance:
    """A covariance matrix with what it was made of.

    Attributes
    ----------
    matrix : (p, p) array, units of the items squared
    items : names of rows and columns
    df : degrees of freedom, N - G for G groups (N - 1 when pooled); pairwise, those of the poorest pair
    rows : rows used: complete ones, or (pairwise) those of the poorest pair
    dropped : rows left out because an item was missing
    groups : rows per group; groups of one row add nothing and are left out
    basis : ``"within conditions"``, ``"pooled over conditions"`` or ``"one group"``, to be printed beside
        every result
    na : ``"listwise"`` or ``"pairwise"``
    warnings : what to print beside every number made of it
    """

    matrix: Matrix
    items: tuple[str, ...]
    df: int
    rows: int
    dropped: int
    groups: dict[str, int]
    basis: str
    na: MissingPolicy = "listwise"
    warnings: tuple[str, ...] = field(default=())

    @property
    def n(self) -> int:
        """The sample size a method that assumes one group should be told: df + 1."""
        return self.df + 1

    @property
    def correlation(self) -> Matrix:
        """The (p, p) correlation matrix."""
        return _scaled(self.matrix)

    def to_frame(self) -> pd.DataFrame:
        """The correlations as a table."""
        return pd.DataFrame(self.correlation, index=list(self.items), columns=list(self.items))

    def summary(self) -> str:
        """One line: items, rows, df and basis."""
        return (
            f"{len(self.items)} items, {self.rows} complete rows ({self.dropped} dropped), "
            f"df = {self.df}, {self.basis}"
        )


@dataclass(frozen=True)
class Correlation:
    """A correlation matrix with what it was made of.

    Attributes
    ----------
    matrix : (p, p) array
    names : names of rows and columns
    n : the sample size a method that assumes one group should be told, df + 1
    kind : ``"pearson"``, ``"spearman"`` or ``"polychoric"``
    df, rows, dropped, groups, basis, na, warnings : as of ``Covariance``
    thresholds : per group and item, of polychoric correlations only
    """

    matrix: Matrix
    names: tuple[str, ...]
    n: int
    kind: Kind
    df: int
    rows: int
    dropped: int
    groups: dict[str, int]
    basis: str
    na: MissingPolicy
    warnings: tuple[str, ...]
    thresholds: Thresholds | None = None

    def to_frame(self) -> pd.DataFrame:
        """The correlations as a table."""
        return pd.DataFrame(self.matrix, index=list(self.names), columns=list(self.names))

    def summary(self) -> str:
        """One line: kind, items, rows and basis."""
        rows = (
            f"{self.rows} complete rows ({self.dropped} dropped)"
            if self.na == "listwise"
            else f"at least {self.rows} rows a pair"
        )
        return f"{self.kind} correlations of {len(self.names)} items, {rows}, {self.basis}"


def covariance(frame: pd.DataFrame, groups: pd.Series | None = None) -> Covariance:
    r"""Covariance of complete rows of a table, within groups when groups are given.

    .. math:: S_w = \frac{1}{N - G} \sum_g \sum_{i \in g} (x_i - \bar x_g)(x_i - \bar x_g)^\top

    Parameters
    ----------
    frame : numeric items in columns, one row a person; rows with a missing cell are dropped
    groups : the condition of each row (same index), or None to pool everybody

    Raises
    ------
    UnusableColumn : a column is not numeric, infinite, constant within groups, or a copy of another
    TooFewData : df not above the number of items, so the matrix could not be of full rank
    NotPositiveDefinite : items are linearly dependent

    References
    ----------
    Checked against R: ``cov(residuals(lm(as.matrix(d) ~ g))) * (N - 1) / (N - G)``.

    Examples
    --------
    >>> import pandas as pd
    >>> d = pd.DataFrame({"a": [1, 2, 3, 11, 12, 14], "b": [2, 1, 3, 12, 11, 13]})
    >>> covariance(d, pd.Series(["x"] * 3 + ["y"] * 3)).df
    4
    """
    for column in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[column]):
            raise TextCell(f"column {column!r} holds text where numbers are needed")
    labels = None if groups is None else groups.reindex(frame.index)
    kept = np.ones(len(frame), dtype=bool) if labels is None else labels.notna().to_numpy(dtype=bool)
    items = ItemData(
        names=tuple(str(column) for column in frame.columns),
        values=frame.to_numpy(dtype=float)[kept],
        groups=None if labels is None else tuple(str(label) for label in labels[kept]),
        rows=tuple(f"row {label}" for label in frame.index[kept]),
        source="the items",
        pooled=labels is None,
    )
    return covariance_of(items)


def covariance_of(items: ItemData, *, within: bool = True, na: MissingPolicy | None = None) -> Covariance:
    """Covariance of items, within their groups where they have any.

    Parameters
    ----------
    items : answers; reversed already where they are keyed negatively
    within : take out the means of each group first
    na : ``"listwise"`` uses rows without a missing answer, ``"pairwise"`` all rows each pair of items has;
        None: as the items say

    Raises
    ------
    UnusableColumn, TooFewData, NotPositiveDefinite : as ``covariance``

    References
    ----------
    R: ``cov(d)``, ``cov(d, use = "pairwise")`` for one group.
    """
    used, told = _ready(items, within)
    policy = na or items.na
    if policy == "listwise":
        used, sizes, dropped = _complete(used)
    else:
        sizes = {name: len(rows) for name, rows in used.group_members().items()}
        dropped = 0
    sums, counts, squares = _cross_products(used)
    pairs_df = counts - _groups_of_pairs(used)
    _refuse_few(pairs_df, used, sizes)
    matrix = np.asarray(sums / pairs_df, dtype=float)
    flat = [name for name, v in zip(used.names, np.diag(matrix), strict=True) if v < 1e-12]
    if flat:
        raise ConstantColumn(
            f"no variance {_basis(items, within)} in: {', '.join(flat)}; leave the column out"
        )
    correlation = sums / np.sqrt(squares * squares.T) if policy == "pairwise" else _scaled(matrix)
    validation.refuse_dependence(_symmetric(correlation), used.names, policy)
    return Covariance(
        _symmetric(matrix), used.names, int(pairs_df.min()), int(counts.min()), dropped, sizes,
        _basis(items, within), policy, told,
    )  # fmt: skip


def correlate(
    items: ItemData, kind: Kind = "pearson", *, within: bool = True, na: MissingPolicy | None = None
) -> Correlation:
    """Correlations of items, within their groups where they have any.

    Pearson's are those of deviations from the groups' means. Spearman's are Pearson's of ranks taken in
    each group and divided by its size plus one, so that a large group does not outweigh the others.
    Polychoric ones share one correlation over groups that each have thresholds of their own.

    Parameters
    ----------
    items : answers; reversed already where they are keyed negatively
    kind : ``"pearson"``, ``"spearman"`` or ``"polychoric"``
    within : False to pool the groups
    na : ``"listwise"`` or ``"pairwise"``; None: as the items say

    Raises
    ------
    UnusableColumn, TooFewData, NotPositiveDefinite : before any number is made; see ``analysis.validation``

    References
    ----------
    R, for one group: ``cor(d)``, ``cor(d, method = "spearman")``, ``psych::polychoric(d)$rho``.

    Examples
    --------
    >>> import pandas as pd
    >>> from analysis.items import items_of
    >>> d = pd.DataFrame({"a": [1, 2, 3, 4, 5, 9], "b": [2, 1, 4, 3, 6, 5], "c": [1, 3, 2, 6, 4, 5]})
    >>> correlate(items_of(d), "spearman").matrix.round(3)[0].tolist()
    [1.0, 0.829, 0.771]
    """
    used, told = _ready(items, within)
    policy = na or items.na
    sizes = {name: len(rows) for name, rows in used.group_members().items()}
    dropped = 0
    if policy == "listwise":
        used, sizes, dropped = _complete(used)
    counts = _cross_products(used)[1]
    pairs_df = counts - _groups_of_pairs(used)
    _refuse_few(pairs_df, used, sizes)
    thresholds = None
    if kind == "polychoric":
        found = polychoric(used)
        matrix, thresholds = found.matrix, found.thresholds
        told = (*told, *found.warnings)
    elif kind == "spearman" and policy == "pairwise" and np.isnan(used.values).any():
        matrix = _pairwise_ranks(used)
    else:
        sums, _, squares = _cross_products(_ranked(used) if kind == "spearman" else used)
        matrix = sums / np.sqrt(squares * squares.T)
    matrix = _symmetric(matrix)
    np.fill_diagonal(matrix, 1.0)
    validation.refuse_dependence(matrix, used.names, policy)
    df = int(pairs_df.min())
    return Correlation(
        matrix, used.names, df + 1, kind, df, int(counts.min()), dropped, sizes, _basis(items, within),
        policy, told, thresholds,
    )  # fmt: skip


def _ready(items: ItemData, within: bool) -> tuple[ItemData, tuple[str, ...]]:
    """The items as asked for (pooled or not), looked at, with all there is to say of them."""
    used = items if within or items.groups is None else replace(items, groups=None)
    found = validation.refuse(used)
    return used, (*items.warnings, *found)


def _complete(items: ItemData) -> tuple[ItemData, dict[str, int], int]:
    complete = items.complete()
    dropped = items.n - complete.n
    members = complete.group_members()
    sizes = {name: len(rows) for name, rows in members.items() if len(rows) > 1}
    if complete.groups is not None and len(sizes) < len(members):
        complete = complete.take(np.isin(np.array(complete.groups, dtype=object), list(sizes)))
    return complete, dict(sorted(sizes.items())), dropped


def _cross_products(items: ItemData) -> tuple[Matrix, Counts, Matrix]:
    """Sums of products, rows, and squares of the first item, over the rows both items of a pair have."""
    p = len(items.names)
    sums, squares, counts = np.zeros((p, p)), np.zeros((p, p)), np.zeros((p, p), dtype=np.int64)
    for rows in items.group_members().values():
        values = items.values[rows]
        present = ~np.isnan(values)
        n = present.T.astype(float) @ present
        held = np.maximum(n, 1)
        totals = np.where(present, values, 0.0).sum(axis=0) / np.maximum(present.sum(axis=0), 1)
        # Centred first: products of large numbers would lose the digits that matter.
        centred = np.where(present, values - totals, 0.0)
        shift = centred.T @ present
        sums += centred.T @ centred - shift * shift.T / held
        squares += (centred**2).T @ present - shift**2 / held
        counts += n.astype(np.int64)
    return sums, counts, squares


def _groups_of_pairs(items: ItemData) -> Counts:
    """How many groups have rows for each pair of items."""
    p = len(items.names)
    made = np.zeros((p, p), dtype=np.int64)
    for rows in items.group_members().values():
        present = (~np.isnan(items.values[rows])).astype(float)
        made += (present.T @ present > 0).astype(np.int64)
    return made


def _refuse_few(pairs_df: Counts, items: ItemData, sizes: dict[str, int]) -> None:
    df, p = int(pairs_df.min()) if pairs_df.size else 0, len(items.names)
    if df <= p:
        raise TooFewData(
            f"{sum(sizes.values())} complete rows in {counted(len(sizes), 'group')} leave "
            f"{max(df, 0)} degrees of "
            f"freedom for {p} items ({items.names[0]} to {items.names[-1]}): more rows than items are needed"
        )


def _ranked(items: ItemData) -> ItemData:
    values = items.values.copy()
    for rows in items.group_members().values():
        values[rows] = stats.rankdata(items.values[rows], axis=0, nan_policy="omit") / (len(rows) + 1)
    return replace(items, values=values)


def _pairwise_ranks(items: ItemData) -> Matrix:
    """Ranks among the rows that both items of a pair have, as R's ``cor(use = "pairwise")`` takes them."""
    p = len(items.names)
    made = np.eye(p)
    for i in range(p):
        for j in range(i):
            both = replace(
                items, names=("i", "j"), values=items.values[:, [i, j]], bounds=(), wordings=(), labels=()
            )
            sums, _, squares = _cross_products(_ranked(both.complete()))
            made[i, j] = made[j, i] = sums[0, 1] / np.sqrt(squares[0, 1] * squares[1, 0])
    return made


def _basis(items: ItemData, within: bool) -> str:
    if items.groups is not None and within:
        return "within conditions"
    return "pooled over conditions" if items.groups is not None or items.pooled else "one group"


def _scaled(matrix: Matrix) -> Matrix:
    scale = np.sqrt(np.diag(matrix))
    made = matrix / np.outer(scale, scale)
    np.fill_diagonal(made, 1.0)
    return np.asarray(made, dtype=float)


def _symmetric(matrix: Matrix) -> Matrix:
    return np.asarray((matrix + matrix.T) / 2, dtype=float)
