"""``python -m analysis cfa``: a confirmatory factor analysis, as lavaan's cfa."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.markup import escape

from analysis.cli import options
from analysis.cli.running import finish, items_from, refusing
from analysis.cli.running import plain as for_json

Model = Annotated[
    Path,
    typer.Option(
        "--model", help="Text file of the model: f =~ item1 + item2 + item3, ...", show_default=False
    ),
]
Estimator = Annotated[
    Literal["ml", "mlr", "mlm", "uls", "gls", "wlsmv", "wlsm", "dwls", "ulsmv"],
    typer.Option("--estimator", help="As lavaan's names; wlsmv and its kin take items as ordered."),
]
Na = Annotated[
    Literal["listwise", "fiml"],
    typer.Option("--na", help="Use complete rows, or the likelihood of all answers (ml and mlr)."),
]


def cfa(
    data: options.Data,
    model: Model,
    estimator: Estimator = "mlr",
    condition: options.Condition = None,
    pooled: options.Pooled = False,
    group: Annotated[
        str | None,
        typer.Option(
            "--group", help="Column of groups to fit at once, all of their own.", show_default=False
        ),
    ] = None,
    std_lv: Annotated[
        bool, typer.Option("--std-lv", help="Fix the variances of factors at 1, not their first loadings.")
    ] = False,
    orthogonal: Annotated[bool, typer.Option("--orthogonal", help="Uncorrelated factors.")] = False,
    rivals: Annotated[
        bool,
        typer.Option(
            "--rivals",
            help="One factor, warmth apart, second order and bifactor beside the model as written.",
        ),
    ] = False,
    warm_items: Annotated[
        str | None,
        typer.Option("--warm-items", help="The four warm items, if names do not tell.", show_default=False),
    ] = None,
    na: Na = "listwise",
    reverse: options.Reverse = None,
    missing: options.Missing = None,
    scale: options.Scale = None,
    sep: options.Sep = None,
    encoding: options.Encoding = None,
    mixed: options.Mixed = False,
    as_json: options.AsJson = False,
    out: options.Out = None,
    as_r: Annotated[bool, typer.Option("--r", help="Print the same analysis as R code (lavaan).")] = False,
) -> None:
    """Confirmatory factor analysis, within conditions where there are any.

    Example: python -m analysis cfa survey.csv --model pmq.txt --estimator mlr --group wave --out results
    """
    if as_json and as_r:
        raise typer.BadParameter("--json and --r both print; choose one")
    if group is not None and (pooled or condition is not None):
        raise typer.BadParameter(
            "--group fits the groups at once; it goes with neither --condition nor --pooled"
        )
    reading: dict[str, Any] = {
        "condition": group or condition, "pooled": pooled, "missing": missing, "sep": sep,
        "encoding": encoding, "mixed": mixed,
    }  # fmt: skip
    with refusing():
        # Imported here, so that --help answers at once.
        from analysis.cfa import files
        from analysis.cfa.model_file import items_for, read_model
        from analysis.cfa.page import page, plain
        from analysis.cfa.run import Asked, run

        text = read_model(model)
        answers = items_for(
            text, lambda names: items_from(data, items=names, reverse=reverse, scale=scale, **reading)
        )
        asked = Asked(
            text,
            estimator=estimator.upper(),
            fiml=na == "fiml",
            grouped=group is not None,
            std_lv=std_lv,
            orthogonal=orthogonal,
            rivals=rivals or warm_items is not None,
            warm=None if warm_items is None else tuple(name.strip() for name in warm_items.split(",")),
        )
        if as_r and out is None:
            plainly = answers
            if reverse or scale is not None:
                plainly = items_for(text, lambda names: items_from(data, items=names, **reading))
            typer.echo(f"# {shlex.join(['python', '-m', 'analysis', *sys.argv[1:]])}")
            typer.echo(
                files.code_for(
                    asked, plainly, answers, data, column=group or condition, codes=codes_of(missing),
                    sep=sep, encoding=encoding,
                ),
                nl=False,
            )  # fmt: skip
            return
        found = run(answers, asked)
        if out is not None:
            for line in files.write_beside(for_json(plain(found)), "cfa", answers, asked, out):
                Console(stderr=True).print(escape(line), soft_wrap=True, highlight=False)
        if as_r and out is not None:
            typer.echo(files.code_of_items(asked, answers, out / "items.csv"), nl=False)
            as_r_only(page(found), out)
        else:
            finish(page(found), plain(found), as_json=as_json, out=out)


def codes_of(missing: list[str] | None) -> tuple[str, ...]:
    """Codes of missing answers, one by one."""
    return tuple(code.strip() for text in missing or () for code in text.split(","))


def as_r_only(report: Any, out: Path) -> None:
    """Write the page without printing its text, which would stand among the R code."""
    from analysis.report.writing import write

    Console(stderr=True).print(str(write(report, out).page), soft_wrap=True, highlight=False)
