"""Charts of single items."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from analysis.figures import COLOURS, QUIET, canvas, drawn, signed, wrapped
from analysis.items import ItemData

ACROSS = 4
MOST_BARS = 15


@drawn
def histograms(items: ItemData, note: str = "") -> Figure:
    """How often each answer was given, one small chart an item; a bar a value where there are few values."""
    down = -(-len(items.names) // ACROSS)
    figure, axes = canvas(0.5 + 1.25 * down, columns=ACROSS, rows=down)
    for axis, name, column, bounds in zip(axes, items.names, items.values.T, items.bounds, strict=False):
        values = column[np.isfinite(column)]
        present = np.unique(values)
        low, high = bounds or ((present[0], present[-1]) if len(present) else (0.0, 1.0))
        if len(present) <= MOST_BARS and bool((present == present.round()).all()) and high - low <= MOST_BARS:
            bars = np.arange(low, high + 1)
            heights = [int((values == bar).sum()) for bar in bars]
            axis.bar(bars, heights, width=0.85, color=COLOURS[1])
            axis.set_xticks(bars if len(bars) <= 8 else bars[:: -(-len(bars) // 6)])
        else:
            axis.hist(values, bins=20, range=(low, high) if high > low else None, color=COLOURS[1])
        axis.set_title(wrapped(name, 22), fontsize=8.5)
        axis.tick_params(labelsize=7, colors=QUIET)
        axis.locator_params(axis="y", nbins=3)
    for axis in axes[len(items.names) :]:
        axis.set_visible(False)
    return signed(figure, note)
