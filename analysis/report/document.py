"""What a report is made of: sections of paragraphs, notes, tables and figures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

Format = Literal["text", "whole", "one", "two", "three", "percent", "p"]
MISSING = "–"


@dataclass(frozen=True)
class Column:
    """A column shown on the page; the files hold every column unrounded."""

    name: str
    header: str
    format: Format = "text"


@dataclass(frozen=True)
class Table:
    """A table with a key (its file name), a caption that can be read alone, and what stands below it."""

    key: str
    caption: str
    frame: pd.DataFrame
    columns: tuple[Column, ...]
    below: str = ""
    kind: str = "table"

    def rows(self) -> list[list[str]]:
        """Cells as shown."""
        return [
            [shown(record.get(column.name), column.format) for column in self.columns]
            for record in self.frame.to_dict("records")
        ]


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
    if form == "text" or isinstance(value, str):
        return str(value)
    if form == "whole":
        return f"{value:,.0f}".replace("-", "−")
    if form == "p":
        return "< .001" if value < 0.001 else f"{value:.3f}".lstrip("0") if value < 1 else "1.00"
    if form == "percent":
        return f"{100 * value:.0f} %"
    digits = {"one": 1, "two": 2, "three": 3}[form]
    return f"{value:.{digits}f}".replace("-", "−")


def interval(low: float, high: float, digits: int = 2) -> str:
    """``low to high``, as printed beside an estimate."""
    if math.isnan(low) or math.isnan(high):
        return MISSING
    return f"{low:.{digits}f} to {high:.{digits}f}".replace("-", "−")


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
