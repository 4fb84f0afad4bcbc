"""``python -m analysis reliability``: how consistent a scale is, and whether it is one scale."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from analysis.cli import options
from analysis.cli.running import finish, items_from, refusing
from analysis.errors import UnknownName


def reliability(
    data: options.Data,
    items: options.Items = None,
    factors: Annotated[
        int | None,
        typer.Option(
            "--factors",
            min=1,
            help="Group factors of the omegas. Without it: those parallel analysis keeps, if three or more.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        Literal["minres", "ml", "pa"], typer.Option("--method", help="Extraction behind the omegas.")
    ] = "minres",
    confidence: Annotated[
        float, typer.Option("--confidence", min=0.5, max=0.999, help="Level of alpha's interval.")
    ] = 0.95,
    condition: options.Condition = None,
    pooled: options.Pooled = False,
    reverse: options.Reverse = None,
    missing: options.Missing = None,
    na: options.Na = "listwise",
    scale: options.Scale = None,
    sep: options.Sep = None,
    encoding: options.Encoding = None,
    mixed: options.Mixed = False,
    seed: Annotated[int, typer.Option("--seed", help="Seed of parallel analysis.")] = 1,
    as_json: options.AsJson = False,
    out: options.Out = None,
) -> None:
    """Reliability of a scale: alpha, omegas, split halves, alpha if dropped, and the number of factors.

    Example: python -m analysis reliability survey.csv --items 'q*' --reverse q3,q7
    """
    with refusing():
        # Imported here, so that --help answers at once.
        from analysis.reliability_page import look, page, plain

        if items is None and scale is None and data.is_dir():
            raise UnknownName(f"{data} holds several scales; name the items of one with --items, as 'pmq_*'")
        read = items_from(
            data, items=items, condition=condition, pooled=pooled, reverse=reverse, missing=missing, na=na,
            scale=scale, sep=sep, encoding=encoding, mixed=mixed,
        )  # fmt: skip
        found = look(read, factors=factors, method=method, confidence=confidence, seed=seed)
        finish(page(found), plain(found), as_json=as_json, out=out)
