"""What each item looks like before anything is made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.correlation import covariance_of
from analysis.errors import AnalysisError
from analysis.items import ItemData
from analysis.missing import MissingPatterns, missing_patterns
from analysis.reliability import item_rest
from analysis.validation import faults
from analysis.wording import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Matrix = NDArray[np.float64]

# The share of answers at one end from which an item no longer tells people apart there.
CROWDED = 0.15
FEW = 3  # answers there are to give; with so few, half of the people are at one end by nature


@dataclass(frozen=True)
class Description:
    """Statistics of items.

    Attributes
    ----------
    table : one row an item: n, missing, mean, sd, median, skew, kurtosis, min, max, distinct, floor, ceiling
        (shares of answers at the lowest and highest value there can be, or there is), item_rest
    missing : patterns of missing answers
    items : the answers
    basis : of the item-rest correlations
    warnings : faults of the data, and items crowded at an end
    """

    table: pd.DataFrame
    missing: MissingPatterns
    items: ItemData
    basis: str
    warnings: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """One row an item."""
        return self.table

    def summary(self) -> str:
        """Items, rows and what is missing in one line."""
        return f"{counted(len(self.items.names), 'item')}, {self.missing.summary()}"

    def plot(self, note: str = "") -> Figure:
        """A histogram of every item."""
        from analysis.item_charts import histograms

        return histograms(self.items, note)


def describe(items: ItemData) -> Description:
    r"""Statistics of every item; faults of the data are told, not refused.

    Skew is :math:`m_3 / s^3` and kurtosis :math:`m_4 / s^4 - 3` with s of n - 1, as psych prints them.
    Item-rest correlations are of complete rows, within conditions where there are any, and of the columns
    that hold no error.

    Parameters
    ----------
    items : any answers

    References
    ----------
    R: ``psych::describe(d)`` (type 3), ``psych::alpha(d)$item.stats$r.drop``.

    Examples
    --------
    >>> from analysis.items import items_of
    >>> found = describe(items_of(pd.DataFrame({"a": [1, 1, 5, None], "b": [3, 2, 4, 5]}), bounds=(1, 5)))
    >>> found.table[["item", "n", "mean", "floor"]].round(2).values.tolist()
    [['a', 3, 2.33, 0.67], ['b', 4, 3.5, 0.0]]
    """
    found = faults(items)
    told = [*items.warnings, *(str(fault) for fault in found)]
    rest, basis = _item_rest(items, told)
    rows: list[dict[str, object]] = []
    for column, name in enumerate(items.names):
        values = items.values[:, column]
        row = _statistics(values[np.isfinite(values)], items.bounds[column])
        rows.append(
            {"item": name, "n": row.pop("n"), "missing": int(np.isnan(values).sum()), **row,
             "item_rest": rest.get(name)}
        )  # fmt: skip
    table = pd.DataFrame(rows)
    for end, where in (("floor", "lowest"), ("ceiling", "highest")):
        crowded = [
            f"{row['item']} ({100 * row[end]:.0f} %)"
            for row in table[table["distinct"] > FEW].to_dict("records")
            if row[end] > CROWDED
        ]
        if crowded:
            told.append(
                f"{end} effect: more than {CROWDED:.0%} of the answers are the {where} there is: "
                f"{', '.join(crowded)}"
            )
    return Description(table, missing_patterns(items), items, basis, tuple(dict.fromkeys(told)))


def _statistics(values: Matrix, bounds: tuple[float, float] | None) -> dict[str, float | int | None]:
    n = len(values)
    if not n:
        names = ("mean", "sd", "median", "skew", "kurtosis", "min", "max")
        return {"n": 0, **dict.fromkeys(names), "distinct": 0, "floor": None, "ceiling": None}
    low, high = bounds or (float(values.min()), float(values.max()))
    sd = float(values.std(ddof=1)) if n > 1 else None
    deviations = values - values.mean()
    return {
        "n": n,
        "mean": float(values.mean()),
        "sd": sd,
        "median": float(np.median(values)),
        "skew": float((deviations**3).mean() / sd**3) if sd else None,
        "kurtosis": float((deviations**4).mean() / sd**4 - 3) if sd else None,
        "min": float(values.min()),
        "max": float(values.max()),
        "distinct": len(np.unique(values)),
        "floor": float((values <= low).mean()),
        "ceiling": float((values >= high).mean()),
    }


def _item_rest(items: ItemData, told: list[str]) -> tuple[dict[str, float], str]:
    wrong = {
        name for name in items.names if any(fault.error is not None for fault in faults(items.select([name])))
    }
    sound = [name for name in items.names if name not in wrong]
    if len(sound) < 2:
        return {}, ""
    try:
        covariance = covariance_of(items.select(sound))
    except AnalysisError as problem:
        told.append(f"no item-rest correlations: {problem}")
        return {}, ""
    return item_rest(covariance.matrix, covariance.items), covariance.basis
