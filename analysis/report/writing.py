"""Write a report: the page, its tables and its figures."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from analysis.errors import AnalysisError
from analysis.report.document import Report, Table, records
from analysis.report.page import render


class UnwritableFolder(AnalysisError):
    """The folder for the report cannot be made or written."""


@dataclass(frozen=True)
class Written:
    """What was written: the page and how many tables and figures stand beside it."""

    page: Path
    tables: int
    figures: int


def write(report: Report, out: Path) -> Written:
    """Write the page, its tables (CSV, JSON) and figures (SVG); the same report gives the same bytes.

    Raises
    ------
    UnwritableFolder : ``out`` is a file, or may not be written
    """
    try:
        for folder in (out, out / "tables", out / "figures"):
            folder.mkdir(parents=True, exist_ok=True)
        for table in report.tables():
            _write_table(table, out / "tables")
        for figure in report.figures():
            whole(out / "figures" / f"{figure.key}.svg", figure.svg)
        whole(out / "report.html", render(report))
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise UnwritableFolder(f"{out} cannot be written ({reason}); choose another --out") from None
    return Written(out / "report.html", len(report.tables()), len(report.figures()))


def _write_table(table: Table, folder: Path) -> None:
    csv = table.frame.to_csv(index=False, lineterminator="\n", float_format="%.10g")
    whole(folder / f"{table.key}.csv", csv)
    content = {"caption": table.caption, "rows": records(table.frame)}
    whole(folder / f"{table.key}.json", json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def whole(path: Path, text: str) -> None:
    """A reader never sees half a file."""
    draft = path.with_name(f".{path.name}.part")
    draft.write_text(text, encoding="utf-8", newline="\n")
    os.replace(draft, path)
