"""Render a report as one page that needs nothing beside it."""

from __future__ import annotations

import base64
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from analysis.report.document import Report

HERE = Path(__file__).resolve().parent


def render(report: Report) -> str:
    """The page as HTML; style and figures are inside it."""
    environment = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # Figures are pictures of their own, so that identifiers inside two of them cannot meet on one page.
    environment.filters["embedded"] = lambda svg: base64.b64encode(svg.encode("utf-8")).decode("ascii")
    template = environment.get_template("page.html.j2")
    return template.render(report=report, css=(HERE / "page.css").read_text(encoding="utf-8"))
