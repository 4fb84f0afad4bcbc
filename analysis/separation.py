"""The felt-honest plane: both effects of a contrast side by side, never in one number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from analysis.effects import Contrast

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Point:
    """One contrast in the plane: its felt effect (scale points) and its honest effect (percentage points)."""

    felt: Contrast
    honest: Contrast

    @property
    def conclusion(self) -> str:
        """The pair of directions, each better, worse or unresolved."""
        return f"felt support {self.felt.direction}, honesty {self.honest.direction}"


@dataclass(frozen=True)
class Plane:
    """All contrasts in the plane, with the smallest effects of interest where the study declares them."""

    points: tuple[Point, ...]
    smallest_felt: float | None
    smallest_honest: float | None

    def to_frame(self) -> pd.DataFrame:
        """One row a contrast."""
        return pd.DataFrame(
            [
                {
                    "factor": point.felt.factor,
                    "level": point.felt.level,
                    "reference": point.felt.reference,
                    "felt_estimate": point.felt.estimate,
                    "felt_low": point.felt.low,
                    "felt_high": point.felt.high,
                    "honest_estimate": point.honest.estimate,
                    "honest_low": point.honest.low,
                    "honest_high": point.honest.high,
                    "conclusion": point.conclusion,
                }
                for point in self.points
            ]
        )

    def summary(self) -> str:
        """One line a contrast."""
        return "\n".join(
            f"{point.felt.factor} {point.felt.level} - {point.felt.reference}: {point.conclusion}"
            for point in self.points
        )

    def plot(self, note: str = "") -> Figure:
        """The plane with 95 % intervals."""
        from analysis.effect_charts import plane

        return plane(self, note)


def separate(
    felt: Sequence[Contrast],
    honest: Sequence[Contrast],
    *,
    smallest_felt: float | None = None,
    smallest_honest: float | None = None,
) -> Plane:
    """Pair the primary felt and honest contrasts by factor and level.

    A direction is *better* or *worse* where the 95 % interval leaves out zero, else *unresolved*: an
    interval over zero is no evidence of equality. The pair is read as a pair; a claim about both needs
    both intervals (an intersection-union test), so no further correction is made.

    Examples
    --------
    >>> shared = dict(factor="warmth", level="warm", reference="default", se=1, df=9, p=0.01)
    >>> shared |= dict(n_level=5, n_reference=5, unit="points", method="OLS, HC3")
    >>> c = Contrast(family="felt", outcome="f", label="felt", estimate=1, low=0.5, high=1.5, **shared)
    >>> h = Contrast(family="honest", outcome="h", label="told", estimate=-9, low=-15, high=-3, **shared)
    >>> separate([c], [h]).points[0].conclusion
    'felt support better, honesty worse'
    """
    found = {(contrast.factor, contrast.level): contrast for contrast in honest}
    points = tuple(
        Point(contrast, found[(contrast.factor, contrast.level)])
        for contrast in felt
        if (contrast.factor, contrast.level) in found
    )
    return Plane(points, smallest_felt, smallest_honest)
