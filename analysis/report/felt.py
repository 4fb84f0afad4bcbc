"""Sections about what participants say: felt and perceived cells, process, checks, and beliefs."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis.beliefs import trust
from analysis.effects import Contrast, Effects
from analysis.figures import svg
from analysis.outcomes import outcomes
from analysis.report.document import Block, Column, Figure, Note, Section, Table, Text, interval
from analysis.report.results import Results

CONTRAST_COLUMNS = (
    Column("shown", "Outcome"),
    Column("contrast", "Contrast", "tight"),
    Column("estimate", "Difference", "two"),
    Column("interval", "95 % interval", "tight"),
    Column("unit", "In", "tight"),
    Column("p", "p", "p"),
    Column("p_holm", "p, Holm", "p"),
    Column("n", "n", "tight"),
    Column("method", "Method"),
)


def contrast_frame(contrasts: Sequence[Contrast]) -> pd.DataFrame:
    """Contrasts with the columns a page shows: interval, contrast and n as text, the primary one marked."""
    frame = Effects(tuple(contrasts), ()).to_frame()
    digits = [1 if contrast.unit == "percentage points" else 2 for contrast in contrasts]
    frame["contrast"] = [f"{c.level} − {c.reference}" for c in contrasts]
    frame["interval"] = [interval(c.low, c.high, d) for c, d in zip(contrasts, digits, strict=True)]
    frame["n"] = [f"{c.n_level} / {c.n_reference}" for c in contrasts]
    frame["shown"] = [f"{c.label} (primary)" if c.role == "primary" else c.label for c in contrasts]
    return frame


def cell(results: Results, family: str, key: str, title: str, intro: str) -> Section:
    """Means by condition and effects of one cell that participants answer."""
    blocks: list[Block] = [Text(intro)]
    found = outcomes(results.data, family)
    rows = []
    for outcome in found:
        for condition in results.conditions:
            people = results.participants
            values = people.loc[people["condition"] == condition, outcome.column].dropna()
            rows.append(
                {
                    "label": outcome.label,
                    "condition": results.label(condition),
                    "n": len(values),
                    "mean": float(values.mean()) if len(values) else None,
                    "sd": float(values.std()) if len(values) > 1 else None,
                    "range": outcome.unit.removeprefix("points ").strip("()"),
                }
            )
    if not rows:
        return Section(
            key, title, (*blocks, Note("Nothing of this cell was asked, or nobody was allocated."))
        )
    blocks.append(
        Table(
            f"{family}_means",
            "Means by condition.",
            pd.DataFrame(rows),
            (
                Column("label", "Outcome"),
                Column("range", "Range", "tight"),
                Column("condition", "Condition", "tight"),
                Column("n", "n", "whole"),
                Column("mean", "Mean", "two"),
                Column("sd", "SD", "two"),
            ),
            grouped=2,
        )
    )
    contrasts = results.contrasts(family)
    filled = " The primary outcome is filled." if any(c.role == "primary" for c in contrasts) else ""
    if contrasts:
        blocks += [
            Table(
                f"{family}_effects",
                "Effects in scale points with 95 % intervals (n: level / reference). The last p is "
                "Holm-adjusted "
                "over all rows of this table.",
                contrast_frame(contrasts),
                CONTRAST_COLUMNS,
            ),
            Figure(
                f"{family}_effects",
                f"Effects with 95 % intervals.{filled} Panels differ in their scale points.",
                svg(Effects(contrasts, ()).plot(results.data.note)),
                "; ".join(contrast.summary() for contrast in contrasts),
            ),
        ]
        blocks += remarks(contrasts)
    else:
        blocks.append(
            Note("Nothing could be compared: two conditions with two participants each are needed.")
        )
    return Section(key, title, tuple(blocks))


def remarks(contrasts: Sequence[Contrast]) -> list[Note]:
    """What must be said beside contrasts, each thing once with the outcomes it concerns."""
    gathered: dict[str, list[str]] = {}
    for contrast in contrasts:
        for warning in contrast.warnings:
            gathered.setdefault(warning, []).append(contrast.label)
    return [
        Note(f"{warning[0].upper()}{warning[1:]} ({', '.join(dict.fromkeys(labels))}).")
        for warning, labels in gathered.items()
    ]


def beliefs(results: Results) -> Section:
    """Participants' own discernment and agreement bias, and trust placed wrongly."""
    rows = []
    for condition in results.conditions:
        part = results.beliefs[results.beliefs["condition"] == condition]
        if part.empty:
            continue
        row: dict[str, object] = {"condition": results.label(condition), "participants": len(part)}
        for measure in ("discernment", "bias"):
            for when in ("before", "after"):
                values = part[f"{measure}_{when}"].dropna()
                row[f"{measure}_{when}"] = float(values.mean()) if len(values) else None
        rows.append(row)
    blocks: list[Block] = [
        Text(
            "Discernment is the mean belief in true claims minus that in false ones (0 to 100 each); "
            "agreement "
            "bias is the mean of both minus 50. The Solomon share of sessions rates no claims."
        )
    ]
    if not rows:
        return Section("beliefs", "What participants believe", (*blocks, Note("No claims were rated.")))
    blocks.append(
        Table(
            "beliefs",
            "Participants' discernment and agreement bias, before and after the conversation (means).",
            pd.DataFrame(rows),
            (
                Column("condition", "Condition"),
                Column("participants", "Participants", "whole"),
                Column("discernment_before", "Discernment before", "one"),
                Column("discernment_after", "after", "one"),
                Column("bias_before", "Agreement bias before", "one"),
                Column("bias_after", "after", "one"),
            ),
        )
    )
    contrasts = results.contrasts("beliefs")
    if contrasts:
        blocks.append(
            Table(
                "belief_effects",
                "Effects on participants' beliefs, at equal beliefs before.",
                contrast_frame(contrasts),
                CONTRAST_COLUMNS,
            )
        )
        blocks += remarks(contrasts)
    trusted = trust(results.cards)
    if not trusted.empty:
        trusted["condition"] = trusted["condition"].map(results.label)
        blocks.append(
            Table(
                "trust",
                "“Was what it told you right?” (0 to 100) where the partner was right and where it was "
                "wrong. "
                "High where it was wrong is over-trust, low where it was right is under-trust.",
                trusted,
                (
                    Column("condition", "Condition"),
                    Column("partner_was", "The partner was"),
                    Column("mean_right_rating", "Mean rating", "one"),
                    Column("cards", "Claims", "whole"),
                    Column("participants", "Participants", "whole"),
                ),
            )
        )
    return Section("beliefs", "What participants believe", tuple(blocks))
