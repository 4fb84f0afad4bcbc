"""A description of items as a page and as plain data."""

from __future__ import annotations

from typing import Any

from analysis.describe import Description
from analysis.figures import svg
from analysis.report.document import Block, Column, Figure, Note, Report, Section, Table, Text

STATISTICS = (
    Column("item", "Item"),
    Column("n", "n", "whole"),
    Column("missing", "Missing", "whole"),
    Column("mean", "Mean", "two"),
    Column("sd", "SD", "two"),
    Column("median", "Median", "one"),
    Column("min", "Min", "one"),
    Column("max", "Max", "one"),
    Column("skew", "Skew", "two"),
    Column("kurtosis", "Kurtosis", "two"),
    Column("floor", "Floor", "percent"),
    Column("ceiling", "Ceiling", "percent"),
    Column("item_rest", "Item-rest r", "two"),
)
PATTERNS = (
    Column("missing", "Missing together"),
    Column("items_missing", "Items", "whole"),
    Column("rows", "Rows", "whole"),
)
GROUPS = (
    Column("group", "Group"),
    Column("rows", "Rows", "whole"),
    Column("complete", "Complete", "whole"),
    Column("missing_answers", "Missing answers", "whole"),
)


def page(found: Description) -> Report:
    """The page of a description."""
    items = found.items
    worded = [(name, text) for name, text in zip(items.names, items.wordings, strict=True) if text]
    statistics: list[Block] = [
        Text(f"{found.summary()}."),
        *(Note(f"{warning[0].upper()}{warning[1:]}.") for warning in found.warnings),
        Table(
            "items",
            "Floor and ceiling are the shares of answers at the lowest and highest value there can be (or, "
            "without bounds, there is). Item-rest r is the correlation with the sum of the other items, in "
            f"complete rows{', ' + found.basis if found.basis else ''}. Skew and kurtosis are 0 for a normal "
            "distribution.",
            found.table,
            STATISTICS,
        ),
        Figure(
            "histograms",
            "How often each answer was given.",
            svg(found.plot(items.note)),
            f"Histograms of {len(items.names)} items; the table of items holds their means and spread.",
        ),
    ]
    missing: list[Block] = [
        Table("groups", "Rows of each group.", found.missing.by_group, GROUPS),
        Table("missing_patterns", "Which answers are missing together.", found.missing.to_frame(), PATTERNS),
    ]
    sections = [
        Section("items", "Items", tuple(statistics)),
        Section("missing", "Missing answers", tuple(missing)),
    ]
    if worded:
        import pandas as pd

        wordings = Table(
            "wordings",
            "Wordings, as the file or the scale description has them.",
            pd.DataFrame(worded, columns=["item", "wording"]),
            (Column("item", "Item"), Column("wording", "Wording")),
        )
        sections.append(Section("wordings", "Wordings", (wordings,)))
    return Report("Items", items.source, items.note, tuple(sections))


def plain(found: Description) -> dict[str, Any]:
    """The description for ``--json``."""
    return {
        "command": "describe",
        "source": found.items.source,
        "note": found.items.note,
        "n": found.items.n,
        "complete": found.missing.complete,
        "items": found.items.names,
        "statistics": found.table,
        "missing_patterns": [{"missing": names, "rows": count} for names, count in found.missing.patterns],
        "groups": found.missing.by_group,
        "basis": found.basis,
        "warnings": found.warnings,
    }
