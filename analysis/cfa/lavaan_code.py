"""A confirmatory analysis written as R code with lavaan, for those who would check it there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from analysis.cfa.model_text import Model
from analysis.cfa.ordinal_model import ORDINAL
from analysis.r_code import Asked, NoRCode, number_lines, quoted, reading_lines, vector

ROBUST = ("MLR", "MLM")


@dataclass(frozen=True)
class Request:
    """What was asked.

    Attributes
    ----------
    model : as read
    estimator : upper case
    fiml : the likelihood of incomplete rows
    group : column of the groups of a multi-group model, or None
    condition : column of the conditions a model of one group is fitted within, or None
    codes, turned : of missing answers; items reversed by hand (see :class:`analysis.r_code.Asked`)
    std_lv, orthogonal : as of the fit
    ladder : write the ladder of invariance instead of one model
    free : parameters released in the ladder
    """

    model: Model
    estimator: str = "MLR"
    fiml: bool = False
    group: str | None = None
    condition: str | None = None
    codes: tuple[str, ...] = ()
    turned: tuple[tuple[str, float], ...] = ()
    std_lv: bool = False
    orthogonal: bool = False
    ladder: tuple[tuple[str, tuple[str, ...]], ...] = ()
    free: tuple[str, ...] = ()


def lavaan_code(
    request: Request, path: Path, *, sep: str | None = None, encoding: str | None = None, named: str = ""
) -> str:
    """R code that reads the file and fits the same model; afterwards ``fit`` (or ``fits``) is the result.

    Raises
    ------
    NoRCode : robust or ordered models within conditions, which lavaan has no data for; a file that is no
        delimited text
    """
    if request.condition is not None and (
        request.estimator in ROBUST or request.estimator in ORDINAL or request.fiml
    ):
        raise NoRCode(
            f"lavaan fits {request.estimator.lower()}{' with fiml' if request.fiml else ''} only to raw "
            "data, not within conditions; say --estimator ml, --pooled, or --group, for R code"
        )
    column = request.group if request.group is not None else request.condition
    asked = Asked(
        items=request.model.observed, factors=1, condition=column, codes=request.codes, turned=request.turned
    )
    lines = ["library(lavaan)", "", *reading_lines(path, sep, encoding, named)]
    lines += [f"items <- {vector(request.model.observed)}", *number_lines(path, asked), ""]
    lines += [f"model <- {quoted(request.model.text.strip())}", ""]
    options = [f"estimator = {quoted(request.estimator)}"]
    if request.estimator in ORDINAL:
        options.append("ordered = TRUE")
    if request.fiml:
        options.append('missing = "fiml"')
    if request.std_lv:
        options.append("std.lv = TRUE")
    if request.orthogonal:
        options.append("orthogonal = TRUE")
    if request.condition is not None:
        lines += [
            "# Covariances within conditions: each condition's means are taken out first.",
            "whole <- complete.cases(x)",
            "x <- x[whole, ]",
            "g <- g[whole]",
            "df <- nrow(x) - length(unique(g))",
            "s <- crossprod(apply(x, 2, function(v) v - ave(v, g))) / df",
            f"fit <- cfa(model, sample.cov = s, sample.nobs = df + 1, {', '.join(options)})",
        ]
    else:
        lines.append("d <- data.frame(x, check.names = FALSE)")
        if request.group is not None:
            lines.append("d$group <- g")
            options.append('group = "group"')
        if request.ladder:
            return "\n".join([*lines, *_ladder(request, options)]) + "\n"
        lines.append(f"fit <- cfa(model, d, {', '.join(options)})")
    lines += [
        "summary(fit, fit.measures = TRUE, standardized = TRUE)",
        "fitMeasures(fit)",
        "parameterEstimates(fit, standardized = TRUE)",
    ]
    return "\n".join(lines) + "\n"


def _ladder(request: Request, options: Sequence[str]) -> list[str]:
    lines = []
    for name, equal in request.ladder:
        more = list(options)
        if equal:
            more.append(f"group.equal = {vector(equal)}")
        partial = [text for text in _released(request) if equal]
        if partial:
            more.append(f"group.partial = {vector(partial)}")
        if name == "strict" and request.estimator in ORDINAL:
            more.append('parameterization = "theta"')
        lines.append(f"{name} <- cfa(model, d, {', '.join(more)})")
    names = [name for name, _ in request.ladder]
    return [
        *lines,
        f"fits <- list({', '.join(f'{name} = {name}' for name in names)})",
        f"lavTestLRT({', '.join(names)})",
        "sapply(fits, fitMeasures)",
    ]


def _released(request: Request) -> list[str]:
    """As lavaan wants them: without spaces; all thresholds of an item one by one."""
    made = []
    for text in request.free:
        name = "".join(text.split())
        if name.endswith("|"):
            raise NoRCode(
                f"lavaan wants each threshold by name: release {name}t1, {name}t2 and so on, one by one, "
                "for R code"
            )
        made.append(name)
    return made
