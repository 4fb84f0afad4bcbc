"""The items of a scale as every analysis takes them: numbers, names, groups and where they came from."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.errors import UnknownName, UnusableColumn
from analysis.wording import counted

Matrix = NDArray[np.float64]
MissingPolicy = Literal["listwise", "pairwise"]
Bounds = tuple[float, float]


@dataclass(frozen=True)
class ItemData:
    """Answers to items, one row a person, one column an item.

    Attributes
    ----------
    names : p names, in the order of the columns
    values : (n, p) array; NaN where an answer is missing
    groups : the condition of each row, or None for one group
    rows : where each row stands in the file (``"row 12"``, a session, ``"case 3"``), for messages
    bounds : lowest and highest value of each item, None where they are not known
    wordings : text of each item, "" where it is not known
    labels : labels of the values of each item, empty where they are not known
    na : what to do with missing answers unless a call says otherwise
    source : file or folder, for messages and reports
    note : what every figure must say of the data's origin; "" for ordinary data
    pooled : groups there were, and they were set aside on purpose
    warnings : oddities found while reading, to be printed beside every result
    """

    names: tuple[str, ...]
    values: Matrix
    groups: tuple[str, ...] | None = None
    rows: tuple[str, ...] = ()
    bounds: tuple[Bounds | None, ...] = ()
    wordings: tuple[str, ...] = ()
    labels: tuple[Mapping[float, str], ...] = ()
    na: MissingPolicy = "listwise"
    source: str = "data"
    note: str = ""
    pooled: bool = False
    warnings: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        people, p = self.values.shape
        if len(self.names) != p:
            raise ValueError(f"{len(self.names)} names for {p} columns")
        twice = sorted({name for name in self.names if self.names.count(name) > 1})
        if twice:
            raise UnusableColumn(f"{self.source}: more than one column is named {', '.join(twice)}")
        if self.groups is not None and len(self.groups) != people:
            raise ValueError(f"{len(self.groups)} groups for {people} rows")
        for name, empty, size in (
            ("rows", tuple(f"row {number + 1}" for number in range(people)), people),
            ("bounds", (None,) * p, p),
            ("wordings", ("",) * p, p),
            ("labels", ({},) * p, p),
        ):
            given = getattr(self, name)
            if not given:
                object.__setattr__(self, name, empty)
            elif len(given) != size:
                raise ValueError(f"{len(given)} {name} for {size}")

    @property
    def n(self) -> int:
        """Rows, complete or not."""
        return int(self.values.shape[0])

    def complete(self) -> ItemData:
        """Rows without a missing answer."""
        return self.take(np.asarray(~np.isnan(self.values).any(axis=1)))

    def take(self, kept: NDArray[np.bool_] | NDArray[np.intp]) -> ItemData:
        """Some rows: a mask of (n,), or positions (which may repeat, as in a bootstrap)."""
        positions = np.flatnonzero(kept) if kept.dtype == np.bool_ else kept
        return replace(
            self,
            values=self.values[positions],
            groups=None if self.groups is None else tuple(self.groups[i] for i in positions),
            rows=tuple(self.rows[i] for i in positions),
        )

    def select(self, patterns: str | Iterable[str]) -> ItemData:
        """Columns by name or shell pattern, in the order asked for; ``"q1,q2,pmq_*"`` or a list of such.

        Raises
        ------
        UnknownName : a pattern matches no column; names the nearest ones
        """
        positions = matching(patterns, self.names, self.source)
        return replace(
            self,
            names=tuple(self.names[i] for i in positions),
            values=self.values[:, positions],
            bounds=tuple(self.bounds[i] for i in positions),
            wordings=tuple(self.wordings[i] for i in positions),
            labels=tuple(self.labels[i] for i in positions),
        )

    def group_members(self) -> dict[str, NDArray[np.intp]]:
        """Positions of the rows of each group, in order of appearance; one group "all" without groups."""
        if self.groups is None:
            return {"all": np.arange(self.n)}
        labels = np.array(self.groups, dtype=object)
        return {name: np.flatnonzero(labels == name) for name in dict.fromkeys(self.groups)}

    def to_frame(self) -> pd.DataFrame:
        """The answers as a table, items in columns."""
        return pd.DataFrame(self.values, columns=list(self.names), index=list(self.rows))


def items_of(
    frame: pd.DataFrame,
    items: str | Iterable[str] | None = None,
    *,
    condition: str | None = None,
    bounds: Bounds | None = None,
    na: MissingPolicy = "listwise",
    source: str = "data",
) -> ItemData:
    """Items of a table that is already in memory, for notebooks.

    Parameters
    ----------
    frame : one row a person
    items : names or shell patterns; None for every column but ``condition``
    condition : column that tells the groups apart, if analyses are to be made within them
    bounds : lowest and highest value an item can take, for all items

    Raises
    ------
    UnusableColumn : an item holds something that is no number
    UnknownName : a pattern matches no column

    Examples
    --------
    >>> frame = pd.DataFrame({"q1": [1, 2, 3], "q2": [3, None, 1], "arm": ["a", "b", "a"]})
    >>> items_of(frame, "q*", condition="arm").complete().groups
    ('a', 'a')
    """
    columns = [str(column) for column in frame.columns]
    if condition is not None and condition not in columns:
        raise UnknownName(_unknown(condition, columns, source))
    offered = [column for column in columns if column != condition]
    wanted = offered if items is None else [offered[i] for i in matching(items, offered, source)]
    numbers: dict[str, pd.Series] = {}
    for name in wanted:
        column = frame[name]
        made = pd.to_numeric(column, errors="coerce").astype(float)
        wrong = column[made.isna() & column.notna()]
        if not wrong.empty:
            raise UnusableColumn(
                f"{source}: column {name!r} holds text ({wrong.iloc[0]!r}, row {wrong.index[0]}) where "
                "numbers are needed"
            )
        numbers[name] = made
    kept = frame[condition].notna().to_numpy(dtype=bool) if condition else np.ones(len(frame), dtype=bool)
    told: tuple[str, ...] = ()
    if not kept.all():
        told = (
            f"no condition: {counted(int((~kept).sum()), 'row')} without a value in "
            f"{condition!r} are left out",
        )
    table = np.column_stack([numbers[name].to_numpy(dtype=float) for name in wanted])
    return ItemData(
        names=tuple(wanted),
        values=np.asarray(table[kept], dtype=float),
        groups=tuple(str(value) for value in frame.loc[kept, condition]) if condition else None,
        rows=tuple(f"row {label}" for label in frame.index[kept]),
        bounds=(bounds,) * len(wanted),
        na=na,
        source=source,
        warnings=told,
    )


def matching(patterns: str | Iterable[str], names: Sequence[str], source: str) -> list[int]:
    """Positions of the names that patterns match, each once, in the order the patterns are given.

    Raises
    ------
    UnknownName : a pattern that matches nothing

    Examples
    --------
    >>> matching("b,a*", ["a1", "a2", "b"], "data")
    [2, 0, 1]
    """
    asked = [patterns] if isinstance(patterns, str) else list(patterns)
    split = [part.strip() for text in asked for part in text.split(",") if part.strip()]
    found: dict[int, None] = {}
    for pattern in split:
        # A name is first taken as it stands: names may hold the signs of patterns ("Q1[2]").
        hits = [i for i, name in enumerate(names) if name == pattern] or [
            i for i, name in enumerate(names) if fnmatchcase(name, pattern)
        ]
        if not hits:
            raise UnknownName(_unknown(pattern, names, source))
        found.update(dict.fromkeys(hits))
    if not found:
        raise UnknownName(f"{source}: no item was named; there are: {', '.join(names[:20])}")
    return list(found)


def _unknown(name: str, names: Sequence[str], source: str) -> str:
    near = difflib.get_close_matches(name, names, n=3)
    shown = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
    hint = f"did you mean {', '.join(near)}? " if near else ""
    return f"{source}: no column matches {name!r}; {hint}there are: {shown}"
