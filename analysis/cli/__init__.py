"""Commands: ``python -m analysis COMMAND``.

They end with 0 (done), 1 (refused, with a reason) or 2 (wrong usage).
"""

from __future__ import annotations

import typer

from analysis.cli.cfa import cfa
from analysis.cli.describe import describe
from analysis.cli.efa import efa
from analysis.cli.invariance import invariance
from analysis.cli.reliability import reliability
from analysis.cli.report import report

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Analyse a data set that 'manage.py export' wrote, or a CSV, SPSS or Parquet file.",
)

app.command("cfa")(cfa)
app.command("describe")(describe)
app.command("efa")(efa)
app.command("invariance")(invariance)
app.command("reliability")(reliability)
app.command("report")(report)
