"""Charts of confirmatory models: the path diagram, and the ladder of invariance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse, FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path

from analysis.figures import COLOURS, INK, LIGHT, QUIET, canvas, drawn, signed, wrapped

if TYPE_CHECKING:
    from analysis.cfa.invariance import Invariance
    from analysis.cfa.result import CFAResult

PLAIN = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
HOLLOW = {"fails", "rests on a failed step"}


@drawn
def ladder(found: Invariance, note: str = "") -> Figure:
    """CFI, RMSEA and SRMR step by step; hollow where a step fails or rests on one that does."""
    names = [step.name for step in found.steps]
    figure, axes = canvas(2.5, columns=3)
    at = np.arange(len(names))
    for axis, index in zip(axes, ("cfi", "rmsea", "srmr"), strict=True):
        values = [getattr(step, index) for step in found.steps]
        shown = np.array([np.nan if value is None else value for value in values], dtype=float)
        axis.plot(at, shown, color=QUIET, linewidth=1, zorder=1)
        for x, y, step in zip(at, shown, found.steps, strict=True):
            colour = COLOURS[3] if step.verdict == "doubtful" else INK
            face = "white" if step.verdict in HOLLOW else colour
            axis.plot(x, y, "o", color=colour, markerfacecolor=face, markersize=6, zorder=2)
        axis.set_xticks(at, [wrapped(name, 12) for name in names], rotation=35, ha="right")
        axis.set_xlim(-0.4, len(names) - 0.6)
        axis.set_title(index.upper() if index != "cfi" else f"CFI ({found.version})", fontsize=9)
        low, high = np.nanmin(shown), np.nanmax(shown)
        room = max((high - low) * 0.25, 0.01)
        axis.set_ylim(low - room, high + room)
        axis.grid(axis="y", color=LIGHT, linewidth=0.6)
    return signed(figure, note)


@drawn
def path_diagram(result: CFAResult, note: str = "", group: str | None = None) -> Figure:
    """Factors as ellipses, items as boxes, standardised estimates on the arrows.

    Weak loadings are pale; curves join factors that correlate. Of several groups one is drawn, the first
    unless ``group`` says another.
    """
    table = result.to_frame()
    table = table[table["group"] == (group or result.groups[0])]
    latents, observed = list(result.table.latents), list(result.table.observed)
    loadings = table[table["op"] == "=~"]
    paths = table[table["op"] == "~"]
    ranks = _ranks(latents, loadings)
    height = max(2.6, 0.27 * len(observed) + 0.5)
    figure, (axis,) = canvas(height)
    deepest = max(ranks.values(), default=0)
    places = {name: (0.0, float(-i)) for i, name in enumerate(observed)}
    for rank in range(deepest + 1):
        for latent in (name for name in latents if ranks[name] == rank):
            below = [places[row] for row in loadings[loadings["lhs"] == latent]["rhs"] if row in places]
            middle = float(np.mean([y for _, y in below])) if below else 0.0
            places[latent] = (-3.2 * (rank + 1), middle)
    _spread(places, latents, ranks)
    for row in _rows(loadings):
        _arrow(axis, places, row, item=row["rhs"] in observed)
    for row in _rows(paths):
        _arrow(axis, places, {**row, "lhs": row["rhs"], "rhs": row["lhs"]}, item=False, dashed=True)
    for row in _rows(table[(table["op"] == "~~") & (table["lhs"] != table["rhs"])]):
        if row["lhs"] in latents and row["rhs"] in latents and row["est"] != 0:
            _curve(axis, places, row)
    for name in observed:
        _box(axis, name, places[name])
    for name in latents:
        axis.add_patch(Ellipse(places[name], 1.7, 1.25, facecolor="white", edgecolor=INK, zorder=3))
        axis.text(
            *places[name], wrapped(name, 11), ha="center", va="center", fontsize=8, zorder=4, linespacing=0.9
        )
    axis.set_xlim(-3.2 * (deepest + 1) - 3.0, 1.6)
    axis.set_ylim(-len(observed) + 0.2, 0.9)
    axis.axis("off")
    return signed(figure, note)


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def _ranks(latents: list[str], loadings: Any) -> dict[str, int]:
    """0 for factors of items, one more for factors of factors."""
    below = {name: [r for r in loadings[loadings["lhs"] == name]["rhs"] if r in latents] for name in latents}

    def rank(name: str) -> int:
        return 1 + max(rank(other) for other in below[name]) if below[name] else 0

    return {name: rank(name) for name in latents}


def _spread(places: dict[str, tuple[float, float]], latents: list[str], ranks: dict[str, int]) -> None:
    """Move factors of a rank apart where they would lie on each other (bifactor models)."""
    for rank in set(ranks.values()):
        mine = sorted((name for name in latents if ranks[name] == rank), key=lambda n: -places[n][1])
        last = math.inf
        for name in mine:
            x, y = places[name]
            y = min(y, last - 1.6)
            places[name] = (x, y)
            last = y


def _arrow(
    axis: Axes,
    places: dict[str, tuple[float, float]],
    row: dict[str, Any],
    *,
    item: bool,
    dashed: bool = False,
) -> None:
    start, end = np.array(places[row["lhs"]]), np.array(places[row["rhs"]])
    tip = end - np.array([0.62, 0.0]) if item else end + np.array([-0.85 if end[0] > start[0] else 0.85, 0.0])
    tail = start + np.array([0.85 if tip[0] > start[0] else -0.85, 0.0])
    strength = min(1.0, abs(row["std"])) if math.isfinite(row["std"]) else 0.0
    colour = INK if strength >= 0.3 else COLOURS[2]
    axis.add_patch(
        FancyArrowPatch(
            tuple(tail), tuple(tip), arrowstyle="-|>", mutation_scale=7, linewidth=0.5 + 0.9 * strength,
            color=colour, linestyle="--" if dashed else "-", zorder=1,
        )
    )  # fmt: skip
    spot = tail + 0.72 * (tip - tail)
    axis.text(
        float(spot[0]), float(spot[1]), _short(row["std"]), fontsize=7, ha="center", va="center",
        color=colour, zorder=2, bbox=PLAIN,
    )  # fmt: skip


def _curve(axis: Axes, places: dict[str, tuple[float, float]], row: dict[str, Any]) -> None:
    start, end = np.array(places[row["lhs"]]), np.array(places[row["rhs"]])
    if start[1] < end[1]:
        start, end = end, start
    edge, distance = start[0] - 0.85, abs(start[1] - end[1])
    # A quadratic curve passes half way to its control point.
    control = (edge - 0.8 - 0.22 * distance, (start[1] + end[1]) / 2)
    path = Path([(edge, start[1]), control, (edge, end[1])], [Path.MOVETO, Path.CURVE3, Path.CURVE3])
    axis.add_patch(
        FancyArrowPatch(path=path, arrowstyle="<|-|>", mutation_scale=6, linewidth=0.8, color=QUIET, zorder=0)
    )
    axis.text(
        (edge + control[0]) / 2, control[1], _short(row["std"]), fontsize=7, ha="center", va="center",
        color=QUIET, bbox=PLAIN, zorder=2,
    )  # fmt: skip


def _box(axis: Axes, name: str, place: tuple[float, float]) -> None:
    x, y = place
    axis.add_patch(
        FancyBboxPatch(
            (x - 0.55, y - 0.33), 1.9, 0.66, boxstyle="round,pad=0.02,rounding_size=0.08", facecolor="white",
            edgecolor=INK, linewidth=0.8, zorder=3,
        )
    )  # fmt: skip
    axis.text(
        x + 0.4,
        y,
        name if len(name) < 22 else f"{name[:20]}…",
        ha="center",
        va="center",
        fontsize=7.5,
        zorder=4,
    )


def _short(value: float) -> str:
    if not math.isfinite(value):
        return "–"
    text = f"{abs(value):.2f}".removeprefix("0")
    return f"−{text}" if value < -0.005 else text
