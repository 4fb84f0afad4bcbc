"""Tables of loadings from files: published ones to compare with, targets to rotate to."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.errors import UnknownName, UnusableColumn
from analysis.reading import read_table

Matrix = NDArray[np.float64]


def read(path: str | Path) -> pd.DataFrame:
    """Loadings from a CSV: items in the first column, one column a factor.

    Raises
    ------
    UnreadableFile : no such file, or no table
    UnusableColumn : a cell that is no number, fewer than two columns, or an item that stands twice
    """
    table = read_table(Path(path))
    if len(table.columns) < 2:
        raise UnusableColumn(f"{path}: items are due in the first column and a factor in each other column")
    items = table.columns[0]
    named = [cell if cell is not None else "" for cell in items.cells]
    twice = sorted({name for name in named if named.count(name) > 1})
    if twice or "" in named:
        what = f"{', '.join(twice)} stands twice" if twice else "a row names no item"
        raise UnusableColumn(f"{path}: {what} in the first column ({items.name!r})")
    for column in table.columns[1:]:
        text = column.text_rows()
        if text:
            raise UnusableColumn(
                f"{path}: {column.cells[text[0]]!r} in column {column.name!r}, {table.rows[text[0]]}, is no "
                "number; leave a cell empty where a loading is not known or free"
            )
    return pd.DataFrame({column.name: column.numbers for column in table.columns[1:]}, index=named)


def target(path: str | Path, items: tuple[str, ...], factors: int) -> Matrix:
    """A (p, k) target, rows in the order of the items, nan where free; matched by name.

    Raises
    ------
    UnknownName : an item has no row
    UnusableColumn : as :func:`read`, or another number of factors
    """
    frame = read(path)
    lacking = [item for item in items if item not in frame.index]
    if lacking:
        raise UnknownName(f"{path}: no row for {', '.join(lacking)}; every item needs one, empty where free")
    if frame.shape[1] != factors:
        raise UnusableColumn(f"{path}: {frame.shape[1]} column(s) of loadings for {factors} factor(s)")
    return np.asarray(frame.loc[list(items)].to_numpy(dtype=float), dtype=float)
