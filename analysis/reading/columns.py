"""What every kind of file is read into: columns that are numbers where they can be, and text as it stood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.errors import UnknownName

Matrix = NDArray[np.float64]

# What programs write where there is no answer; nothing else is taken for missing unasked.
NOTHING = frozenset({"", "na", "n/a", "#n/a", "nan", "null", "none", "."})


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes
    ----------
    name : as the header has it
    cells : text of each row; None where nothing was answered, or a code of a missing answer stood
    numbers : the cells as numbers; NaN where there is no answer, or text
    wording : the text of the question, where the file holds it
    labels : labels of values
    bounds : lowest and highest labelled value, where at least two are labelled
    coded : answers set missing because of a code, by code
    """

    name: str
    cells: tuple[str | None, ...]
    numbers: Matrix
    wording: str = ""
    labels: Mapping[float, str] = field(default_factory=dict)
    bounds: tuple[float, float] | None = None
    coded: Mapping[str, int] = field(default_factory=dict)

    def text_rows(self) -> list[int]:
        """Positions of cells that hold text."""
        return [
            i
            for i, (cell, number) in enumerate(zip(self.cells, self.numbers, strict=True))
            if cell is not None and np.isnan(number)
        ]


@dataclass(frozen=True)
class Table:
    """Columns of one file, with the place of each row in it."""

    source: str
    columns: tuple[Column, ...]
    rows: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    def names(self) -> list[str]:
        """Names of the columns, in order."""
        return [column.name for column in self.columns]

    def column(self, name: str) -> Column:
        """A column by name.

        Raises
        ------
        UnknownName : naming the columns there are
        """
        for column in self.columns:
            if column.name == name:
                return column
        raise UnknownName(f"{self.source}: no column {name!r}; there are: {', '.join(self.names()[:30])}")


def column_of(name: str, texts: Sequence[str], missing: Sequence[str], **more: Any) -> Column:
    """A column of text cells, with codes of missing answers taken out.

    Examples
    --------
    >>> column_of("q1", ["1", " 2 ", "99", "", "often"], ["99"]).numbers.tolist()
    [1.0, 2.0, nan, nan, nan]
    """
    numeric_codes = {number for code in missing if (number := as_number(code)) is not None}
    cells: list[str | None] = []
    numbers = np.full(len(texts), np.nan)
    coded: dict[str, int] = {}
    for i, text in enumerate(texts):
        cell = text.strip()
        number = as_number(cell)
        if cell in missing or (number is not None and number in numeric_codes):
            coded[cell] = coded.get(cell, 0) + 1
            cells.append(None)
        elif cell.lower() in NOTHING:
            cells.append(None)
        else:
            cells.append(cell)
            if number is not None:
                numbers[i] = number
    return Column(name, tuple(cells), numbers, coded=coded, **more)


def as_number(text: str) -> float | None:
    """The number a cell holds; None for text.

    >>> as_number("1e3"), as_number("-Inf"), as_number("1_000"), as_number("nan")
    (1000.0, -inf, None, None)
    """
    if not text or "_" in text:
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return None if number != number else number
