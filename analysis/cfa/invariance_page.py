"""A ladder of invariance, or the model with groups as predictors, as a page."""

from __future__ import annotations

from typing import Any

import pandas as pd

from analysis.cfa.invariance import Invariance
from analysis.cfa.mimic import Mimic
from analysis.cfa.page import ESTIMATORS, notes
from analysis.figures import svg
from analysis.report.document import Block, Column, Figure, Report, Section, Table, Text, interval


def page(found: Invariance) -> Report:
    """The whole page."""
    sizes = ", ".join(f"{name}: {n}" for name, n in found.sizes.items())
    sections = [
        Section(
            "glance",
            "Results",
            (
                Text(
                    f"Measurement invariance over {len(found.sizes)} groups ({sizes}) was looked at by "
                    f"{ESTIMATORS[found.estimator]}."
                ),
                *(Text(text) for text in _apa(found)),
                Text(found.conclusion()),
                *notes(found.warnings),
            ),
        )
    ]
    if found.steps:
        sections.append(_ladder(found))
    if len(found.means):
        sections.append(_means(found))
    if found.mimic is not None:
        sections.append(mimic_section(found.mimic))
    return Report("Measurement invariance", found.source, found.note, tuple(sections))


def plain(found: Invariance) -> dict[str, Any]:
    """The results as JSON holds them."""
    return found.to_dict()


def _apa(found: Invariance) -> list[str]:
    told = []
    for step in found.steps:
        text = f"{step.name.capitalize()}: {step.result.fit_indices.summary()}"
        if step.difference is not None:
            d = step.difference
            p = "p < .001" if d.pvalue < 0.001 else f"p = {d.pvalue:.3f}".replace("0.", ".", 1)
            text += f"; Δχ²({d.df}) = {d.chisq:.2f}, {p} ({d.method})"
            if step.cfi_change is not None and step.rmsea_change is not None:
                text += f", ΔCFI = {_change(step.cfi_change)}, ΔRMSEA = {_change(step.rmsea_change)}"
        told.append(f"{text}. This step {_said(step.verdict)}.")
    return told


def _said(verdict: str) -> str:
    return {"start": "is where the comparison begins", "doubtful": "is doubtful"}.get(verdict, verdict)


def _change(value: float) -> str:
    text = f"{abs(value):.3f}".removeprefix("0")
    return f"−{text}" if value < -0.0005 else text


def _ladder(found: Invariance) -> Section:
    blocks: list[Block] = [
        Figure(
            "ladder",
            "Fit step by step. Hollow: a step that fails, or rests on one that does; orange: doubtful.",
            svg(found.plot()),
            "Three lines: CFI, RMSEA and SRMR of each step; the table holds the numbers.",
        ),
        Table(
            "ladder",
            f"Steps of the ladder; CFI and RMSEA in their {found.version} version. Each is tested against "
            "the step before it.",
            found.to_frame(),
            (
                Column("step", "Step"),
                Column("chisq", "χ²", "two"),
                Column("df", "df", "whole"),
                Column("cfi", "CFI", "three"),
                Column("rmsea", "RMSEA", "three"),
                Column("srmr", "SRMR", "three"),
                Column("cfi_change", "Δ CFI", "three"),
                Column("rmsea_change", "Δ RMSEA", "three"),
                Column("srmr_change", "Δ SRMR", "three"),
                Column("chisq_difference", "Δ χ²", "two"),
                Column("df_difference", "Δ df", "whole"),
                Column("pvalue_difference", "p", "p"),
                Column("verdict", "Step"),
            ),
        ),
    ]
    if len(found.suspects):
        blocks.append(
            Table(
                "suspects",
                f"How far chi-square falls when one parameter alone is released at the "
                f"{found.suspects['step'].iloc[0]} step.",
                found.suspects.head(10),
                (
                    Column("parameter", "Parameter", "tight"),
                    Column("fall", "Fall of χ²", "two"),
                    Column("df", "df", "whole"),
                    Column("pvalue", "p", "p"),
                ),
            )
        )
    return Section("ladder", "The ladder", tuple(blocks))


def _means(found: Invariance) -> Section:
    table = found.means.copy()
    table["interval"] = [interval(a, b) for a, b in zip(table["low"], table["high"], strict=True)]
    columns = [
        Column("factor", "Factor"),
        Column("group", "Group"),
        Column("mean", "Mean", "two"),
        Column("interval", "95 % interval", "tight"),
        Column("pvalue", "p", "p"),
    ]
    near = ", ".join(found.near)
    caption = "Means of factors against the first group, in its standard deviations."
    if "mean_near_free" in table:
        table["interval_free"] = [
            interval(a, b) for a, b in zip(table["low_near_free"], table["high_near_free"], strict=True)
        ]
        columns += [
            Column("mean_near_free", "Near items free", "two"),
            Column("interval_free", "95 % interval", "tight"),
        ]
        caption += f" Beside them, the same with the items near the manipulation ({near}) free to shift."
    blocks: list[Block] = [Table("means", caption, table, tuple(columns), grouped=1)]
    if len(found.shifts):
        blocks.append(
            Table(
                "shifts",
                "Shifts of the items near the manipulation that the factor does not account for: effects on "
                "items, not on the factor.",
                found.shifts,
                (Column("item", "Item"), Column("group", "Group"), Column("shift", "Shift", "two")),
                grouped=1,
            )
        )
    return Section("means", "Means of factors", tuple(blocks))


def mimic_section(found: Mimic) -> Section:
    """Effects of groups on factors and items."""
    table = found.effects.copy()
    columns = [Column("factor", "Factor"), Column("group", "Group")]
    for suffix, title in (
        ("", "Effect"),
        ("_item", "Beside item effects"),
        ("_without", "Without near items"),
    ):
        if f"effect{suffix}" in table:
            ends = zip(table[f"low{suffix}"], table[f"high{suffix}"], strict=True)
            table[f"interval{suffix}"] = [interval(a, b) for a, b in ends]
            columns += [
                Column(f"effect{suffix}", title, "two"),
                Column(f"interval{suffix}", "95 % interval", "tight"),
                Column(f"pvalue{suffix}", "p", "p"),
            ]
    blocks: list[Block] = [
        Text(found.summary()),
        Table(
            "mimic",
            f"Effects of groups on factors against {found.reference}, in standard deviations within groups.",
            table,
            tuple(columns),
            grouped=1,
        ),
        Table(
            "items",
            "Whether an item shifts beyond what its factor does: test of its own effects, and Holm's p over "
            "items.",
            found.items.assign(
                near=["near the manipulation" if near else "" for near in found.items["near"]]
            ),
            (
                Column("item", "Item"),
                Column("near", ""),
                Column("chisq", "χ²", "two"),
                Column("df", "df", "whole"),
                Column("pvalue", "p", "p"),
                Column("p_holm", "p (Holm)", "p"),
            ),
        ),
    ]
    if len(found.item_effects):
        blocks.append(
            Table(
                "item_effects",
                "Effects of groups on single items, in the items' units.",
                pd.DataFrame(found.item_effects),
                (
                    Column("item", "Item"),
                    Column("group", "Group"),
                    Column("effect", "Effect", "two"),
                    Column("se", "SE", "two"),
                    Column("pvalue", "p", "p"),
                ),
                grouped=1,
            )
        )
    return Section("mimic", "Groups as predictors (MIMIC)", tuple(blocks))
