"""A confirmatory analysis as a page: sentences, fit, estimates, the path diagram, validity, rivals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.cfa.charts import path_diagram
from analysis.cfa.pmq import Rivals
from analysis.cfa.result import CFAResult
from analysis.cfa.validity import Validity
from analysis.factor_text import bare
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

ESTIMATORS = {
    "ML": "maximum likelihood",
    "MLR": "maximum likelihood with robust standard errors and a scaled test (MLR)",
    "MLM": "maximum likelihood with the Satorra-Bentler scaled test (MLM)",
    "ULS": "unweighted least squares",
    "GLS": "generalised least squares",
    "WLSMV": "diagonally weighted least squares on polychoric correlations (WLSMV)",
    "WLSM": "diagonally weighted least squares on polychoric correlations (WLSM)",
    "DWLS": "diagonally weighted least squares on polychoric correlations (DWLS)",
    "ULSMV": "unweighted least squares on polychoric correlations (ULSMV)",
}
INDICES: dict[str, tuple[str, Format]] = {
    "chisq": ("χ²", "three"),
    "df": ("df", "whole"),
    "pvalue": ("p", "p"),
    "scaling_factor": ("Scaling factor", "three"),
    "cfi": ("CFI", "three"),
    "tli": ("TLI", "three"),
    "rmsea": ("RMSEA", "three"),
    "rmsea_ci": ("RMSEA, 90 % interval", "three"),
    "rmsea_pvalue": ("p (RMSEA ≤ .05)", "p"),
    "srmr": ("SRMR", "three"),
    "aic": ("AIC", "one"),
    "bic": ("BIC", "one"),
    "npar": ("Free parameters", "whole"),
    "logl": ("Log-likelihood", "two"),
}


@dataclass(frozen=True)
class Findings:
    """What one run of the command found.

    Attributes
    ----------
    validity : None with several groups, or where it cannot be made
    rivals : None unless asked for
    indices : modification indices, the largest first; None where there are none
    """

    result: CFAResult
    validity: Validity | None
    rivals: Rivals | None
    indices: pd.DataFrame | None
    source: str
    note: str
    warnings: tuple[str, ...]


def sentences(result: CFAResult) -> list[str]:
    """The analysis as APA style words it."""
    sizes = ", ".join(f"{one.name}: {one.n}" for one in result.sample.groups)
    where = f"in {len(result.groups)} groups ({sizes})" if result.multiple else result.sample.basis
    missing = (
        "; incomplete rows were used (full-information likelihood)" if result.sample.missing == "fiml" else ""
    )
    table = result.to_frame()
    loads = table[table["op"] == "=~"]["std"].to_numpy(dtype=float)
    low, high = float(loads.min()), float(loads.max())
    return [
        f"A confirmatory factor analysis of {len(result.table.observed)} items and "
        f"{len(result.table.latents)} factor(s), {where}, was fitted by "
        f"{ESTIMATORS[result.estimator]}{missing}.",
        f"Fit: {result.fit_indices.summary()}.",
        f"Standardised loadings ranged from {bare(low)} to {bare(high)}.",
    ]


def page(found: Findings) -> Report:
    """The whole page."""
    result = found.result
    sections = [_glance(found), _fit(result), _estimates(result, found.note)]
    if found.indices is not None and len(found.indices):
        sections.append(_modification(found.indices))
    if found.validity is not None:
        sections.append(_validity(found.validity))
    if found.rivals is not None:
        sections.append(_rivals(found.rivals))
    return Report(
        title="Confirmatory factor analysis",
        subtitle=f"{found.source}: {len(result.table.observed)} items, {len(result.table.latents)} factor(s)",
        banner=found.note,
        sections=tuple(sections),
    )


def plain(found: Findings) -> dict[str, Any]:
    """The results as JSON holds them."""
    made = found.result.to_dict()
    made["warnings"] = list(found.warnings)
    if found.indices is not None:
        made["modification_indices"] = found.indices.to_dict("records")
    if found.validity is not None:
        made["validity"] = found.validity.to_dict()
    if found.rivals is not None:
        made["rivals"] = found.rivals.to_dict()
    return made


def notes(warnings: Sequence[str]) -> list[Note]:
    """Warnings as remarks on a page."""
    return [Note(f"{text[0].upper()}{text[1:]}{'' if text.endswith('.') else '.'}") for text in warnings]


def _glance(found: Findings) -> Section:
    told = sentences(found.result)
    if found.validity is not None:
        told += found.validity.summary()
    blocks: list[Block] = [Text(text) for text in told]
    return Section("glance", "Results", (*blocks, *notes(found.warnings)))


def _fit(result: CFAResult) -> Section:
    indices = result.fit_indices
    rows = []
    held = indices.to_dict()
    for key, (name, form) in INDICES.items():
        row = {"index": key, "name": name, "plain": _cell(held.get(key), form)}
        for version in ("scaled", "robust", "swain"):
            inner = held.get(version)
            row[version] = _cell(inner.get(key), form) if inner else "–"
        if any(row[c] != "–" for c in ("plain", "scaled", "robust", "swain")):
            rows.append(row)
    columns = [Column("name", "Index"), Column("plain", "Plain", "tight")]
    for version, title in (("scaled", "Scaled"), ("robust", "Robust"), ("swain", "Small sample (Swain)")):
        if held.get(version):
            columns.append(Column(version, title, "tight"))
    return Section(
        "fit",
        "Fit",
        (
            Table(
                "fit",
                "Indices of fit; a dash where an index is not defined.",
                pd.DataFrame(rows),
                tuple(columns),
            ),
        ),
    )


def _cell(value: Any, form: Format) -> str:
    if isinstance(value, (tuple, list)):
        return interval(float(value[0]), float(value[1]), 3)
    return shown(value, form)


def _estimates(result: CFAResult, note: str) -> Section:
    frame = result.to_frame()
    frame["interval"] = [interval(a, b) for a, b in zip(frame["ci_low"], frame["ci_high"], strict=True)]
    frame["parameter"] = [
        f"{lhs} {op} {rhs}".strip()
        for lhs, op, rhs in zip(frame["lhs"], frame["op"], frame["rhs"], strict=True)
    ]
    loads = frame[frame["op"] == "=~"]
    many = [Column("group", "Group")] if result.multiple else []
    numbers = (
        Column("est", "Estimate", "three"),
        Column("se", "SE", "three"),
        Column("interval", "95 % interval", "tight"),
        Column("pvalue", "p", "p"),
        Column("std", "Standardised", "two"),
    )
    return Section(
        "estimates",
        "Estimates",
        (
            Figure(
                "paths",
                "Path diagram with standardised estimates"
                + (f" of {result.groups[0]}." if result.multiple else "."),
                svg(path_diagram(result, note)),
                "Factors on the left, items on the right; the tables hold the numbers.",
            ),
            Table(
                "loadings",
                "Loadings; a loading without a standard error sets the scale of its factor.",
                loads,
                (*many, Column("lhs", "Factor"), Column("rhs", "Item"), *numbers),
                grouped=1,
            ),
            Table(
                "parameters",
                "All other parameters.",
                frame[frame["op"] != "=~"],
                (*many, Column("parameter", "Parameter", "tight"), *numbers),
            ),
        ),
    )


def _modification(table: pd.DataFrame) -> Section:
    kept = table.head(10).copy()
    kept["parameter"] = [
        f"{lhs} {op} {rhs}".strip() for lhs, op, rhs in zip(kept["lhs"], kept["op"], kept["rhs"], strict=True)
    ]
    return Section(
        "modification",
        "What would fit better",
        (
            Text(
                "By how much chi-square would fall if one more parameter were free. A reason in the wording "
                "of items is needed to free one; the index alone capitalises on chance."
            ),
            Table(
                "modification",
                "The largest modification indices.",
                kept,
                (
                    Column("parameter", "Parameter", "tight"),
                    Column("mi", "Fall of χ²", "two"),
                    Column("epc", "Expected value", "three"),
                ),
            ),
        ),
    )


def _validity(found: Validity) -> Section:
    pairs = found.correlations.copy()
    pairs["interval"] = [interval(a, b) for a, b in zip(pairs["low"], pairs["high"], strict=True)]
    blocks: list[Block] = [
        Table(
            "reliability",
            "Composite reliability, average variance extracted (AVE), and Fornell-Larcker: the root of AVE "
            "against the highest correlation with another factor.",
            found.factors.assign(met=["yes" if m else "no" for m in found.factors["fornell_larcker"]]),
            (
                Column("factor", "Factor"),
                Column("items", "Items", "whole"),
                Column("reliability", "Composite reliability", "two"),
                Column("ave", "AVE", "two"),
                Column("root_ave", "√AVE", "two"),
                Column("highest_correlation", "Highest correlation", "two"),
                Column("met", "Met"),
            ),
        )
    ]
    if len(pairs):
        blocks.append(
            Table(
                "factors",
                "Correlations of factors, the test of each against 1, and HTMT (two versions; Pearson, "
                "polychoric).",
                pairs,
                (
                    Column("first", "Factor"),
                    Column("second", "with"),
                    Column("correlation", "Correlation", "two"),
                    Column("interval", "95 % interval", "tight"),
                    Column("chisq", "χ²(1) against 1", "two"),
                    Column("pvalue", "p", "p"),
                    Column("htmt", "HTMT", "two"),
                    Column("htmt2", "HTMT2", "two"),
                    Column("htmt_polychoric", "HTMT, polychoric", "two"),
                    Column("htmt2_polychoric", "HTMT2, polychoric", "two"),
                ),
            )
        )
    return Section("validity", "Reliability and validity", tuple(blocks))


def _rivals(found: Rivals) -> Section:
    table = found.to_frame()
    table["remark"] = [
        remark or ("" if sound else "not sound")
        for remark, sound in zip(table["remark"], table["sound"], strict=True)
    ]
    blocks: list[Block] = [
        *(Text(text) for text in found.summary()),
        Table(
            "rivals",
            "Rival models of the same items.",
            table,
            (
                Column("model", "Model", "tight"),
                Column("chisq", "χ²", "two"),
                Column("df", "df", "whole"),
                Column("cfi", "CFI", "three"),
                Column("tli", "TLI", "three"),
                Column("rmsea", "RMSEA", "three"),
                Column("srmr", "SRMR", "three"),
                Column("aic", "AIC", "one"),
                Column("bic", "BIC", "one"),
                Column("remark", "Remark"),
            ),
        ),
        *notes(found.warnings),
    ]
    return Section("rivals", "Rival models", tuple(blocks))
