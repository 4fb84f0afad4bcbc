"""Commands: ``python -m analysis COMMAND``.

They end with 0 (done), 1 (refused, with a reason) or 2 (wrong usage).
"""

from __future__ import annotations

import typer

from analysis.cli.report import report

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Analyse a data set that 'manage.py export' wrote.",
)


@app.callback()
def main() -> None:
    """Keeps commands by name while there is one."""


app.command("report")(report)
