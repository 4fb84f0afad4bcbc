"""How every command reads its items, refuses, and shows what it found."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from analysis.errors import AnalysisError

if TYPE_CHECKING:
    from analysis.items import ItemData
    from analysis.report.document import Report, Table

WIDTH = 100


@contextmanager
def refusing() -> Iterator[None]:
    """Turn what an analyst can mend into one line and exit code 1."""
    try:
        yield
    except AnalysisError as problem:
        Console(stderr=True).print(
            f"[bold]Refused:[/bold] {escape(str(problem))}", soft_wrap=True, highlight=False
        )
        raise typer.Exit(1) from None


def items_from(
    data: Path,
    *,
    items: str | None,
    condition: str | None = None,
    pooled: bool = False,
    reverse: Sequence[str] | None = None,
    missing: Sequence[str] | None = None,
    na: str = "listwise",
    scale: Path | None = None,
    sep: str | None = None,
    encoding: str | None = None,
    mixed: bool = False,
) -> ItemData:
    """The items a command was asked to analyse."""
    if condition is not None and pooled:
        raise typer.BadParameter("--condition and --pooled exclude each other")
    from analysis.loading import load_items

    return load_items(
        data,
        items=items,
        condition=condition,
        pooled=pooled,
        scale=scale,
        reverse=reverse or (),
        sep=sep,
        encoding=encoding,
        missing=[code.strip() for text in missing or () for code in text.split(",")],
        na="pairwise" if na == "pairwise" else "listwise",
        mixed=mixed,
    )


def finish(report: Report, result: Mapping[str, Any], *, as_json: bool, out: Path | None) -> None:
    """Write the page where asked, and print the result: as JSON, or as the page's text and tables."""
    if out is not None:
        from analysis.report.writing import write

        written = write(report, out)
        Console(stderr=True).print(
            f"{written.page} ({written.tables} tables, {written.figures} figures)",
            soft_wrap=True,
            highlight=False,
        )
    if as_json:
        # Plain: no colours, no wrapping, so that it can be piped.
        typer.echo(json.dumps(plain(result), ensure_ascii=False, indent=1))
    else:
        show(report)


def show(report: Report) -> None:
    """The page in the terminal: paragraphs, remarks and tables; figures only with ``--out``."""
    from analysis.report.document import Note, Table, Text

    console = Console(highlight=False)
    # A narrow terminal or a pipe would lose columns; wide lines can be scrolled.
    console.width = max(console.width, WIDTH + 20)
    console.print(f"[bold]{escape(report.title)}[/bold]  {escape(report.subtitle)}", soft_wrap=True)
    if report.banner:
        console.print(f"[bold]{escape(report.banner)}[/bold]", soft_wrap=True)
    for section in report.sections:
        console.print(f"\n[bold]{escape(section.title)}[/bold]")
        for block in section.blocks:
            if isinstance(block, Table):
                console.print(
                    textwrap.fill(block.caption, WIDTH), markup=False, soft_wrap=True, style="italic"
                )
                console.print(_grid(block))
            elif isinstance(block, (Note, Text)):
                mark = "! " if isinstance(block, Note) else ""
                console.print(textwrap.fill(f"{mark}{block.text}", WIDTH), markup=False, soft_wrap=True)


def plain(value: Any) -> Any:
    """A result as JSON can hold it: arrays as lists, tables as rows, what is missing as null."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if hasattr(value, "to_dict"):
        return plain(value.to_dict("records"))
    return plain(value.tolist())


def _grid(table: Table) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD)
    for column in table.columns:
        number = column.format not in ("text", "tight")
        grid.add_column(
            escape(column.header),
            justify="right" if number else "left",
            no_wrap=number or column.format == "tight",
        )
    for row in table.rows():
        grid.add_row(*(escape(cell) for cell in row))
    return grid
