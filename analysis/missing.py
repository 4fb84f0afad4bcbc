"""Which answers are missing together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.items import ItemData
from analysis.wording import counted


@dataclass(frozen=True)
class MissingPatterns:
    """Patterns of missing answers.

    Attributes
    ----------
    patterns : the items missing together (none: complete rows) and in how many rows; most frequent first
    by_item : missing answers of each item
    by_group : rows, complete rows and missing answers of each group
    rows, complete, empty : rows in all, without a missing answer, without any answer
    """

    patterns: tuple[tuple[tuple[str, ...], int], ...]
    by_item: dict[str, int]
    by_group: pd.DataFrame
    rows: int
    complete: int
    empty: int

    def to_frame(self) -> pd.DataFrame:
        """One row a pattern."""
        return pd.DataFrame(
            [
                {"missing": ", ".join(names) or "none", "items_missing": len(names), "rows": count}
                for names, count in self.patterns
            ]
        )

    def summary(self) -> str:
        """Complete rows and patterns in one line."""
        return (
            f"{self.complete} of {self.rows} rows are complete, {self.empty} hold no answer; "
            f"{sum(self.by_item.values())} answers are missing, in {counted(len(self.patterns), 'pattern')}"
        )


def missing_patterns(items: ItemData) -> MissingPatterns:
    """Patterns of missing answers.

    References
    ----------
    R: ``mice::md.pattern(d)``.

    Examples
    --------
    >>> from analysis.items import items_of
    >>> found = missing_patterns(items_of(pd.DataFrame({"a": [1, None, 3, None], "b": [1, 2, 3, 4]})))
    >>> found.patterns
    (((), 2), (('a',), 2))
    """
    absent = np.isnan(items.values)
    kinds, counts = np.unique(absent, axis=0, return_counts=True)
    order = np.lexsort((kinds.sum(axis=1), -counts))
    complete: NDArray[np.bool_] = np.asarray(~absent.any(axis=1))
    return MissingPatterns(
        patterns=tuple(
            (tuple(n for n, gone in zip(items.names, kinds[i], strict=True) if gone), int(counts[i]))
            for i in order
        ),
        by_item={name: int(count) for name, count in zip(items.names, absent.sum(axis=0), strict=True)},
        by_group=pd.DataFrame(
            [
                {
                    "group": name,
                    "rows": len(rows),
                    "complete": int(complete[rows].sum()),
                    "missing_answers": int(absent[rows].sum()),
                }
                for name, rows in items.group_members().items()
            ]
        ),
        rows=items.n,
        complete=int(complete.sum()),
        empty=int(absent.all(axis=1).sum()),
    )
