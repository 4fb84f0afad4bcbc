"""``python -m analysis efa``: an exploratory factor analysis with everything a reader asks of one."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from analysis.cli import options
from analysis.cli.running import finish, items_from, refusing


def efa(
    data: options.Data,
    factors: Annotated[int, typer.Option("--factors", help="Number of factors.", show_default=False)],
    items: options.Items = None,
    method: Annotated[
        Literal["minres", "ml", "pa"], typer.Option("--method", help="Extraction; pa is principal axis.")
    ] = "minres",
    rotation: Annotated[
        Literal[
            "oblimin", "quartimin", "promax", "Promax", "varimax", "geomin", "target", "target-orthogonal",
            "none",
        ],
        typer.Option("--rotation", help="As psych's names: promax normalises rows, Promax does not."),
    ] = "oblimin",
    target: Annotated[
        Path | None,
        typer.Option("--target", help="CSV: items by factors, empty where free.", show_default=False),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            "--against", help="CSV of other loadings, items by factors, for congruence.", show_default=False
        ),
    ] = None,
    condition: options.Condition = None,
    pooled: options.Pooled = False,
    cor: options.Cor = "pearson",
    reverse: options.Reverse = None,
    missing: options.Missing = None,
    na: options.Na = "listwise",
    scale: options.Scale = None,
    sep: options.Sep = None,
    encoding: options.Encoding = None,
    mixed: options.Mixed = False,
    bootstrap: Annotated[
        int, typer.Option("--bootstrap", min=0, help="Draws for intervals of loadings; 0 for none.")
    ] = 0,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the bootstrap and parallel analysis.")] = 1,
    warmth: Annotated[
        bool, typer.Option("--warmth", help="Ask whether warmth is a factor of its own (PMQ-18).")
    ] = False,
    warm_items: Annotated[
        str | None,
        typer.Option("--warm-items", help="The four warm items, if names do not tell.", show_default=False),
    ] = None,
    as_json: options.AsJson = False,
    out: options.Out = None,
    as_r: Annotated[bool, typer.Option("--r", help="Print the same analysis as R code (psych).")] = False,
) -> None:  # fmt: skip
    """Exploratory factor analysis, as psych's fa, within conditions where there are any.

    Example: python -m analysis efa survey.csv --items 'pmq_*' --factors 3 --missing 99 --out results
    """
    if as_json and as_r:
        raise typer.BadParameter("--json and --r both print; choose one")
    reading: dict[str, Any] = {
        "condition": condition, "pooled": pooled, "missing": missing, "na": na, "sep": sep,
        "encoding": encoding, "mixed": mixed,
    }  # fmt: skip
    with refusing():
        # Imported here, so that --help answers at once.
        from analysis import factor_files
        from analysis.factor_page import page, plain
        from analysis.factor_run import Request, run

        answers = items_from(data, items=items, reverse=reverse, scale=scale, **reading)
        request = Request(
            factors=factors,
            method=method,
            rotation=rotation,
            cor=cor,
            target=None if target is None else factor_files.read_target(target, answers.names, factors),
            against=None if against is None else factor_files.read_loadings(against),
            draws=bootstrap,
            seed=seed,
            warmth=warmth or warm_items is not None,
            warm_items=warm_items,
        )
        if as_r and out is None:
            turned: tuple[tuple[str, float], ...] = ()
            if reverse or scale is not None:
                plainly = items_from(data, items=",".join(answers.names), **reading)
                turned = factor_files.turned(plainly, answers)
            told = f"# {shlex.join(['python', '-m', 'analysis', *sys.argv[1:]])}\n"
            codes = tuple(code.strip() for text in missing or () for code in text.split(","))
            typer.echo(
                told
                + factor_files.code_for(
                    request, answers, data, condition=condition, codes=codes, turned=turned, sep=sep,
                    encoding=encoding,
                ),
                nl=False,
            )  # fmt: skip
            return
        with Progress(
            TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(),
            console=Console(stderr=True), transient=True,
        ) as bar:  # fmt: skip
            task = bar.add_task("bootstrap", total=bootstrap, visible=bootstrap > 0)
            found = run(answers, request, progress=lambda done: bar.update(task, advance=done))
        if out is not None:
            for line in factor_files.write_beside(found, answers, request, out):
                Console(stderr=True).print(escape(line), soft_wrap=True, highlight=False)
        if as_r and out is not None:
            typer.echo(factor_files.code_of_items(request, answers, out / "items.csv"), nl=False)
            finish_quietly(page(found), out)
        else:
            finish(page(found), plain(found), as_json=as_json, out=out)


def finish_quietly(report: Any, out: Path) -> None:
    """Write the page without printing its text, which would stand among the R code."""
    from analysis.report.writing import write

    Console(stderr=True).print(str(write(report, out).page), soft_wrap=True, highlight=False)
