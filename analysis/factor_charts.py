"""Charts of factor analyses: eigenvalues against chance, loadings as shades."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import COLOURS, INK, canvas, drawn, signed, wrapped, zero_line

if TYPE_CHECKING:
    from analysis.bootstrap_factors import FactorBootstrap
    from analysis.congruence import Comparison
    from analysis.dimensionality import Parallel
    from analysis.efa import FactorSolution
    from analysis.factor_scores import FactorScores
    from analysis.warmth import Warmth


@drawn
def scree(parallel: Parallel, note: str = "") -> Figure:
    """Eigenvalues of the common factors, observed and random."""
    figure, (axis,) = canvas(3.0)
    number = np.arange(1, len(parallel.factor_observed) + 1)
    axis.plot(
        number, parallel.factor_observed, "o-", color=INK, markersize=4.5, linewidth=1.2, label="observed"
    )
    axis.plot(
        number, parallel.factor_random, "--", color=COLOURS[1], linewidth=1.4,
        label=f"random data, {parallel.quantile:.0%} quantile",
    )  # fmt: skip
    axis.axhline(0, color=COLOURS[2], linewidth=0.6)
    axis.set_xticks(number)
    axis.set_xlabel("factor")
    axis.set_ylabel("eigenvalue of reduced matrix")
    axis.legend(loc="upper right")
    return signed(figure, note)


@drawn
def loadings(solution: FactorSolution, note: str = "") -> Figure:
    """Loadings as numbers on shades; the highest of each item is bold."""
    figure, (axis,) = canvas(0.7 + 0.235 * len(solution.items))
    _shade(axis, solution)
    return signed(figure, note)


@drawn
def side_by_side(found: Warmth, note: str = "") -> Figure:
    """Loadings of three factors beside those of four; warm items carry a mark."""
    figure, axes = canvas(0.8 + 0.235 * len(found.three.items), columns=2, sharey=True, width_ratios=[3, 4])
    for axis, solution in zip(axes, (found.three, found.four), strict=True):
        _shade(axis, solution)
        count = len(solution.factors)
        axis.set_xticks(range(count), [str(number + 1) for number in range(count)])
        axis.set_title(f"{len(solution.factors)} factors", fontsize=9)
    marked = [f"{item} ●" if item in found.warm else item for item in found.three.items]
    axes[0].set_yticks(range(len(marked)), marked)
    return signed(figure, note)


def _shade(axis: Axes, solution: FactorSolution) -> None:
    values = solution.loadings
    items, factors = values.shape
    axis.imshow(np.abs(values), cmap="Greys", vmin=0, vmax=1.25, aspect="auto")
    highest = np.abs(values).argmax(axis=1)
    for row in range(items):
        for column in range(factors):
            value = values[row, column]
            axis.text(
                column, row, _short(value), ha="center", va="center", fontsize=8.5,
                color="white" if abs(value) > 0.6 else INK,
                fontweight="bold" if column == highest[row] else "normal",
            )  # fmt: skip
    axis.set_xticks(range(factors), [wrapped(name, 26) for name in solution.factors])
    axis.xaxis.tick_top()
    axis.set_yticks(range(items), list(solution.items))
    axis.tick_params(length=0)
    for spine in axis.spines.values():
        spine.set_visible(False)


@drawn
def congruences(comparison: Comparison, note: str = "") -> Figure:
    """Tucker's congruences as numbers on shades."""
    values = comparison.congruence
    rows, columns = values.shape
    figure, (axis,) = canvas(0.8 + 0.3 * rows)
    axis.imshow(np.abs(values), cmap="Greys", vmin=0, vmax=1.25, aspect="auto")
    for row in range(rows):
        for column in range(columns):
            value = values[row, column]
            axis.text(
                column, row, _short(value), ha="center", va="center", fontsize=8.5,
                color="white" if abs(value) > 0.6 else INK,
            )  # fmt: skip
    axis.set_xticks(range(columns), [wrapped(name, 26) for name in comparison.others])
    axis.xaxis.tick_top()
    axis.set_yticks(range(rows), [wrapped(name, 26) for name in comparison.factors])
    axis.tick_params(length=0)
    for spine in axis.spines.values():
        spine.set_visible(False)
    return signed(figure, note)


@drawn
def intervals(found: FactorBootstrap, note: str = "") -> Figure:
    """Loadings with their bootstrap intervals, a panel a factor."""
    solution = found.solution
    items, factors = solution.loadings.shape
    figure, axes = canvas(0.9 + 0.2 * items, columns=factors, sharey=True)
    rows = np.arange(items)
    for column, axis in enumerate(axes):
        zero_line(axis)
        axis.hlines(
            rows, found.loadings_low[:, column], found.loadings_high[:, column], color=COLOURS[2],
            linewidth=1.6,
        )  # fmt: skip
        axis.plot(solution.loadings[:, column], rows, "o", color=INK, markersize=3.5)
        axis.set_xlim(min(-0.5, float(found.loadings_low.min()) - 0.05), 1.05)
        axis.set_title(wrapped(solution.factors[column], 22), fontsize=8.5)
    axes[0].set_yticks(rows, list(solution.items))
    axes[0].set_ylim(items - 0.4, -0.6)
    figure.supxlabel(f"loading, {found.confidence:.0%} interval of {found.used} draws", fontsize=9)
    return signed(figure, note)


@drawn
def score_histograms(scores: FactorScores, note: str = "") -> Figure:
    """How the scores of each factor are distributed."""
    figure, axes = canvas(2.4, columns=len(scores.factors), sharey=True)
    for column, axis in enumerate(axes):
        values = scores.values[:, column]
        axis.hist(values[~np.isnan(values)], bins=20, color=COLOURS[2], edgecolor="white", linewidth=0.5)
        axis.set_xlabel(wrapped(scores.factors[column], 22))
    axes[0].set_ylabel("people")
    return signed(figure, note)


def _short(loading: float) -> str:
    """A loading without its leading zero and with a true minus, as such tables print it."""
    text = f"{abs(loading):.2f}".removeprefix("0")
    return f"−{text}" if loading <= -0.005 else text
