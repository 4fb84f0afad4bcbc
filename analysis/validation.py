"""What is looked at before any formula sees the data: every fault by name, with its column and rows.

A fault that would make every number wrong is an error and refused; one that a reader only has to
know about is a warning, which travels with the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.errors import (
    CollinearColumns,
    ConstantColumn,
    DuplicateColumns,
    EmptyColumn,
    InfiniteCell,
    LeftoverCode,
    NotPositiveDefinite,
    UnusableColumn,
)
from analysis.items import ItemData

Matrix = NDArray[np.float64]

# Numbers that statistics programs and panels write where there is no answer.
CODES = frozenset({-1, -7, -8, -9, -77, -88, -99, -777, -888, -999, -9999, 77, 88, 97, 98, 99, 777, 888,
                   998, 999, 9998, 9999})  # fmt: skip
# Labels that say there is no answer.
NO_ANSWER = re.compile(
    r"(no answer|not answered|not applicable|n/?a$|don.?t know|do not know|refus|prefer not|missing|skipped)",
    re.IGNORECASE,
)
SMALL_GROUP = 10
SINGULAR = 1e-10


@dataclass(frozen=True)
class Fault:
    """Something wrong with the data.

    Attributes
    ----------
    name : the kind, in words (``"infinite cell"``)
    message : which column, which rows, what to do
    error : raised where numbers are to be made of it; None where a warning is enough
    """

    name: str
    message: str
    error: type[UnusableColumn] | None = None

    def __str__(self) -> str:
        return f"{self.name}: {self.message}"


def faults(items: ItemData) -> tuple[Fault, ...]:
    """Everything that is wrong with the columns, errors first.

    Examples
    --------
    >>> import pandas as pd
    >>> from analysis.items import items_of
    >>> print(*faults(items_of(pd.DataFrame({"a": [1, 2, 3], "b": [4, 4, 4]}))))
    constant column: everybody answered 4 in 'b'; leave the column out
    """
    found = [
        *_cells(items), *_codes(items), *_no_answers(items), *_copies(items), *_ranges(items), *_groups(items)
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda fault: fault.error is None))


def refuse(items: ItemData) -> tuple[str, ...]:
    """Raise the first error there is; else the warnings.

    Raises
    ------
    InfiniteCell, EmptyColumn, ConstantColumn, LeftoverCode, DuplicateColumns : see ``analysis.errors``
    """
    found = faults(items)
    errors = [fault for fault in found if fault.error is not None]
    if errors:
        first = errors[0].error
        assert first is not None
        raise first(f"{items.source}: " + "; ".join(str(fault) for fault in errors[:6]))
    return tuple(str(fault) for fault in found)


def refuse_dependence(correlation: Matrix, names: Sequence[str], na: str = "listwise") -> None:
    """Refuse a correlation matrix that cannot be inverted, and say which columns make it so.

    Raises
    ------
    DuplicateColumns : two columns correlate at 1 or -1
    CollinearColumns : one column is a weighted sum of others
    NotPositiveDefinite : a negative eigenvalue, as pairwise and polychoric matrices can have
    """
    p = len(names)
    upper = np.argwhere(np.triu(np.abs(correlation) > 1 - SINGULAR, k=1))
    if len(upper):
        first, second = (names[int(i)] for i in upper[0])
        how = "copies" if correlation[upper[0][0], upper[0][1]] > 0 else "mirrored copies"
        raise DuplicateColumns(f"columns {first!r} and {second!r} are {how} of each other; leave one out")
    values, vectors = np.linalg.eigh(correlation)
    if float(values[0]) < -SINGULAR:
        way = (
            "use --na listwise (na='listwise')"
            if na == "pairwise"
            else "use Pearson correlations, or leave out items of rare categories"
        )
        raise NotPositiveDefinite(
            f"the correlation matrix of {p} items is not positive definite (lowest eigenvalue "
            f"{values[0]:.3g}); {way}"
        )
    if float(values[0]) < SINGULAR:
        weights = np.abs(vectors[:, 0])
        involved = [name for name, weight in zip(names, weights, strict=True) if weight > 0.05]
        raise CollinearColumns(
            f"the correlation matrix of {p} items is singular: of {', '.join(involved)} one is a weighted "
            "sum of the others (a score among its own items?); leave it out"
        )


def listed(rows: Sequence[str]) -> str:
    """A few places by name and the number of the others.

    >>> listed(["row 2", "row 5"]), listed([f"row {i}" for i in range(9)])
    ('row 2, row 5', 'row 0, row 1, row 2, row 3, row 4 and 4 more')
    """
    shown = ", ".join(rows[:5])
    return shown if len(rows) <= 5 else f"{shown} and {len(rows) - 5} more"


def _places(items: ItemData, mask: NDArray[np.bool_]) -> str:
    return listed([items.rows[i] for i in np.flatnonzero(mask)])


def _cells(items: ItemData) -> Iterator[Fault]:
    members = items.group_members()
    for column, name in enumerate(items.names):
        values = items.values[:, column]
        infinite = np.isinf(values)
        if infinite.any():
            yield Fault(
                "infinite cell",
                f"column {name!r} is infinite in {_places(items, infinite)}; mend or empty the cell",
                InfiniteCell,
            )
            continue
        answered = values[~np.isnan(values)]
        if not len(answered):
            yield Fault("empty column", f"nobody answered {name!r}; leave the column out", EmptyColumn)
        elif np.ptp(answered) == 0:
            yield Fault(
                "constant column",
                f"everybody answered {answered[0]:g} in {name!r}; leave the column out",
                ConstantColumn,
            )
        elif items.groups is not None and all(
            np.ptp(within) == 0
            for rows in members.values()
            if len(within := values[rows][~np.isnan(values[rows])])
        ):
            yield Fault(
                "constant column",
                f"no variance within conditions in: {name}; leave the column out, or pool the conditions",
                ConstantColumn,
            )


def _codes(items: ItemData) -> Iterator[Fault]:
    for column, name in enumerate(items.names):
        values = items.values[:, column]
        codes = leftover_codes(values, items.bounds[column])
        for code in codes:
            others = values[np.isfinite(values) & ~np.isin(values, codes)]
            yield Fault(
                "code left as a number",
                f"column {name!r} holds {code:g} in {_places(items, values == code)}, while its other values "
                f"run from {others.min():g} to {others.max():g}: name it as missing (--missing {code:g}), or "
                "state bounds that hold it in a scale description",
                LeftoverCode,
            )


def _no_answers(items: ItemData) -> Iterator[Fault]:
    for column, (name, labels) in enumerate(zip(items.names, items.labels, strict=True)):
        for value, label in labels.items():
            held = items.values[:, column] == value
            if NO_ANSWER.match(label.strip()) and held.any():
                yield Fault(
                    "label of no answer",
                    f"column {name!r} holds {value:g}, labelled {label!r}, in {_places(items, held)} as a "
                    f"number; if it is no answer, name it (--missing {value:g})",
                )


def leftover_codes(values: Matrix, bounds: tuple[float, float] | None = None) -> list[float]:
    """Values that look like codes of missing answers among the answers of one item.

    A usual code counts when it lies outside the bounds; without bounds, when it lies further from the other
    values than these are wide.

    Examples
    --------
    >>> leftover_codes(np.array([1.0, 3, 5, 99, 7, -9]))
    [-9.0, 99.0]
    >>> leftover_codes(np.array([12.0, 35, 80, 99]))
    []
    """
    present = sorted({float(value) for value in values[np.isfinite(values)]})
    candidates = [value for value in present if value in CODES]
    ordinary = [value for value in present if value not in CODES]
    if bounds is not None:
        return [value for value in candidates if not bounds[0] <= value <= bounds[1]] if ordinary else []
    if len(ordinary) < 2:
        return []
    low, high = ordinary[0], ordinary[-1]
    width = high - low
    # -1 beside 0 to 3 may be an answer; beside 1 to 7 it is none, as no scale skips the zero.
    below = [value for value in candidates if value < low and (low - value > width or (value < 0 < low))]
    return below + [value for value in candidates if value > high and value - high > width]


def _copies(items: ItemData) -> Iterator[Fault]:
    seen: dict[bytes, str] = {}
    for column, name in enumerate(items.names):
        values = items.values[:, column]
        if not np.isfinite(values).any():
            continue
        key = (values + 0.0).tobytes()
        if key in seen:
            yield Fault(
                "duplicate columns",
                f"{seen[key]!r} and {name!r} are copies of each other; leave one out",
                DuplicateColumns,
            )
        else:
            seen[key] = name


def _ranges(items: ItemData) -> Iterator[Fault]:
    for column, (name, bounds) in enumerate(zip(items.names, items.bounds, strict=True)):
        if bounds is None:
            continue
        values = items.values[:, column]
        outside = np.isfinite(values) & ((values < bounds[0]) | (values > bounds[1]))
        outside &= ~np.isin(values, leftover_codes(values, bounds))
        if outside.any():
            odd = ", ".join(f"{value:g}" for value in np.unique(values[outside])[:5])
            yield Fault(
                "value out of range",
                f"column {name!r} holds {odd} in {_places(items, outside)}, outside {bounds[0]:g} to "
                f"{bounds[1]:g}; mend the cells or the bounds",
            )


def _groups(items: ItemData) -> Iterator[Fault]:
    if items.groups is None:
        return
    complete: NDArray[np.bool_] = np.asarray(~np.isnan(items.values).any(axis=1))
    for name, rows in items.group_members().items():
        size = int(complete[rows].sum())
        if size == 0:
            yield Fault("empty group", f"nobody of {name!r} answered every item")
        elif size == 1:
            yield Fault("group of one", f"the one complete row of {name!r} adds nothing within conditions")
        elif size < SMALL_GROUP:
            yield Fault("small group", f"{name!r} has only {size} complete rows")
