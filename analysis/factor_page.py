"""A factor analysis as a page: sentences, tables, figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from analysis.bootstrap_factors import FactorBootstrap
from analysis.congruence import Comparison
from analysis.efa import FactorSolution
from analysis.factor_run import Findings
from analysis.figures import svg
from analysis.report.document import (
    Block,
    Column,
    Figure,
    Format,
    Note,
    Report,
    Section,
    Table,
    Text,
    interval,
    shown,
)
from analysis.warmth import Warmth
from analysis.wording import counted

MEANINGS = {
    "chi2": "χ²",
    "df": "df",
    "p": "p",
    "chi2_empirical": "χ², empirical",
    "rmsea": "RMSEA",
    "rmsea_low": "RMSEA, lower end (90 %)",
    "rmsea_high": "RMSEA, upper end (90 %)",
    "tli": "TLI",
    "rmsr": "RMSR",
    "rmsr_corrected": "RMSR, corrected for df",
    "bic": "BIC",
    "objective": "Discrepancy",
}


def page(found: Findings) -> Report:
    """The whole page; warmth, where it was asked for, is a page of its own."""
    solution = found.solution
    sections = [_at_a_glance(found), _how_many(found), _loadings(found), _fit(found)]
    if found.bootstrap is not None:
        sections.append(_bootstrap(found.bootstrap, found.note))
    if found.comparison is not None:
        sections.append(_comparison(found.comparison, found.note))
    return Report(
        title="Factor analysis",
        subtitle=f"{found.source}: {len(solution.items)} items, {counted(len(solution.factors), 'factor')}",
        banner=found.note,
        sections=tuple(sections),
    )


def plain(found: Findings) -> dict[str, Any]:
    """The results as JSON holds them; intervals only where they were asked for."""
    made = found.solution.to_dict()
    made["warnings"] = list(found.warnings)
    if found.bootstrap is not None:
        made["bootstrap"] = found.bootstrap.to_dict()
    return made


def warmth_page(found: Warmth, source: str, note: str) -> Report:
    """Three factors against four on one page."""
    places = found.to_frame()
    places["warm"] = ["warm" if warm else "" for warm in places["warm"]]
    blocks: list[Block] = [
        Text(found.summary()),
        *_notes(found.warnings),
        Table(
            "warmth_indices",
            "Fit of both solutions to the same correlations. No difference of χ² is given: with a factor too "
            "many it has no known distribution.",
            _named(found.indices(), "three", "four"),
            (Column("name", "Index"), Column("three_shown", "Three factors", "tight"),
             Column("four_shown", "Four factors", "tight")),
        ),
        Table(
            "warmth_items",
            "Where each item loads highest, with that loading and the next highest.",
            places,
            (
                Column("item", "Item"), Column("warm", "Warm"),
                Column("three_factor", "Three: factor"), Column("three_loading", "loading", "two"),
                Column("three_next", "next", "two"),
                Column("four_factor", "Four: factor"), Column("four_loading", "loading", "two"),
                Column("four_next", "next", "two"),
            ),
        ),
        Figure(
            "warmth_loadings",
            "Loadings of three factors (left) and of four (right); a dot marks the warm items.",
            svg(found.plot(note)),
            "Two tables of loadings; their numbers are in the table above and in the solutions' own tables.",
        ),
        _phi(found.four, "warmth_phi", "Correlations of the four factors."),
    ]  # fmt: skip
    section = Section("warmth", "Is warmth a factor of its own?", tuple(blocks))
    return Report("Is warmth a factor of its own?", source, note, (section,))


def _at_a_glance(found: Findings) -> Section:
    blocks: list[Block] = [Text(sentence) for sentence in found.sentences()]
    return Section("glance", "Results", (*blocks, *_notes(found.warnings)))


def _how_many(found: Findings) -> Section:
    parallel = found.retention.parallel
    return Section(
        "number",
        "How many factors",
        (
            Figure(
                "scree",
                "Eigenvalues of the reduced correlation matrix, observed and of random data alike in size.",
                svg(parallel.plot(found.note)),
                f"Falling curve of eigenvalues; {parallel.factors} lie above the curve of random data.",
            ),
            Table(
                "criteria",
                "Number of factors that each criterion keeps.",
                found.retention.to_frame(),
                (Column("criterion", "Criterion"), Column("factors", "Factors", "whole")),
            ),
            Table(
                "parallel",
                f"Eigenvalues and their {parallel.quantile:.0%} quantile in {parallel.sets} random sets.",
                parallel.to_frame(),
                (
                    Column("number", "Number", "whole"),
                    Column("factor_observed", "Factor, observed", "three"),
                    Column("factor_random", "random", "three"),
                    Column("component_observed", "Component, observed", "three"),
                    Column("component_random", "random", "three"),
                ),
            ),
            Table(
                "kmo",
                f"Kaiser-Meyer-Olkin measure of each item; of all items {found.retention.adequacy.kmo:.3f}.",
                found.retention.adequacy.to_frame(),
                (Column("item", "Item"), Column("kmo", "KMO", "three")),
            ),
        ),
    )


def _loadings(found: Findings) -> Section:
    solution = found.solution
    names = list(solution.factors)
    return Section(
        "loadings",
        "Loadings",
        (
            Figure(
                "loadings",
                "Pattern loadings; the highest of each item is bold, darker is stronger.",
                svg(solution.plot(found.note)),
                f"{len(solution.items)} items on {len(names)} factors; the table holds the numbers.",
            ),
            Table(
                "loadings",
                "Pattern loadings, communalities (diagonal of LΦLᵀ) and uniquenesses.",
                solution.to_frame(),
                (
                    Column("item", "Item"),
                    *(Column(name, name, "three") for name in names),
                    Column("communality", "Communality", "three"),
                    Column("uniqueness", "Uniqueness", "three"),
                ),
            ),
            Table(
                "variance",
                "Share of total variance counts all variance of the items; share of explained variance only "
                "what the factors explain together.",
                solution.variance(),
                (
                    Column("factor", "Factor"),
                    Column("sum_of_squares", "Sum of squares", "three"),
                    Column("share_of_total_variance", "Share of total variance", "percent"),
                    Column("share_of_explained_variance", "Share of explained variance", "percent"),
                ),
            ),
            _phi(solution, "phi", "Correlations of the factors."),
        ),
    )


def _fit(found: Findings) -> Section:
    frame = found.solution.fit.to_frame()
    indices = _named(frame[frame["index"].isin(MEANINGS)], "value")
    return Section(
        "fit",
        "Fit",
        (
            Table(
                "fit",
                "Indices of fit, defined as psych's; a dash where an index is not defined.",
                indices,
                (Column("name", "Index"), Column("value_shown", "Value", "tight")),
            ),
        ),
    )


def _bootstrap(found: FactorBootstrap, note: str) -> Section:
    frame = found.to_frame()
    frame["interval"] = [interval(low, high) for low, high in zip(frame["low"], frame["high"], strict=True)]
    pairs = found.correlations()
    pairs["interval"] = [interval(low, high) for low, high in zip(pairs["low"], pairs["high"], strict=True)]
    blocks: list[Block] = [
        Figure(
            "intervals",
            f"Loadings with {found.confidence:.0%} percentile intervals of {found.used} draws.",
            svg(found.plot(note)),
            "A row an item, a panel a factor; the table holds the numbers.",
        ),
        Table(
            "intervals",
            "Loadings with bootstrap intervals and standard errors.",
            frame,
            (
                Column("item", "Item"), Column("factor", "Factor"), Column("loading", "Loading", "two"),
                Column("interval", "Interval", "tight"), Column("se", "Standard error", "three"),
            ),
            grouped=1,
        ),
    ]  # fmt: skip
    if not pairs.empty:
        blocks.append(
            Table(
                "phi_intervals",
                "Correlations of the factors with bootstrap intervals.",
                pairs,
                (
                    Column("first", "Factor"),
                    Column("second", "with"),
                    Column("phi", "Correlation", "two"),
                    Column("interval", "Interval", "tight"),
                ),
            )
        )
    return Section("bootstrap", "Bootstrap intervals", tuple(blocks))


def _comparison(found: Comparison, note: str) -> Section:
    return Section(
        "congruence",
        "Congruence with other loadings",
        (
            Text(f"{found.summary()}."),
            Figure(
                "congruence",
                "Tucker's congruence of every factor here (rows) with every factor there.",
                svg(found.plot(note)),
                "A table of congruences; the same numbers stand below.",
            ),
            Table(
                "congruence",
                "Tucker's congruence; .95 and above is commonly read as equal, .85 to .94 as fair.",
                found.to_frame(),
                (Column("factor", "Factor"), *(Column(name, name, "two") for name in found.others)),
            ),
        ),
    )


def _phi(solution: FactorSolution, key: str, caption: str) -> Table:
    columns = (Column("factor", "Factor"), *(Column(name, name, "two") for name in solution.factors))
    return Table(key, caption, solution.correlations(), columns)


def _named(frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Indices under their printed names, and each column of numbers beside itself as printed."""
    named = frame.assign(name=[MEANINGS[index] for index in frame["index"]])
    forms: dict[str, Format] = {"p": "p", "df": "whole"}
    for column in columns:
        named[f"{column}_shown"] = [
            shown(value, forms.get(index, "three"))
            for index, value in zip(frame["index"], frame[column], strict=True)
        ]
    return named


def _notes(warnings: Sequence[str]) -> list[Note]:
    return [Note(f"{text[0].upper()}{text[1:]}.") for text in warnings]
