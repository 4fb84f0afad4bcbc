"""Build a report: compute, lay out, write."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from analysis.dataset import DataSet
from analysis.errors import AnalysisError
from analysis.report import felt, glance, honest, limits, people, scales
from analysis.report.document import Report, Section, Table, records
from analysis.report.page import render
from analysis.report.results import Results, compute


class UnwritableFolder(AnalysisError):
    """The folder for the report cannot be made or written."""


@dataclass(frozen=True)
class Written:
    """What was written: the page and how many tables and figures stand beside it."""

    page: Path
    tables: int
    figures: int


Maker = Callable[[Results], Section | list[Section]]

FELT = (
    "Felt support, as participants say it. Effects are differences in scale points; where a score was also "
    "asked before allocation, they are differences at equal starting points."
)
PERCEIVED = "Honesty and trust as participants perceive them: apart from what the partner told."
PROCESS = "The partner as participants model it, and its presence: beside the four cells, never mixed in."
CHECKS = (
    "Did the manipulation move what it should (rated warmth), and leave alone what it should (rated "
    "agreement)? "
    "Never read a condition as neutral without these."
)

MAKERS: tuple[tuple[str, Maker], ...] = (
    ("at a glance", glance.glance),
    ("participants", people.flow),
    ("demographics", people.demographics),
    ("data quality", people.quality),
    ("reliability", scales.reliabilities),
    ("factor analysis", scales.factor_analyses),
    ("manipulation checks", lambda r: felt.cell(r, "check", "checks", "Manipulation checks", CHECKS)),
    ("felt support", lambda r: felt.cell(r, "felt", "felt", "The felt cell", FELT)),
    ("perceived honesty", lambda r: felt.cell(r, "perceived", "perceived", "The perceived cell", PERCEIVED)),
    ("partner model", lambda r: felt.cell(r, "process", "process", "Partner model and presence", PROCESS)),
    ("honest cell", honest.honest_cell),
    ("private stances", honest.knowledge),
    ("persona and history", honest.shadows),
    ("discernment", honest.discernment),
    ("live cards", honest.live),
    ("beliefs", felt.beliefs),
    ("limits", limits.limits),
    ("provenance", limits.provenance),
)


def build(data: DataSet, *, progress: Callable[[str], None] = lambda stage: None) -> Report:
    """Compute every section. ``progress`` is told each stage before it begins."""
    progress("effects")
    results = compute(data)
    sections: list[Section] = []
    for stage, make in MAKERS:
        progress(stage)
        made = make(results)
        sections += made if isinstance(made, list) else [made]
    versions = ", ".join(
        f"{entry['number']} ({entry['kind']})" for entry in data.manifest.get("study_versions", [])
    )
    return Report(
        title=data.design.title,
        subtitle=f"Study {data.design.slug}; versions {versions or 'none'}",
        banner=data.note,
        sections=tuple(sections),
    )


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
            _whole(out / "figures" / f"{figure.key}.svg", figure.svg)
        _whole(out / "report.html", render(report))
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise UnwritableFolder(f"{out} cannot be written ({reason}); choose another --out") from None
    return Written(out / "report.html", len(report.tables()), len(report.figures()))


def _write_table(table: Table, folder: Path) -> None:
    csv = table.frame.to_csv(index=False, lineterminator="\n", float_format="%.10g")
    _whole(folder / f"{table.key}.csv", csv)
    content = {"caption": table.caption, "rows": records(table.frame)}
    _whole(folder / f"{table.key}.json", json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def _whole(path: Path, text: str) -> None:
    """A reader never sees half a file."""
    draft = path.with_name(f".{path.name}.part")
    draft.write_text(text, encoding="utf-8", newline="\n")
    os.replace(draft, path)
