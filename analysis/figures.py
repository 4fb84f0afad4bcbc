"""One visual language for every figure: grey first, shapes before colours, letters as paths, no date.

A figure has no title (its caption stands beside it) and carries inside itself how its data came to be.
"""

from __future__ import annotations

import functools
import io
import re
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

INK = "#1f2328"
QUIET = "#6b7280"
LIGHT = "#d5d9de"
# Told apart by lightness and shape, so that a grey print says the same.
COLOURS = ("#1f2328", "#2f7fb3", "#8a949e", "#c0792a")
MARKERS = ("o", "s", "D", "^")
WIDTH = 7.2
P = ParamSpec("P")

LANGUAGE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "figure.facecolor": "white",
    "svg.fonttype": "path",
    # Without a salt the identifiers inside the file differ at every run.
    "svg.hashsalt": "plainheart",
}


def drawn(chart: Callable[P, Figure]) -> Callable[P, Figure]:
    """Decorator of charts: everything inside is drawn in the common language."""

    @functools.wraps(chart)
    def in_language(*args: P.args, **more: P.kwargs) -> Figure:
        with mpl.rc_context(LANGUAGE):
            return chart(*args, **more)

    return in_language


def wrapped(label: str, width: int = 34) -> str:
    """A label broken into lines of at most ``width`` characters."""
    return "\n".join(textwrap.wrap(label, width)) or label


def canvas(height: float, columns: int = 1, rows: int = 1, **grid: Any) -> tuple[Figure, list[Axes]]:
    """A figure in the common language with its axes in reading order; height in inches."""
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    FigureCanvasSVG(figure)
    axes = figure.subplots(rows, columns, squeeze=False, **grid)
    return figure, [axis for row in axes for axis in row]


def signed(figure: Figure, note: str) -> Figure:
    """Write how the data came to be into the figure's lower margin."""
    if note:
        engine = figure.get_layout_engine()
        if engine is not None:
            room = 0.26 / float(figure.get_size_inches()[1])
            engine.set(rect=(0, room, 1, 1 - room))  # type: ignore[call-arg]
        figure.text(
            0.995, 0.05 / float(figure.get_size_inches()[1]), note,
            ha="right", va="bottom", fontsize=8.5, fontstyle="italic", color=INK,
        )  # fmt: skip
    return figure


def svg(figure: Figure) -> str:
    """The figure as SVG text; the same figure gives the same bytes."""
    with mpl.rc_context(LANGUAGE):
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    # Identifiers of clip paths are hashes of unrounded positions, whose last digit the layout does not
    # settle: they are numbered instead.
    text = out.getvalue()
    hashed = dict.fromkeys(re.findall(r'id="([a-z][0-9a-f]{10})"', text))
    for number, found in enumerate(hashed, start=1):
        text = text.replace(found, f"part{number}")
    return text


def style_of(position: int) -> dict[str, Any]:
    """Colour and marker of the n-th condition or level."""
    return {"color": COLOURS[position % len(COLOURS)], "marker": MARKERS[position % len(MARKERS)]}


def zero_line(axis: Axes, *, horizontal: bool = False) -> None:
    """A thin line at no effect."""
    draw = axis.axhline if horizontal else axis.axvline
    draw(0, color=QUIET, linewidth=0.8, zorder=0)


def one_per_row(axis: Axes, labels: Sequence[str]) -> None:
    """Name rows from the top down, with a hair line each."""
    axis.set_yticks(range(len(labels)), [wrapped(label) for label in labels], linespacing=0.95)
    axis.set_ylim(len(labels) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="y", color=LIGHT, linewidth=0.6)
    axis.set_axisbelow(True)
