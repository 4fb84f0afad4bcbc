"""Files of a factor analysis: loadings and targets that come in, items, JSON and R code that go out."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.errors import UnknownName, UnusableColumn
from analysis.factor_page import plain, warmth_page
from analysis.factor_run import Findings, Request
from analysis.items import ItemData
from analysis.r_code import Asked, NoRCode, r_code
from analysis.reading import read_table
from analysis.report.writing import UnwritableFolder, whole, write
from analysis.wording import counted

Matrix = NDArray[np.float64]


def read_loadings(path: str | Path) -> pd.DataFrame:
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


def read_target(path: str | Path, items: tuple[str, ...], factors: int) -> Matrix:
    """A (p, k) target, rows in the order of the items, nan where free; matched by name.

    Raises
    ------
    UnknownName : an item has no row
    UnusableColumn : as :func:`read_loadings`, or another number of factors
    """
    frame = read_loadings(path)
    lacking = [item for item in items if item not in frame.index]
    if lacking:
        raise UnknownName(f"{path}: no row for {', '.join(lacking)}; every item needs one, empty where free")
    if frame.shape[1] != factors:
        raise UnusableColumn(
            f"{path}: {counted(frame.shape[1], 'column')} of loadings for {counted(factors, 'factor')}"
        )
    return np.asarray(frame.loc[list(items)].to_numpy(dtype=float), dtype=float)


def turned(before: ItemData, after: ItemData) -> tuple[tuple[str, float], ...]:
    """Items reversed by hand, each with its lowest plus its highest value.

    Raises
    ------
    NoRCode : an item was changed in another way
    """
    found = []
    for i, name in enumerate(after.names):
        plainly, now = before.values[:, i], after.values[:, i]
        known = ~np.isnan(plainly) & ~np.isnan(now)
        if np.array_equal(np.isnan(plainly), np.isnan(now)) and np.array_equal(plainly[known], now[known]):
            continue
        total = (plainly + now)[known]
        if not len(total) or np.ptp(total) > 1e-9:
            raise NoRCode(
                f"{after.source}: {name!r} is changed by its scale description in a way R code is not "
                "written for; add --out DIR, and the code reads DIR/items.csv"
            )
        found.append((name, float(total[0])))
    return tuple(found)


def code_for(
    request: Request,
    data: ItemData,
    path: Path,
    *,
    condition: str | None = None,
    codes: tuple[str, ...] = (),
    turned: tuple[tuple[str, float], ...] = (),
    sep: str | None = None,
    encoding: str | None = None,
) -> str:
    """R code that reads the file the data came from.

    Raises
    ------
    NoRCode : see :func:`analysis.r_code.r_code`
    """
    if path.is_dir():
        # The wide table of an exported data set holds reversed items as columns of their own.
        path = next(iter(sorted((path / "data").glob("*_description-wide_data.csv"))))
    column = None
    if data.groups is not None:
        column = condition
        if column is None:
            names = read_table(path, sep=sep, encoding=encoding).names()
            column = next(name for name in names if name.lower() == "condition")
    asked = _asked(request, data, column, codes, turned)
    return r_code(asked, path, sep=sep, encoding=encoding)


def code_of_items(request: Request, data: ItemData, path: Path, *, named: str = "") -> str:
    """R code that reads the items this program wrote, with codes and keys settled."""
    column = None if data.groups is None else "condition"
    return r_code(_asked(request, data, column, (), ()), path, named=named)


def write_beside(found: Findings, data: ItemData, request: Request, out: Path) -> list[str]:
    """Write items, JSON, R code and the page on warmth into a folder; returns what to tell.

    Raises
    ------
    UnwritableFolder : ``out`` is a file, or may not be written
    """
    told = []
    frame = data.to_frame()
    if data.groups is not None:
        frame.insert(0, "condition", list(data.groups))
    try:
        out.mkdir(parents=True, exist_ok=True)
        whole(out / "items.csv", frame.to_csv(index=False, lineterminator="\n", float_format="%.15g"))
        whole(out / "efa.json", json.dumps(plain(found), ensure_ascii=False, indent=1) + "\n")
        try:
            whole(out / "efa.R", code_of_items(request, data, out / "items.csv", named="items.csv"))
        except NoRCode as reason:
            told.append(f"No efa.R: {reason}")
        if found.warmth is not None:
            made = write(warmth_page(found.warmth, found.source, found.note), out / "warmth")
            told.append(str(made.page))
    except OSError as problem:
        why = problem.strerror or str(problem)
        raise UnwritableFolder(f"{out} cannot be written ({why}); choose another --out") from None
    return told


def _asked(
    request: Request,
    data: ItemData,
    condition: str | None,
    codes: tuple[str, ...],
    turned: tuple[tuple[str, float], ...],
) -> Asked:
    return Asked(
        items=data.names,
        factors=request.factors,
        method=request.method,
        rotation=request.rotation,
        cor=request.cor,
        condition=condition,
        na=data.na,
        codes=codes,
        turned=turned,
        target=request.target,
        draws=request.draws,
    )
