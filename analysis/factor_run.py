"""One run of a factor analysis: what was asked, and everything that belongs beside the loadings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis import factor_text
from analysis.bootstrap_factors import FactorBootstrap, bootstrap_factors
from analysis.congruence import Comparison, compare
from analysis.correlation import Kind, correlate
from analysis.efa import FactorSolution, efa_of
from analysis.items import ItemData
from analysis.retention import Retention, retention
from analysis.warmth import Warmth, find_warm, warmth

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Request:
    """What was asked.

    Attributes
    ----------
    factors, method, rotation, target : see :func:`analysis.efa.efa`
    cor : kind of correlations
    against : other loadings, items in the index, or None
    draws, seed : of the bootstrap, 0 for none; the seed is that of parallel analysis too
    warmth, warm_items : whether to ask for a factor of warmth, and its items if names do not tell
    """

    factors: int
    method: str = "minres"
    rotation: str = "oblimin"
    cor: Kind = "pearson"
    target: Matrix | None = None
    against: pd.DataFrame | None = None
    draws: int = 0
    seed: int = 1
    warmth: bool = False
    warm_items: str | None = None


@dataclass(frozen=True)
class Findings:
    """All that one run found."""

    source: str
    note: str
    solution: FactorSolution
    retention: Retention
    bootstrap: FactorBootstrap | None
    comparison: Comparison | None
    warmth: Warmth | None
    warnings: tuple[str, ...]

    def sentences(self) -> list[str]:
        """The results in words."""
        told = [factor_text.suited(self.retention), factor_text.solution_text(self.solution)]
        if self.bootstrap is not None:
            told.append(factor_text.bootstrap_text(self.bootstrap))
        if self.comparison is not None:
            told.append(f"{self.comparison.summary()}.")
        if self.warmth is not None:
            told.append(self.warmth.summary())
        return told


def run(data: ItemData, request: Request, *, progress: Callable[[int], None] = lambda done: None) -> Findings:
    """Fit, and look at everything else that was asked for.

    Parameters
    ----------
    data : the answers; within their groups where they have any
    request : what to do
    progress : told the number of bootstrap draws made since it was last told

    Raises
    ------
    AnalysisError : see :func:`analysis.efa.efa`, :func:`analysis.correlation.correlate`

    Examples
    --------
    >>> from analysis.items import items_of
    >>> draws = np.random.default_rng(1).standard_normal((300, 5))
    >>> found = run(items_of(pd.DataFrame(draws[:, :4] + draws[:, 4:], columns=list("abcd"))), Request(1))
    >>> found.solution.items
    ('a', 'b', 'c', 'd')
    """
    # What may be refused comes first, the slow look at random data last.
    named = None if request.warm_items is None else [request.warm_items]
    if request.warmth:
        find_warm(data, named)
    solution = efa_of(
        correlate(data, request.cor), request.factors, method=request.method, rotation=request.rotation,
        target=request.target,
    )  # fmt: skip
    compared = None if request.against is None else compare(solution, request.against)
    drawn = None
    if request.draws:
        drawn = bootstrap_factors(
            data, request.factors, seed=request.seed, draws=request.draws, method=request.method,
            rotation=request.rotation, target=request.target, cor=request.cor, progress=progress,
        )  # fmt: skip
    warm = None
    if request.warmth:
        # A target has three columns or four, never both.
        free = request.rotation if request.target is None else "oblimin"
        warm = warmth(
            data, warm=named, method=request.method, rotation=free, cor=request.cor, seed=request.seed
        )
    kept = retention(data, request.cor, seed=request.seed)
    told = dict.fromkeys([*kept.warnings, *solution.warnings, *(drawn.warnings if drawn else ())])
    return Findings(data.source, data.note, solution, kept, drawn, compared, warm, tuple(told))
