"""A model as a table of parameters, one row a parameter and group: what is free, fixed, and equal.

The rows that a text leaves out are added as lavaan's ``cfa()`` adds them: a loading or a variance fixed
for the scale of each factor, residual variances, covariances of exogenous factors, intercepts.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from analysis.cfa.errors import ModelTextError
from analysis.cfa.left_out import Drafts, Key, freed, kind_of, usual
from analysis.cfa.model_text import Model, Place, Term
from analysis.errors import UnknownName

GROUP_EQUAL = (
    "loadings",
    "intercepts",
    "residuals",
    "residual.covariances",
    "means",
    "lv.variances",
    "lv.covariances",
    "regressions",
)
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Parameter:
    """One row of the table.

    Attributes
    ----------
    lhs, op, rhs : as written; an intercept or mean is ``(name, "~1", "")``
    group : position of the group, from 0
    free : which free parameter it is, -1 where it is fixed; rows that are equal share a number
    value : what it is fixed at; nan where it is free or taken from the sample
    start : starting value asked for, nan for none
    label : as written, or ``.lhs op rhs.`` where group_equal makes it equal; "" for none
    user : written in the text
    sampled : fixed at its value in the sample (moments of observed predictors)
    """

    lhs: str
    op: str
    rhs: str
    group: int
    free: int
    value: float
    start: float = math.nan
    label: str = ""
    user: bool = False
    sampled: bool = False

    @property
    def key(self) -> Key:
        """Its name without the group."""
        return self.lhs, self.op, self.rhs

    def __str__(self) -> str:
        return " ".join(part for part in self.key if part)


@dataclass(frozen=True)
class ParameterTable:
    """All parameters of a model in all groups.

    Attributes
    ----------
    rows : group by group, in lavaan's order
    observed, latents : names in the order of the matrices
    groups : names; one name for one group
    means : whether means are part of the model
    exogenous : observed predictors whose moments are taken from the sample
    warnings : what the reader of a result must know
    """

    rows: tuple[Parameter, ...]
    observed: tuple[str, ...]
    latents: tuple[str, ...]
    groups: tuple[str, ...]
    means: bool
    exogenous: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def q(self) -> int:
        """Free parameters, equal ones counted once."""
        return 1 + max((row.free for row in self.rows), default=-1)

    @property
    def moments(self) -> int:
        """Moments of the data that the model may explain."""
        p, x = len(self.observed), len(self.exogenous)
        each = (p * (p + 1) - x * (x + 1)) // 2 + (p - x if self.means else 0)
        return each * len(self.groups)

    @property
    def df(self) -> int:
        """Moments less free parameters."""
        return self.moments - self.q

    def owners(self) -> tuple[Parameter, ...]:
        """The first row of each free parameter."""
        first: dict[int, Parameter] = {}
        for row in self.rows:
            if row.free >= 0:
                first.setdefault(row.free, row)
        return tuple(first[i] for i in range(len(first)))

    def named(self, free: int) -> str:
        """A free parameter in words, with its group where there are several."""
        row = self.owners()[free]
        shared = len({other.group for other in self.rows if other.free == free}) > 1
        place = "" if shared or len(self.groups) == 1 else f" (group {self.groups[row.group]})"
        return f"{row}{place}"


def tabulate(
    model: Model,
    groups: Sequence[str] = ("all",),
    *,
    means: bool | None = None,
    group_equal: Iterable[str] = (),
    group_partial: Iterable[str] = (),
    std_lv: bool = False,
    orthogonal: bool = False,
    fixed_x: bool = True,
) -> ParameterTable:
    """The table of a model.

    Parameters
    ----------
    groups : their names, in order
    means : None: only where the text names an intercept, or there are several groups
    group_equal : kinds of parameters that are equal over groups, of ``GROUP_EQUAL``
    group_partial : parameters left out of that, as ``"x3 ~ 1"`` or ``"visual =~ x2"``
    std_lv : fix the variances of factors at 1, not their first loadings
    orthogonal : no covariances between factors
    fixed_x : take means and covariances of observed predictors from the sample

    Raises
    ------
    ModelTextError : a modifier for another number of groups; a label of ``==`` that is not there
    UnknownName : group_equal or group_partial name what is not there

    Examples
    --------
    >>> from analysis.cfa.model_text import parse
    >>> table = tabulate(parse("f =~ a + b + c + d"))
    >>> table.q, table.df, str(table.rows[4]), table.rows[0].value
    (8, 2, 'a ~~ a', 1.0)
    """
    equal = tuple(dict.fromkeys([group_equal] if isinstance(group_equal, str) else group_equal))
    for kind in equal:
        if kind not in GROUP_EQUAL:
            raise UnknownName(f"group_equal: {kind!r} is not known; there are {', '.join(GROUP_EQUAL)}")
    with_means = means
    if with_means is None:
        with_means = len(groups) > 1 or any(term.op == "~1" for term in model.terms)
    drafts = Drafts(model, with_means, std_lv, orthogonal, fixed_x)
    released = _released(group_partial, drafts)
    rows: list[Parameter] = []
    keys: dict[object, int] = {}
    aliases = _aliases(model)
    for group in range(len(groups)):
        for term in drafts.terms:
            row = _row(model, drafts, term, group, len(groups), equal, std_lv)
            if row.free >= 0:
                kind = kind_of(drafts, term)
                label = row.label
                if not label and kind in equal and row.key not in released and len(groups) > 1:
                    label = f".{row}."
                    if _relaxed(drafts, row, equal, std_lv):
                        label = ""
                owner: object = aliases.get(label, label) if label else (row.key, group)
                number = keys.setdefault(owner, len(keys))
                row = replace(row, free=number, label=label)
            rows.append(row)
    table = ParameterTable(
        tuple(rows), drafts.observed, drafts.latents, tuple(groups), with_means, drafts.exogenous
    )
    return replace(table, warnings=_remarks(model, table, len(groups)))


def _row(
    model: Model, drafts: Drafts, term: Term, group: int, count: int, equal: tuple[str, ...], std_lv: bool
) -> Parameter:
    def of_group(entries: tuple[float, ...]) -> float | None:
        if len(entries) not in (0, 1, count):
            model.complain(term.place, f"{len(entries)} values for {count} group(s)")
        return None if not entries else entries[group] if len(entries) == count else entries[0]

    if len(term.labels) not in (0, 1, count):
        model.complain(term.place, f"{len(term.labels)} labels for {count} group(s)")
    label = "" if not term.labels else term.labels[group] if len(term.labels) == count else term.labels[0]
    start = of_group(term.starts)
    said = of_group(term.fixed)
    key = (term.lhs, term.op, term.rhs)
    user = key not in drafts.added
    sampled = False
    fixed: float | None = said
    if said is None:
        fixed = usual(drafts, term, user, std_lv)
        if freed(drafts, term, user, group, equal, std_lv):
            fixed = None
        sampled = not user and all(n in drafts.exogenous for n in (term.lhs, term.rhs) if n)
    free = not sampled and (fixed is None or math.isnan(fixed))
    return Parameter(
        term.lhs, term.op, term.rhs, group,
        free=0 if free else -1,
        value=math.nan if free or sampled or fixed is None else fixed,
        start=math.nan if start is None else start,
        label=label,
        user=user,
        sampled=sampled,
    )  # fmt: skip


def _relaxed(drafts: Drafts, row: Parameter, equal: tuple[str, ...], std_lv: bool) -> bool:
    """Whether a row of an equal kind is free only because of the equality of others."""
    return freed(drafts, Term(*row.key), row.user, row.group, equal, std_lv)


def _released(group_partial: Iterable[str], drafts: Drafts) -> set[Key]:
    asked = [group_partial] if isinstance(group_partial, str) else list(group_partial)
    known = {f"{t.lhs}{t.op}{t.rhs}": (t.lhs, t.op, t.rhs) for t in drafts.terms}
    known |= {f"{t.rhs}~~{t.lhs}": (t.lhs, t.op, t.rhs) for t in drafts.terms if t.op == "~~"}
    found = set()
    for text in asked:
        name = "".join(text.split())
        if name not in known:
            near = difflib.get_close_matches(name, known, n=3)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise UnknownName(
                f"group_partial: the model has no parameter {text!r}{hint} "
                "(write 'x1 ~ 1' for an intercept, 'f =~ x1' for a loading)"
            )
        found.add(known[name])
    return found


def _aliases(model: Model) -> dict[str, str]:
    """For each label of ``==``, the one that stands for all labels equal to it."""
    labels = {label for term in model.terms for label in term.labels}
    stands: dict[str, str] = {}

    def root(label: str) -> str:
        while label in stands:
            label = stands[label]
        return label

    for left, right, place in model.equalities:
        for label in (left, right):
            if label not in labels:
                model.complain(place, f"no parameter has the label {label!r}")
        if root(left) != root(right):
            stands[root(right)] = root(left)
    return {label: root(label) for label in labels}


def _remarks(model: Model, table: ParameterTable, count: int) -> tuple[str, ...]:
    found = []
    shared = [t.labels[0] for t in model.terms if count > 1 and len(t.labels) == 1]
    if shared:
        found.append(
            f"one label for {count} groups: {', '.join(dict.fromkeys(shared))} is equal in all groups; write "
            "c(a1, a2, ...) for one a group"
        )
    for latent in table.latents:
        items = [row for row in table.rows if row.op == "=~" and row.lhs == latent and row.group == 0]
        if len(items) == 2:
            found.append(
                f"two-item factor: {latent} has only {items[0].rhs} and {items[1].rhs}; it leans on its "
                "correlations with other factors"
            )
        elif len(items) == 1:
            found.append(f"one-item factor: {latent} is {items[0].rhs} without error of measurement")
    return tuple(found)


def refuse_unknown_columns(model: Model, table: ParameterTable, names: Sequence[str], source: str) -> None:
    """Refuse a model that names what the data do not hold.

    Raises
    ------
    ModelTextError : points at the first such name, with near names
    """
    held = set(names)
    for name in table.observed:
        if name in held:
            continue
        place = next((t.place for t in model.terms if name in (t.rhs, t.lhs)), Place(1, 1))
        near = difflib.get_close_matches(name, names, n=3)
        hint = f"did you mean {', '.join(near)}? " if near else ""
        shown = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
        model.complain(place, f"{source} has no column {name!r}; {hint}there are: {shown}")
    clash = [name for name in table.latents if name in held]
    if clash:
        place = next(t.place for t in model.terms if t.op == "=~" and t.lhs == clash[0])
        raise ModelTextError(
            f"model, line {place.line}: {clash[0]!r} is a factor in the model and a column in {source}; "
            "give the factor another name"
        )


def free_values(table: ParameterTable, values: Array) -> Array:
    """The values of all rows, given those of the free parameters; nan where the sample decides."""
    return np.array([values[row.free] if row.free >= 0 else row.value for row in table.rows])
