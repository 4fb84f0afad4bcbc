"""Into how many factors: every criterion beside the others, on the same correlations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pandas as pd

from analysis.adequacy import LOW_KMO, Adequacy, adequacy
from analysis.correlation import Correlation, Kind, correlate
from analysis.dimensionality import Parallel, parallel_analysis
from analysis.items import ItemData, MissingPolicy
from analysis.partial_correlations import MinimumAveragePartial, minimum_average_partial
from analysis.simple_structure import SimpleStructure, very_simple_structure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEED = 1


@dataclass(frozen=True)
class Retention:
    """What each criterion says of one correlation matrix, and what to say beside them."""

    correlation: Correlation
    adequacy: Adequacy
    parallel: Parallel
    partials: MinimumAveragePartial
    structure: SimpleStructure
    warnings: tuple[str, ...]

    @property
    def suggested(self) -> int:
        """Factors that parallel analysis of common factors keeps, one at least."""
        return max(1, self.parallel.factors)

    def to_frame(self) -> pd.DataFrame:
        """One row a criterion: the number of factors it keeps."""
        rows = [
            ("parallel analysis, common factors, random data", self.parallel.factors),
            ("parallel analysis, components, random data", self.parallel.components),
            ("minimum average partial", self.partials.components),
            ("very simple structure, one loading an item", self.structure.factors),
            (
                "eigenvalues above 1 (keeps too many; for comparison only)",
                sum(value > 1 for value in self.parallel.component_observed),
            ),
        ]
        if self.parallel.factors_resampled is not None and self.parallel.components_resampled is not None:
            rows[2:2] = [
                ("parallel analysis, common factors, shuffled answers", self.parallel.factors_resampled),
                ("parallel analysis, components, shuffled answers", self.parallel.components_resampled),
            ]
        return pd.DataFrame(rows, columns=["criterion", "factors"])

    def summary(self) -> str:
        """Every criterion in a line of its own."""
        return "\n".join(
            (
                self.adequacy.summary(), self.parallel.summary(), self.partials.summary(),
                self.structure.summary(),
            )
        )  # fmt: skip

    def plot(self, note: str = "") -> Figure:
        """Eigenvalues against chance."""
        return self.parallel.plot(note)


def retention(
    items: ItemData,
    kind: Kind = "pearson",
    *,
    within: bool = True,
    na: MissingPolicy | None = None,
    seed: int = SEED,
    sets: int = 500,
) -> Retention:
    """KMO, Bartlett, parallel analysis, MAP and VSS of items.

    Parameters
    ----------
    items, kind, within, na : as ``correlate``
    seed, sets : of parallel analysis; answers are shuffled too where the correlations are Pearson's of
        complete rows

    Raises
    ------
    UnusableColumn, TooFewData, NotPositiveDefinite : as ``correlate``
    TooManyFactors : fewer than three items

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from analysis.items import items_of
    >>> rng = np.random.default_rng(1)
    >>> trait = rng.standard_normal((300, 2)).repeat(4, axis=1)
    >>> answers = pd.DataFrame(trait + rng.standard_normal((300, 8)), columns=list("abcdefgh"))
    >>> retention(items_of(answers), sets=50).suggested
    2
    """
    found = correlate(items, kind, within=within, na=na)
    used = items if within else replace(items, groups=None)
    shuffled = used if kind == "pearson" and found.na == "listwise" else None
    suited = adequacy(found.matrix, found.n, found.names)
    told = list(found.warnings)
    if suited.kmo < LOW_KMO:
        told.append(f"low KMO: {suited.kmo:.2f} is below .50, the items share too little to be factored")
    if suited.p > 0.05:
        told.append(f"Bartlett's test: p = {suited.p:.2f}, the items may be uncorrelated altogether")
    return Retention(
        found,
        suited,
        parallel_analysis(found.matrix, found.n, seed=seed, sets=sets, data=shuffled),
        minimum_average_partial(found.matrix),
        very_simple_structure(found.matrix),
        tuple(told),
    )
