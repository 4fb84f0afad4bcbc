"""Charts of effects: intervals by outcome, shares by condition, and the felt-honest plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from analysis.figures import (
    INK,
    LIGHT,
    QUIET,
    canvas,
    drawn,
    one_per_row,
    signed,
    style_of,
    wrapped,
    zero_line,
)

if TYPE_CHECKING:
    from analysis.effects import Contrast
    from analysis.separation import Plane


@drawn
def forest(contrasts: Sequence[Contrast], note: str = "") -> Figure:
    """Estimates with 95 % intervals, a panel for each unit; primary outcomes are filled."""
    units = list(dict.fromkeys(contrast.unit for contrast in contrasts))
    rows = [[contrast for contrast in contrasts if contrast.unit == unit] for unit in units]
    several = len({(contrast.factor, contrast.level) for contrast in contrasts}) > 1
    labels = [[f"{c.label} ({c.factor} {c.level})" if several else c.label for c in panel] for panel in rows]
    # Room grows with the lines that labels break into.
    sizes = [
        0.12 + sum(0.15 + 0.13 * (1 + wrapped(label).count("\n")) for label in panel) for panel in labels
    ]
    height = sum(sizes) + 0.5 * len(sizes) + 0.2
    figure, axes = canvas(height, rows=len(units), height_ratios=sizes)
    for axis, unit, panel, named in zip(axes, units, rows, labels, strict=True):
        for row, contrast in enumerate(panel):
            axis.plot(
                [contrast.low, contrast.high], [row, row], color=INK, linewidth=1.3, solid_capstyle="butt"
            )
            fill = INK if contrast.role == "primary" else "white"
            axis.plot(contrast.estimate, row, "o", color=INK, markerfacecolor=fill, markersize=6)
        one_per_row(axis, named)
        zero_line(axis)
        reach = max(max(abs(c.low), abs(c.high)) for c in panel) * 1.08
        axis.set_xlim(-reach, reach)
        axis.set_xlabel(f"difference in {unit}")
    return signed(figure, note)


@dataclass(frozen=True)
class Share:
    """A share with its interval: one condition in one group of a chart (all in percent)."""

    group: str
    condition: str
    estimate: float
    low: float
    high: float


@drawn
def shares(values: Sequence[Share], axis_label: str, note: str = "") -> Figure:
    """Shares by group and condition; conditions are told apart by shape."""
    groups = list(dict.fromkeys(value.group for value in values))
    conditions = list(dict.fromkeys(value.condition for value in values))
    figure, (axis,) = canvas(0.9 + 0.24 * len(groups) * max(len(conditions), 2))
    offsets = np.linspace(-0.18, 0.18, len(conditions)) if len(conditions) > 1 else np.zeros(1)
    for position, condition in enumerate(conditions):
        style = style_of(position)
        for value in (v for v in values if v.condition == condition):
            row = groups.index(value.group) + offsets[position]
            axis.plot([value.low, value.high], [row, row], color=style["color"], linewidth=1.3)
            axis.plot(value.estimate, row, style["marker"], color=style["color"], markersize=6)
        axis.plot([], [], style["marker"], color=style["color"], markersize=6, label=condition)
    one_per_row(axis, groups)
    axis.set_xlim(0, 100)
    axis.set_xlabel(axis_label)
    axis.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=max(len(conditions), 1), borderaxespad=0.1)
    return signed(figure, note)


@drawn
def plane(result: Plane, note: str = "") -> Figure:
    """Felt effect across, honesty effect up, both with 95 % intervals; a point a contrast."""
    figure, (axis,) = canvas(4.6)
    reach_x = max(max(abs(p.felt.low), abs(p.felt.high)) for p in result.points)
    reach_y = max(max(abs(p.honest.low), abs(p.honest.high)) for p in result.points)
    reach_x = max(reach_x, result.smallest_felt or 0) * 1.25
    reach_y = max(reach_y, result.smallest_honest or 0) * 1.25
    if result.smallest_felt and result.smallest_honest:
        axis.add_patch(
            Rectangle(
                (-result.smallest_felt, -result.smallest_honest),
                2 * result.smallest_felt,
                2 * result.smallest_honest,
                facecolor=LIGHT,
                alpha=0.55,
                edgecolor="none",
                zorder=0,
                label="smaller than the smallest effects of interest",
            )
        )
    zero_line(axis)
    zero_line(axis, horizontal=True)
    corners = (
        (-1, 1, "felt worse,\nhonesty better"),
        (1, 1, "felt better,\nhonesty better"),
        (-1, -1, "felt worse,\nhonesty worse"),
        (1, -1, "felt better,\nhonesty worse"),
    )
    for right, up, words in corners:
        axis.text(
            0.98 * right * reach_x, 0.97 * up * reach_y, words, color=QUIET, fontsize=8.5,
            ha="right" if right > 0 else "left", va="top" if up > 0 else "bottom",
        )  # fmt: skip
    for position, point in enumerate(result.points):
        style = style_of(position)
        x, y = point.felt, point.honest
        axis.plot([x.low, x.high], [y.estimate, y.estimate], color=style["color"], linewidth=1.6)
        axis.plot([x.estimate, x.estimate], [y.low, y.high], color=style["color"], linewidth=1.6)
        axis.plot(
            x.estimate, y.estimate, style["marker"], color=style["color"], markersize=8, linestyle="none",
            label=f"{x.factor}: {x.level} − {x.reference}",
        )  # fmt: skip
    axis.set_xlim(-reach_x, reach_x)
    axis.set_ylim(-reach_y, reach_y)
    axis.set_xlabel(f"effect on {result.points[0].felt.label}, {result.points[0].felt.unit}")
    honest = result.points[0].honest.label.partition(" (")[0].lower()
    axis.set_ylabel(f"effect on {honest}, percentage points")
    axis.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0.1)
    return signed(figure, note)
