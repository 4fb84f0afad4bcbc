"""Is warmth a factor of its own? Three factors against four, and where the warm items go in each."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.congruence import tucker
from analysis.correlation import Kind, correlate
from analysis.dimensionality import Parallel, parallel_analysis
from analysis.efa import SALIENT, FactorSolution, efa_of
from analysis.errors import UnknownName
from analysis.items import ItemData, MissingPolicy
from analysis.wording import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Matrix = NDArray[np.float64]
Home = Literal["alone", "with others", "apart"]

# The items of the Partner Modelling Questionnaire that say warmth, under their keys in its scale file.
WARM = ("warm", "empathetic", "personal", "social")
INDICES = ("chi2", "df", "p", "rmsea", "rmsea_low", "rmsea_high", "tli", "rmsr", "bic")


@dataclass(frozen=True)
class Warmth:
    """The three- and the four-factor solution side by side.

    Attributes
    ----------
    three, four : the solutions; the first three factors of ``four`` are in the order of those they
        resemble most
    warm : names of the warm items in the data, in the order warm, empathetic, personal, social
    home_in_three, home_in_four : ``"alone"`` where the warm items all load highest on one factor, at .30
        or more, and no other item does; ``"with others"`` on one factor that others share; else ``"apart"``
    shared_with : the other items on the warm items' factor of ``four``
    parallel : how many factors exceed chance
    """

    three: FactorSolution
    four: FactorSolution
    warm: tuple[str, ...]
    home_in_three: Home
    home_in_four: Home
    shared_with: tuple[str, ...]
    parallel: Parallel
    warnings: tuple[str, ...]

    @property
    def own_factor(self) -> bool:
        """Alone in a proper four-factor solution of lower BIC, and parallel analysis keeps four."""
        better = _lower(self.four.fit.bic, self.three.fit.bic)
        sound = not self.four.heywood and self.four.converged
        return self.home_in_four == "alone" and better and sound and self.parallel.factors >= 4

    def to_frame(self) -> pd.DataFrame:
        """One row an item: in each solution its factor, its loading there, and the next highest."""
        table = pd.DataFrame({"item": self.three.items, "warm": [i in self.warm for i in self.three.items]})
        for name, solution in (("three", self.three), ("four", self.four)):
            size = np.abs(solution.loadings)
            order = np.argsort(-size, axis=1, kind="stable")
            first, second = order[:, 0], order[:, 1]
            rows = np.arange(len(size))
            table[f"{name}_factor"] = [solution.factors[column] for column in first]
            table[f"{name}_loading"] = solution.loadings[rows, first]
            table[f"{name}_next"] = solution.loadings[rows, second]
        return table

    def indices(self) -> pd.DataFrame:
        """One row an index of fit: three factors, four factors."""
        three, four = self.three.fit.to_dict(), self.four.fit.to_dict()
        return pd.DataFrame(
            {"index": INDICES, "three": [three[i] for i in INDICES], "four": [four[i] for i in INDICES]}
        )

    def summary(self) -> str:
        """The answer in words, with what it rests on."""
        warm = ", ".join(self.warm)
        told = {
            "alone": "load highest on one factor that no other item joins",
            "with others": "load highest on one factor, which other items share",
            "apart": "load highest on different factors, or below .30",
        }
        shared = f" ({', '.join(self.shared_with)})" if self.shared_with else ""
        answer = (
            "Warmth is a factor of its own here"
            if self.own_factor
            else "These data do not make warmth a factor of its own"
        )
        bic = "no BIC for one of them"
        if self.three.fit.bic is not None and self.four.fit.bic is not None:
            lower = "four" if self.four.fit.bic < self.three.fit.bic else "three"
            bic = f"BIC prefers {lower} (three {self.three.fit.bic:.1f}, four {self.four.fit.bic:.1f})"
        return (
            f"{answer}. With three factors, {warm} {told[self.home_in_three]}; with four, they "
            f"{told[self.home_in_four]}{shared}. {bic}; parallel analysis keeps {self.parallel.factors}."
        ).replace("-", "−")

    def plot(self, note: str = "") -> Figure:
        """Loadings of both solutions beside each other."""
        from analysis.factor_charts import side_by_side

        return side_by_side(self, note)


def warmth(
    data: ItemData,
    *,
    warm: Sequence[str] | None = None,
    method: str = "minres",
    rotation: str = "oblimin",
    cor: Kind = "pearson",
    within: bool = True,
    na: MissingPolicy | None = None,
    seed: int = 1,
    progress: Callable[[str], None] = lambda stage: None,
) -> Warmth:
    """Fit three and four factors to the same correlations and see where the warm items go.

    Warmth is called a factor of its own only where four things meet: the four warm items load highest
    together and no other item with them, the four-factor solution is proper, its BIC is lower than that
    of three factors, and parallel analysis keeps four or more. No chi-square difference is given: a model
    with a factor too many breaks the conditions under which it is one.

    Parameters
    ----------
    data : the eighteen items of the questionnaire
    warm : names of the four warm items; None: found by their names (``pmq_warm``) or their wordings
    method, rotation : see :func:`analysis.efa.efa`
    cor, within, na : see :func:`analysis.correlation.correlate`
    seed : of the parallel analysis
    progress : told each stage before it begins

    Raises
    ------
    UnknownName : a warm item is not found, or twice
    AnalysisError : as :func:`analysis.efa.efa`

    References
    ----------
    Doyle et al. 2025, doi 10.1145/3729170 (the three published factors).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> factors = rng.standard_normal((400, 4))
    >>> names = ["a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4", "c1", "c2", "c3", *WARM]
    >>> of = [0] * 4 + [1] * 4 + [2] * 3 + [3] * 4
    >>> from analysis.items import items_of
    >>> answers = pd.DataFrame(factors[:, of] + 0.7 * rng.standard_normal((400, 15)), columns=names)
    >>> warmth(items_of(answers)).own_factor
    True
    """
    names = find_warm(data, warm)
    progress("correlations")
    correlation = correlate(data, cor, within=within, na=na)
    progress("three factors")
    three = efa_of(correlation, 3, method=method, rotation=rotation)
    progress("four factors")
    four = _beside(three, efa_of(correlation, 4, method=method, rotation=rotation))
    progress("parallel analysis")
    parallel = parallel_analysis(correlation.matrix, correlation.n, seed=seed)
    in_three, _ = _home(three, names)
    in_four, shared = _home(four, names)
    told = dict.fromkeys([*correlation.warnings])
    for count, solution in (("three factors", three), ("four factors", four)):
        told |= {f"{count}: {text}": None for text in solution.warnings if text not in correlation.warnings}
    return Warmth(three, four, names, in_three, in_four, shared, parallel, tuple(told))


def find_warm(data: ItemData, warm: Sequence[str] | None = None) -> tuple[str, ...]:
    """The names of the four warm items: as given, else by the end of a name, else by a word of its text.

    Raises
    ------
    UnknownName : an item is not found, or several could be it; say them by hand

    Examples
    --------
    >>> from analysis.items import items_of
    >>> find_warm(items_of(pd.DataFrame(columns=["pmq_warm", "empathetic", "q_personal", "Social"])))
    ('pmq_warm', 'empathetic', 'q_personal', 'Social')
    """
    if warm is not None:
        found = data.select(list(warm)).names
        if len(found) != len(WARM):
            raise UnknownName(f"{counted(len(found), 'warm item')} named ({', '.join(found)}); name four")
        return found
    return tuple(_found(data, key) for key in WARM)


def _found(data: ItemData, key: str) -> str:
    by_name = [name for name in data.names if re.search(rf"(^|[^a-z]){key}(_r)?$", name, re.IGNORECASE)]
    by_text = [
        name
        for name, text in zip(data.names, data.wordings, strict=True)
        if re.search(rf"\b{key}\b", text, re.IGNORECASE)
    ]
    hits = by_name or by_text
    if len(hits) != 1:
        what = f"several items could be {key!r} ({', '.join(hits)})" if hits else f"no item is named {key!r}"
        raise UnknownName(
            f"{data.source}: {what}; name the four warm items in the order {', '.join(WARM)} "
            "(--warm-items a,b,c,d)"
        )
    return hits[0]


def _home(solution: FactorSolution, warm: tuple[str, ...]) -> tuple[Home, tuple[str, ...]]:
    size = np.abs(solution.loadings)
    highest = size.argmax(axis=1)
    rows = [solution.items.index(item) for item in warm]
    homes = set(highest[rows].tolist())
    if len(homes) > 1 or float(size[rows].max(axis=1).min()) < SALIENT:
        return "apart", ()
    home = homes.pop()
    shared = tuple(
        item
        for item, column in zip(solution.items, highest, strict=True)
        if column == home and item not in warm
    )
    return ("with others" if shared else "alone"), shared


def _beside(three: FactorSolution, four: FactorSolution) -> FactorSolution:
    """Four factors with those first that resemble the three, so that the new one stands last."""
    from scipy.optimize import linear_sum_assignment

    alike = np.abs(tucker(three.loadings, four.loadings))
    order = [int(column) for column in linear_sum_assignment(-alike)[1]]
    order += [column for column in range(4) if column not in order]
    return four.reordered(order, four.factors)


def _lower(first: float | None, second: float | None) -> bool:
    return first is not None and second is not None and first < second
