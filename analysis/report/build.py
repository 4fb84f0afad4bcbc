"""Build the report of a data set: compute and lay out."""

from __future__ import annotations

from collections.abc import Callable

from analysis.dataset import DataSet
from analysis.report import felt, glance, honest, limits, people, scales
from analysis.report.document import Report, Section
from analysis.report.results import Results, compute

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
