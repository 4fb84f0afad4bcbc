"""``python -m analysis invariance``: whether items measure the same in all groups."""

from __future__ import annotations

import shlex
import sys
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.markup import escape

from analysis.cli import options
from analysis.cli.cfa import Estimator, Model, Na, as_r_only, codes_of
from analysis.cli.running import finish, items_from, refusing
from analysis.cli.running import plain as for_json


def invariance(
    data: options.Data,
    model: Model,
    group: Annotated[
        str,
        typer.Option("--group", help="Column of the groups: condition, a factor, wave.", show_default=False),
    ],
    estimator: Estimator = "mlr",
    free: Annotated[
        list[str] | None,
        typer.Option(
            "--free", help="A parameter that may differ: 'x3 ~ 1', 'f =~ x2', 'x2 |' (repeat for more).",
            show_default=False,
        ),
    ] = None,
    near: Annotated[
        str | None,
        typer.Option(
            "--near", help="Items near the manipulation (a,b,c), if names do not tell.", show_default=False
        ),
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
    as_r: Annotated[bool, typer.Option("--r", help="Print the same ladder as R code (lavaan).")] = False,
) -> None:  # fmt: skip
    """Invariance step by step: what may be compared between groups, and which item stands against it.

    Example: python -m analysis invariance survey.csv --model pmq.txt --group warmth --free 'q05 ~ 1'
    """
    if as_json and as_r:
        raise typer.BadParameter("--json and --r both print; choose one")
    reading: dict[str, Any] = {
        "condition": group, "missing": missing, "sep": sep, "encoding": encoding, "mixed": mixed,
    }  # fmt: skip
    released = tuple(free or ())
    with refusing():
        from analysis.cfa import files
        from analysis.cfa.invariance import invariance as climb
        from analysis.cfa.invariance_details import scaled_by_hand
        from analysis.cfa.invariance_page import page, plain
        from analysis.cfa.invariance_steps import ladder_of
        from analysis.cfa.model_file import items_for, read_model
        from analysis.cfa.run import Asked

        text = read_model(model)
        answers = items_for(
            text, lambda names: items_from(data, items=names, reverse=reverse, scale=scale, **reading)
        )
        asked = Asked(
            text,
            estimator=estimator.upper(),
            fiml=na == "fiml",
            grouped=True,
            std_lv=not scaled_by_hand(text),
            ladder=ladder_of(answers, text, estimator),
            free=released,
        )
        if as_r and out is None:
            plainly = answers
            if reverse or scale is not None:
                plainly = items_for(text, lambda names: items_from(data, items=names, **reading))
            typer.echo(f"# {shlex.join(['python', '-m', 'analysis', *sys.argv[1:]])}")
            typer.echo(
                files.code_for(
                    asked, plainly, answers, data, column=group, codes=codes_of(missing), sep=sep,
                    encoding=encoding,
                ),
                nl=False,
            )  # fmt: skip
            return
        policy: Literal["listwise", "fiml"] = "fiml" if na == "fiml" else "listwise"
        found = climb(
            text,
            answers,
            estimator=estimator,
            missing=policy,
            free=released,
            near=None if near is None else [name.strip() for name in near.split(",")],
        )
        if out is not None:
            for line in files.write_beside(for_json(plain(found)), "invariance", answers, asked, out):
                Console(stderr=True).print(escape(line), soft_wrap=True, highlight=False)
        if as_r and out is not None:
            typer.echo(files.code_of_items(asked, answers, out / "items.csv"), nl=False)
            as_r_only(page(found), out)
        else:
            finish(page(found), plain(found), as_json=as_json, out=out)
