"""Sections about scales: reliability of each score, and the factor analysis of multi-factor scales."""

from __future__ import annotations

import math

import pandas as pd

from analysis.adequacy import adequacy
from analysis.congruence import match
from analysis.correlation import Covariance, covariance
from analysis.dimensionality import parallel_analysis
from analysis.efa import efa
from analysis.errors import AnalysisError
from analysis.figures import svg
from analysis.outcomes import label_of
from analysis.reliability import reliability
from analysis.report.document import Block, Column, Figure, Note, Section, Table, Text, interval, shown
from analysis.report.results import Results
from analysis.wording import counted

PARALLEL_SEED = 1


def reliabilities(results: Results) -> Section:
    """Alpha and omega of every score with two items or more, within conditions."""
    data = results.data
    if results.participants.empty:
        return Section(
            "reliability", "Reliability", (Note("Nobody was allocated, so nothing was answered."),)
        )
    rows, notes = [], []
    for entry in data.codebook.scores():
        items = data.score_items(entry)
        if len(items) < 2:
            continue
        label = _asked_label(results, entry.scale, label_of(data, entry))
        try:
            found = reliability(_within(results, entry.scale, items))
        except AnalysisError as problem:
            notes.append(Note(f"{label}: {problem}."))
            continue
        rows.append(
            {
                "asking": entry.scale,
                "score": entry.score,
                "label": label,
                **found.to_frame().iloc[0].to_dict(),
                "interval": interval(found.alpha_low, found.alpha_high),
            }
        )
    blocks: list[Block] = [
        Text(
            "Reliability is estimated on covariances within conditions, so that a difference between "
            "conditions "
            "does not pass for consistency of a scale."
        )
    ]
    if rows:
        blocks.append(
            Table(
                "reliability",
                "Cronbach's alpha with Feldt's 95 % interval, and omega total of a one-factor minres "
                "solution.",
                pd.DataFrame(rows),
                (
                    Column("label", "Score"),
                    Column("items", "Items", "whole"),
                    Column("n", "n", "whole"),
                    Column("alpha", "Alpha", "two"),
                    Column("interval", "95 % interval", "tight"),
                    Column("omega_total", "Omega total", "two"),
                    Column("warnings", "Remarks"),
                ),
            )
        )
    elif not notes:
        blocks.append(Note("No score with two items or more was asked."))
    return Section("reliability", "Reliability", (*blocks, *notes))


def factor_analyses(results: Results) -> list[Section]:
    """One section for every scale whose file assigns its scores to several factors."""
    data = results.data
    sections = []
    for asking in data.codebook.askings():
        scale = data.scales.get(data.design.scale_of(asking), {})
        assigned = [score for score in scale.get("scores", []) if score.get("factor")]
        if len({score["factor"] for score in assigned}) < 2:
            continue
        asked = data.codebook.items(asking)
        assignment = {
            str(score["label"]): tuple(str(item) for item in score["items"] if item in asked)
            for score in assigned
        }
        sections.append(_factor_analysis(results, asking, str(scale.get("name", asking)), assignment))
    return sections


def _factor_analysis(
    results: Results, asking: str, name: str, assignment: dict[str, tuple[str, ...]]
) -> Section:
    key = f"factors-{asking}".replace("_", "-")
    title = f"Factor analysis: {name}"
    if results.participants.empty:
        return Section(key, title, (Note("Nobody was allocated, so nothing was answered."),))
    items = tuple(item for group in assignment.values() for item in group)
    try:
        within = _within(results, asking, items)
        suited = adequacy(within.correlation, within.n, items)
        parallel = parallel_analysis(within.correlation, within.n, seed=PARALLEL_SEED)
        matched = match(efa(within.correlation, within.n, len(assignment), items=items), assignment)
    except AnalysisError as problem:
        return Section(key, title, (Note(f"Not analysed: {problem}."),))
    solution, note = matched.solution, results.data.note
    blocks: list[Block] = [
        Text(
            f"{within.summary().capitalize()}. Dimensionality is estimated within conditions: pooling people "
            "whose conditions differ in their means makes factors out of the manipulation."
        ),
        Table(
            f"{asking}_adequacy",
            "Is the matrix fit to be factored, and into how many factors?",
            pd.DataFrame(
                [
                    {"what": "Kaiser-Meyer-Olkin measure", "value": f"{suited.kmo:.3f}"},
                    {
                        "what": "Lowest item's measure",
                        "value": f"{min(suited.kmo_items.values()):.3f} "
                        f"({min(suited.kmo_items, key=lambda item: suited.kmo_items[item])})",
                    },
                    {
                        "what": "Bartlett's test",
                        "value": f"χ²({suited.df}) = {suited.chi2:.1f}, p {_p(suited.p)}",
                    },
                    {
                        "what": "Parallel analysis, common factors",
                        "value": f"{parallel.factors} above the {parallel.quantile:.0%} quantile of "
                        f"{parallel.sets} random sets (seed {parallel.seed})",
                    },
                    {"what": "Parallel analysis, components", "value": str(parallel.components)},
                    {"what": "Factors extracted, as published", "value": str(len(assignment))},
                    {"what": "Root mean square residual", "value": f"{solution.rmsr:.3f}"},
                ]
            ),
            (Column("what", "Measure"), Column("value", "Value")),
        ),
        Figure(
            f"{asking}_scree",
            "Eigenvalues of the reduced correlation matrix (observed) against those of random data of the "
            "same "
            "size.",
            svg(parallel.plot(note)),
            f"Falling curve of eigenvalues; {parallel.factors} lie above the curve of random data.",
        ),
    ]
    if parallel.factors != len(assignment):
        blocks.append(
            Note(
                f"Parallel analysis suggests {counted(parallel.factors, 'factor')}, the published structure "
                f"has {len(assignment)}: the solution below is the published number, not the suggested one."
            )
        )
    shares = solution.variance()
    shares["congruence"] = [matched.congruence[factor] for factor in solution.factors]
    loadings = solution.to_frame()
    of_item = {item: factor for factor, group in assignment.items() for item in group}
    loadings.insert(1, "published_factor", [of_item[item] for item in solution.items])
    names = list(solution.factors)
    blocks += [
        Table(
            f"{asking}_variance",
            "Minres with oblimin rotation. Share of total variance counts all variance of the items; share "
            "of "
            "explained variance counts only what the factors explain together: the two are often confused. "
            "Congruence is Tucker's, with the published assignment of items to factors (1 or 0).",
            shares,
            (
                Column("factor", "Factor"),
                Column("sum_of_squares", "Sum of squares", "two"),
                Column("share_of_total_variance", "Share of total variance", "percent"),
                Column("share_of_explained_variance", "Share of explained variance", "percent"),
                Column("congruence", "Congruence", "three"),
            ),
        ),
        Figure(
            f"{asking}_loadings",
            "Pattern loadings; the highest of each item is bold, darker is stronger.",
            svg(solution.plot(note)),
            f"Loadings of {len(items)} items on {len(names)} factors; the table of loadings holds the "
            "numbers.",
        ),
        Table(
            f"{asking}_loadings",
            "Loadings, communalities (diagonal of LΦLᵀ) and uniquenesses.",
            loadings,
            (
                Column("item", "Item"),
                Column("published_factor", "Published factor"),
                *(Column(factor, factor, "two") for factor in names),
                Column("communality", "Communality", "two"),
                Column("uniqueness", "Uniqueness", "two"),
            ),
        ),
        Table(
            f"{asking}_phi",
            "Correlations of the factors.",
            pd.DataFrame(solution.phi, columns=names).assign(factor=names)[["factor", *names]],
            (Column("factor", "Factor"), *(Column(factor, factor, "two") for factor in names)),
        ),
    ]
    if matched.misplaced:
        blocks.append(Note(f"Highest on another factor than published: {', '.join(matched.misplaced)}."))
    blocks += [Note(f"{warning[0].upper()}{warning[1:]}.") for warning in solution.warnings]
    if asking.startswith("pmq"):
        blocks.append(
            Note(
                "The Partner Modelling Questionnaire was validated for speech interfaces without a body. "
                "Conversations in text lie outside that range, and so do conditions with a face."
            )
        )
    return Section(key, title, tuple(blocks))


def _within(results: Results, asking: str, items: tuple[str, ...]) -> Covariance:
    frame = results.data.items(asking)[list(items)].reindex(results.participants.index)
    return covariance(frame, results.participants["condition"])


def _asked_label(results: Results, asking: str, label: str) -> str:
    return (
        label if results.data.design.scale_of(asking) == asking else f"{label} ({asking.replace('_', ' ')})"
    )


def _p(p: float) -> str:
    text = shown(p, "p")
    return text if text.startswith("<") or math.isnan(p) else f"= {text}"
