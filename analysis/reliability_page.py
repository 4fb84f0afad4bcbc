"""Reliability and dimensionality of a scale as a page and as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.correlation import Covariance, covariance_of
from analysis.errors import AnalysisError
from analysis.figures import svg
from analysis.items import ItemData
from analysis.reliability import Reliability, reliability
from analysis.report.document import (
    Block,
    Column,
    Figure,
    Note,
    Report,
    Section,
    Table,
    Text,
    interval,
    shown,
)
from analysis.retention import Retention, retention
from analysis.wording import counted


@dataclass(frozen=True)
class ScaleFindings:
    """Reliability of a scale and how many factors it has; ``retention`` is None with two items."""

    items: ItemData
    covariance: Covariance
    reliability: Reliability
    retention: Retention | None
    chosen: bool
    warnings: tuple[str, ...]


def look(
    items: ItemData,
    *,
    factors: int | None = None,
    method: str = "minres",
    confidence: float = 0.95,
    seed: int = 1,
    sets: int = 500,
) -> ScaleFindings:
    """Reliability of a scale, with the omegas resting on as many group factors as it has.

    Parameters
    ----------
    items : items of the scale
    factors : group factors of the omegas. None: as many as parallel analysis keeps, where these are three
        or more (fewer do not identify a general factor); else one
    method, confidence, seed, sets : as ``reliability`` and ``retention``

    Raises
    ------
    AnalysisError : as ``reliability``
    """
    covariance = covariance_of(items)
    told: list[str] = []
    kept: Retention | None = None
    if len(items.names) > 2:
        try:
            kept = retention(items, seed=seed, sets=sets)
        except AnalysisError as problem:
            told.append(f"the number of factors was not looked for: {problem}")
    number = factors
    if number is None:
        number = kept.suggested if kept is not None and kept.suggested > 2 else 1
        if kept is not None and kept.suggested > 1:
            told.append(
                f"more than one factor: parallel analysis keeps {kept.suggested}, so that one score of all "
                "items mixes them; alpha does not tell"
            )
    found = reliability(covariance, factors=number, confidence=confidence, method=method)
    told = [*found.warnings, *told, *(kept.warnings if kept else ())]
    return ScaleFindings(items, covariance, found, kept, factors is not None, tuple(dict.fromkeys(told)))


def page(found: ScaleFindings) -> Report:
    """The page of a scale."""
    result, items = found.reliability, found.items
    blocks: list[Block] = [
        Text(result.sentence()),
        Text(_rows(found.covariance)),
        *(Note(f"{warning[0].upper()}{warning[1:]}.") for warning in found.warnings),
        Table("reliability", _caption(found), _coefficients(result), _PAIR),
        Table(
            "items",
            "What each item does: its correlation with the sum of the others, and alpha without it.",
            result.items_frame(),
            (
                Column("item", "Item"),
                Column("item_rest", "Item-rest r", "two"),
                Column("alpha_if_dropped", "Alpha if dropped", "three"),
            ),
        ),
    ]
    sections = [Section("reliability", "Reliability", tuple(blocks))]
    if result.general is not None and result.factors > 1:
        loadings = result.general.to_frame()
        sections.append(
            Section(
                "general-factor",
                "General and group factors",
                (
                    Table(
                        "schmid_leiman",
                        "Schmid-Leiman loadings: a general factor, and group factors uncorrelated with it. "
                        "h² is the communality, u² the uniqueness, p² the general share of the communality.",
                        loadings,
                        (
                            *_LOADINGS_BEFORE,
                            *(
                                Column(f"group_{number + 1}", f"Group {number + 1}", "two")
                                for number in range(result.factors)
                            ),
                            *_LOADINGS_AFTER,
                        ),
                    ),
                    Table(
                        "subscales",
                        "Shares of the variance of each group's sum.",
                        result.general.subscales,
                        (
                            Column("group", "Group"),
                            Column("items", "Items"),
                            Column("total", "Omega total", "two"),
                            Column("general", "General", "two"),
                            Column("group_share", "Group", "two"),
                        ),
                    ),
                ),
            )
        )
    if found.retention is not None:
        sections.append(_dimensions(found.retention, items.note))
    return Report("Reliability", items.source, items.note, tuple(sections))


_PAIR = (Column("what", "Measure"), Column("value", "Value", "tight"))
_LOADINGS_BEFORE = (Column("item", "Item"), Column("general", "General", "two"))
_LOADINGS_AFTER = (
    Column("communality", "h²", "two"),
    Column("uniqueness", "u²", "two"),
    Column("general_share", "p²", "two"),
)
_EIGENVALUES = (
    Column("number", "No.", "whole"),
    Column("factor_observed", "Factor", "two"),
    Column("factor_random", "random", "two"),
    Column("factor_resampled", "shuffled", "two"),
    Column("component_observed", "Component", "two"),
    Column("component_random", "random", "two"),
    Column("component_resampled", "shuffled", "two"),
)


def _rows(covariance: Covariance) -> str:
    if covariance.na == "pairwise":
        return f"Missing answers are left out pair by pair: each pair has {covariance.rows} rows or more."
    return f"{covariance.rows} complete rows were used, {covariance.dropped} with a missing answer left out."


def _caption(found: ScaleFindings) -> str:
    factors = found.reliability.factors
    why = "as asked for" if found.chosen else "as parallel analysis suggests" if factors > 1 else "by default"
    return (
        f"Alpha is of the covariances, {found.reliability.basis}; everything else of the correlations. "
        f"Omegas rest on {counted(factors, 'factor')}, {why}."
    )


def _coefficients(result: Reliability) -> pd.DataFrame:
    ends = interval(result.alpha_low, result.alpha_high)
    rows = [
        ("Cronbach's alpha", shown(result.alpha, "three")),
        (f"{result.confidence:.0%} interval (Feldt)", ends),
        ("Standardised alpha", shown(result.standardised_alpha, "three")),
        ("Average correlation", shown(result.mean_r, "three")),
        ("Guttman's lambda 6", shown(result.g6, "three")),
        ("Guttman's lambda 2", shown(result.halves.lambda2, "three")),
        ("Greatest lower bound (by factors)", shown(result.glb, "three")),
        ("Omega total", shown(result.omega_total, "three")),
    ]
    if result.general is not None and result.factors > 1:
        rows += [
            ("Omega hierarchical", shown(result.general.omega_hierarchical, "three")),
            ("Omega hierarchical, endless scale", shown(result.general.omega_limit, "three")),
            ("Explained common variance", shown(result.general.explained_common, "three")),
        ]
    halves = result.halves
    how = "all" if halves.exhaustive else "drawn"
    rows.append(
        (
            f"Split half: lowest, mean, highest ({halves.splits:,} splits, {how})",
            f"{halves.lowest:.3f}, {halves.mean:.3f}, {halves.highest:.3f}",
        )
    )
    return pd.DataFrame(rows, columns=["what", "value"])


def _dimensions(kept: Retention, note: str) -> Section:
    suited = kept.adequacy
    lowest = min(suited.kmo_items, key=lambda item: suited.kmo_items[item])
    p = shown(suited.p, "p")
    return Section(
        "dimensions",
        "How many factors",
        (
            Text(
                f"KMO = {suited.kmo:.2f} (lowest: {lowest}, {suited.kmo_items[lowest]:.2f}); Bartlett's test "
                f"χ²({suited.df}) = {suited.chi2:.2f}, p {p if p.startswith('<') else '= ' + p}."
            ),
            Table(
                "number_of_factors",
                f"Number of factors by criterion ({kept.parallel.sets} random sets, "
                f"seed {kept.parallel.seed}, {kept.parallel.quantile:.0%} quantile).",
                kept.to_frame(),
                (Column("criterion", "Criterion"), Column("factors", "Factors", "whole")),
            ),
            Figure(
                "scree",
                "Eigenvalues of the reduced correlation matrix, observed and by chance.",
                svg(kept.plot(note)),
                f"Falling curve of eigenvalues; {kept.parallel.factors} lie above those of random data.",
            ),
            Table(
                "eigenvalues",
                "Eigenvalues: observed, and the quantiles of data without structure.",
                kept.parallel.to_frame(),
                tuple(column for column in _EIGENVALUES if column.name in kept.parallel.to_frame().columns),
            ),
        ),
    )


def plain(found: ScaleFindings) -> dict[str, Any]:
    """The findings for ``--json``."""
    result, kept, general = found.reliability, found.retention, found.reliability.general
    halves = result.halves
    made: dict[str, Any] = {
        "command": "reliability",
        "source": found.items.source,
        "note": found.items.note,
        "converged": general.converged if general else True,
        "heywood": general.heywood if general else (),
        "warnings": found.warnings,
        "n": result.n,
        "items": result.items,
        "basis": result.basis,
        "na": found.covariance.na,
        "dropped": found.covariance.dropped,
        "factors": result.factors,
        "alpha": result.alpha,
        "alpha_interval": [result.alpha_low, result.alpha_high],
        "confidence": result.confidence,
        "alpha_se": result.alpha_se,
        "alpha_standardised": result.standardised_alpha,
        "mean_r": result.mean_r,
        "lambda_6": result.g6,
        "lambda_2": halves.lambda2,
        "greatest_lower_bound": result.glb,
        "omega_total": result.omega_total,
        "omega_hierarchical": result.omega_hierarchical,
        "omega_limit": general.omega_limit if general and result.factors > 1 else None,
        "explained_common_variance": general.explained_common if general and result.factors > 1 else None,
        "split_half": {
            "lowest": halves.lowest,
            "mean": halves.mean,
            "highest": halves.highest,
            "splits": halves.splits,
            "exhaustive": halves.exhaustive,
        },
        "by_item": result.items_frame(),
        "schmid_leiman": general.to_frame() if general and result.factors > 1 else None,
        "sentence": result.sentence(),
    }
    if kept is not None:
        made["dimensionality"] = {
            "kmo": kept.adequacy.kmo,
            "kmo_items": kept.adequacy.kmo_items,
            "bartlett": {"chi2": kept.adequacy.chi2, "df": kept.adequacy.df, "p": kept.adequacy.p},
            "number_of_factors": dict(kept.to_frame().itertuples(index=False, name=None)),
            "map": kept.partials.averages,
            "vss_1": kept.structure.first,
            "eigenvalues": kept.parallel.to_frame(),
            "parallel_seed": kept.parallel.seed,
            "parallel_sets": kept.parallel.sets,
        }
    return made
