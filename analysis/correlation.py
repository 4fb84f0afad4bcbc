"""Covariances and correlations within conditions, the default ground of every factor model here.

Pooling people of conditions that differ in their means makes items correlate that do not correlate
within any condition, and a factor appears that is only the manipulation. So each condition's means
are taken out first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.errors import NotPositiveDefinite, TooFewData, UnusableColumn

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Covariance:
    """A covariance matrix with what it was made of.

    Attributes
    ----------
    matrix : (p, p) array, units of the items squared
    items : names of rows and columns
    df : degrees of freedom, N - G for G groups (N - 1 when pooled)
    rows : complete rows used
    dropped : rows left out because an item was missing
    groups : complete rows per group; groups of one row add nothing and are left out
    basis : ``"within conditions"`` or ``"pooled over conditions"``, to be printed beside every result
    """

    matrix: Matrix
    items: tuple[str, ...]
    df: int
    rows: int
    dropped: int
    groups: dict[str, int]
    basis: str

    @property
    def n(self) -> int:
        """The sample size a method that assumes one group should be told: df + 1."""
        return self.df + 1

    @property
    def correlation(self) -> Matrix:
        """The (p, p) correlation matrix."""
        scale = np.sqrt(np.diag(self.matrix))
        made = self.matrix / np.outer(scale, scale)
        np.fill_diagonal(made, 1.0)
        return np.asarray(made, dtype=float)

    def to_frame(self) -> pd.DataFrame:
        """The correlations as a table."""
        return pd.DataFrame(self.correlation, index=list(self.items), columns=list(self.items))

    def summary(self) -> str:
        """One line: items, rows, df and basis."""
        return (
            f"{len(self.items)} items, {self.rows} complete rows ({self.dropped} dropped), "
            f"df = {self.df}, {self.basis}"
        )


def covariance(frame: pd.DataFrame, groups: pd.Series | None = None) -> Covariance:
    r"""Covariance of complete rows, within groups when groups are given.

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
    numbers = _numeric(frame)
    complete = numbers.dropna()
    dropped = len(numbers) - len(complete)
    if groups is None:
        labels = pd.Series("all", index=complete.index)
        basis = "pooled over conditions"
    else:
        labels = groups.reindex(complete.index)
        basis = "within conditions"
    sizes = labels.value_counts().sort_index()
    kept = [str(name) for name, size in sizes.items() if size > 1]
    complete = complete[labels.isin(kept)]
    labels = labels[labels.isin(kept)]
    items = tuple(str(column) for column in numbers.columns)
    df = len(complete) - len(kept)
    if df <= len(items):
        raise TooFewData(
            f"{len(complete)} complete rows in {len(kept)} group(s) leave {max(df, 0)} degrees of freedom "
            f"for {len(items)} items ({items[0]} to {items[-1]}): more rows than items are needed"
        )
    values = complete.to_numpy(dtype=float)
    centred = values - complete.groupby(labels).transform("mean").to_numpy(dtype=float)
    matrix = np.asarray(centred.T @ centred / df, dtype=float)
    flat = [item for item, variance in zip(items, np.diag(matrix), strict=True) if variance < 1e-12]
    if flat:
        raise UnusableColumn(f"no variance {basis} in: {', '.join(flat)}; leave the column out")
    result = Covariance(
        matrix, items, df, len(complete), dropped, {name: int(sizes[name]) for name in kept}, basis
    )
    _refuse_dependence(result)
    return result


def _numeric(frame: pd.DataFrame) -> pd.DataFrame:
    for column in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[column]):
            raise UnusableColumn(f"column {column!r} holds text where numbers are needed")
        if np.isinf(frame[column].to_numpy(dtype=float)).any():
            rows = frame.index[np.isinf(frame[column].to_numpy(dtype=float))][:5].tolist()
            raise UnusableColumn(f"column {column!r} is infinite in row(s) {rows}; mend or empty the cell")
    return frame.astype(float)


def _refuse_dependence(result: Covariance) -> None:
    made = result.correlation
    upper = np.argwhere(np.triu(np.abs(made) > 1 - 1e-10, k=1))
    if len(upper):
        first, second = (result.items[int(i)] for i in upper[0])
        raise UnusableColumn(f"columns {first!r} and {second!r} are copies of each other; leave one out")
    if float(np.linalg.eigvalsh(made)[0]) < 1e-10:
        raise NotPositiveDefinite(
            f"the correlation matrix of {len(result.items)} items is singular: one item is a sum of others "
            "(a score among its own items?); leave it out"
        )
