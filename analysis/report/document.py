"""What a report is made of: sections of paragraphs, notes, tables and figures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

Format = Literal["text", "tight", "whole", "one", "two", "three", "percent", "p"]
MISSING = "–"


@dataclass(frozen=True)
class Column:
    """A column shown on the page; the files hold every column unrounded."""

    name: str
    header: str
    format: Format = "text"


@dataclass(frozen=True)
class Table:
    """A table with a key (its file name) and a caption that can be read alone.

    ``grouped`` columns (the leading ones) show a value once for all rows that follow with the same.
    """

    key: str
    caption: str
    frame: pd.DataFrame
    columns: tuple[Column, ...]
    grouped: int = 0
    kind: str = "table"

    def rows(self) -> list[list[str]]:
        """Cells as shown."""
        made: list[list[str]] = []
        last: list[str] = []
        for record in self.frame.to_dict("records"):
            cells = [shown(record.get(column.name), column.format) for column in self.columns]
            same = 0
            while same < self.grouped and last and cells[: same + 1] == last[: same + 1]:
                same += 1
            last = cells
            made.append([""] * same + cells[same:])
        return made


@dataclass(frozen=True)
class Figure:
    """An SVG with its caption and a description for those who do not see it."""

    key: str
    caption: str
    svg: str
    description: str
    kind: str = "figure"


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str
    kind: str = "text"


@dataclass(frozen=True)
class Note:
    """Something a reader must know: a warning, a limit, or what could not be computed and why."""

    text: str
    kind: str = "note"


Block = Table | Figure | Text | Note


@dataclass(frozen=True)
class Section:
    """A section of the page; ``key`` is its anchor."""

    key: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Report:
    """The whole page."""

    title: str
    subtitle: str
    banner: str
    sections: tuple[Section, ...]

    def tables(self) -> list[Table]:
        """Every table, in order."""
        return [block for section in self.sections for block in section.blocks if isinstance(block, Table)]

    def figures(self) -> list[Figure]:
        """Every figure, in order."""
        return [block for section in self.sections for block in section.blocks if isinstance(block, Figure)]


def shown(value: Any, form: Format) -> str:
    """A cell as printed: a true minus sign, a dash for what is missing, p never 0."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return MISSING
    if form in ("text", "tight") or isinstance(value, str):
        return str(value)
    if form == "whole":
        return minus(f"{value:,.0f}")
    if form == "p":
        return "< .001" if value < 0.001 else f"{value:.3f}".lstrip("0") if value < 1 else "1.00"
    if form == "percent":
        return f"{100 * value:.0f} %"
    return minus(f"{value:,.{ {'one': 1, 'two': 2, 'three': 3}[form] }f}")


def interval(low: float, high: float, digits: int = 2) -> str:
    """``low to high``, as printed beside an estimate."""
    if math.isnan(low) or math.isnan(high):
        return MISSING
    return f"{minus(f'{low:.{digits}f}')} to {minus(f'{high:.{digits}f}')}"


def minus(number: str) -> str:
    """A printed number with a true minus sign, and none before a zero.

    >>> minus("-0.00"), minus("-1.50")
    ('0.00', '−1.50')
    """
    return number.lstrip("-") if not number.strip("-0.,") else number.replace("-", "−")


def records(frame: pd.DataFrame) -> list[Mapping[str, Any]]:
    """Rows for JSON: missing is null, numbers to ten significant digits, so that reruns agree."""
    return [{str(key): _plain(value) for key, value in row.items()} for row in frame.to_dict("records")]


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return None if math.isnan(value) or math.isinf(value) else float(f"{value:.10g}")
    return value if isinstance(value, (str, bool, int)) else str(value)
