"""``python -m analysis report``: the whole report of a data set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from analysis.cli.running import refusing


def report(
    data: Annotated[Path, typer.Argument(help="Folder that 'manage.py export' wrote.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", help="Folder for the page, tables and figures.")],
    mixed: Annotated[
        bool, typer.Option("--mixed", help="Analyse live, pilot, preview and simulated sessions together.")
    ] = False,
) -> None:
    """Write the report of a data set: one page, its tables (CSV, JSON) and figures (SVG).

    Example: python -m analysis report exports/warm-and-plain --out reports/warm-and-plain
    """
    with refusing():
        # Imported here, so that --help answers at once.
        from analysis.dataset import read
        from analysis.report.build import MAKERS, build
        from analysis.report.writing import write

        with Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        ) as bar:
            task = bar.add_task("reading", total=len(MAKERS) + 2)

            def told(stage: str) -> None:
                bar.update(task, advance=1, description=stage)

            written = write(build(read(data, mixed=mixed), progress=told), out)
    Console().print(
        f"{written.page} ({written.tables} tables, {written.figures} figures)",
        soft_wrap=True,
        highlight=False,
    )
