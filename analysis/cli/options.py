"""Arguments and options that the commands on items share, so that they read and behave alike."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

Data = Annotated[
    Path,
    typer.Argument(
        help="A CSV, SPSS (.sav) or Parquet file, or the folder that 'manage.py export' wrote.",
        show_default=False,
    ),
]
Items = Annotated[
    str | None,
    typer.Option(
        "--items",
        help="Names or patterns of the items, as 'pmq_*' or a,b,c. Without it: every column of numbers.",
        show_default=False,
    ),
]
Condition = Annotated[
    str | None,
    typer.Option(
        "--condition",
        help="Column of the groups to analyse within. Without it: the column 'condition', if there is one.",
        show_default=False,
    ),
]
Pooled = Annotated[bool, typer.Option("--pooled", help="Set the groups aside and pool everybody.")]
Reverse = Annotated[
    list[str] | None,
    typer.Option("--reverse", help="Items keyed the other way (repeat, or a,b,c).", show_default=False),
]
Missing = Annotated[
    list[str] | None,
    typer.Option("--missing", help="A code of missing answers, as 99 (repeat for more).", show_default=False),
]
Na = Annotated[
    Literal["listwise", "pairwise"],
    typer.Option("--na", help="Use complete rows, or for each pair of items the rows that have both."),
]
Scale = Annotated[
    Path | None,
    typer.Option(
        "--scale",
        help="A description of the scale (YAML): items, bounds, labels, reversed items, missing codes.",
        show_default=False,
    ),
]
Sep = Annotated[
    str | None, typer.Option("--sep", help="Separator of a text file; found by content.", show_default=False)
]
Encoding = Annotated[
    str | None, typer.Option("--encoding", help="Encoding; found by content.", show_default=False)
]
Cor = Annotated[
    Literal["pearson", "spearman", "polychoric"], typer.Option("--cor", help="Kind of correlations.")
]
Mixed = Annotated[
    bool, typer.Option("--mixed", help="Analyse live, pilot, preview and simulated sessions together.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the results as JSON instead of tables.")]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", help="Folder for the page (HTML), its tables (CSV, JSON) and figures.", show_default=False
    ),
]
