"""What a factor model needs of the data: means, covariances and cases, a group at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from analysis import validation
from analysis.cfa.saturated import condition_means, saturated
from analysis.errors import ConstantColumn, TooFewData
from analysis.items import ItemData

Array = NDArray[np.float64]
Missing = Literal["listwise", "fiml"]
Likelihood = Literal["normal", "wishart"]


@dataclass(frozen=True)
class Pattern:
    """The cases of a group that answered the same items.

    Attributes
    ----------
    seen : (p,) whether an item was answered
    rows : positions of the cases in the group
    """

    seen: NDArray[np.bool_]
    rows: NDArray[np.intp]


@dataclass(frozen=True)
class GroupSample:
    """One group.

    Attributes
    ----------
    name : "all" for one group
    n : cases, as chi-square counts them (within conditions: df + 1)
    rows : (cases, p) answers; nan where missing, with full-information likelihood only
    mean, cov : (p,), (p, p) with divisor n (Wishart likelihood: n - 1); of the saturated model where answers
        are missing
    """

    name: str
    n: int
    rows: Array
    mean: Array
    cov: Array

    def patterns(self) -> tuple[Pattern, ...]:
        """Cases by what they answered, in order of appearance."""
        seen = ~np.isnan(self.rows)
        kinds, first, member = np.unique(seen, axis=0, return_index=True, return_inverse=True)
        member = member.reshape(-1)
        return tuple(Pattern(kinds[k], np.flatnonzero(member == k)) for k in np.argsort(first))


@dataclass(frozen=True)
class Sample:
    """All groups.

    Attributes
    ----------
    names : p observed variables, as in the model
    groups : in order of appearance
    missing : "listwise" or "fiml"
    likelihood : "normal" (n) or "wishart" (n - 1)
    dropped : rows left out because an answer (with "fiml": every answer) was missing
    basis : "one group", "within conditions", "pooled over conditions" or "groups"
    warnings : to be printed beside every number
    """

    names: tuple[str, ...]
    groups: tuple[GroupSample, ...]
    missing: Missing = "listwise"
    likelihood: Likelihood = "normal"
    dropped: int = 0
    basis: str = "one group"
    source: str = "data"
    warnings: tuple[str, ...] = field(default=())

    @property
    def p(self) -> int:
        """Observed variables."""
        return len(self.names)

    @property
    def n(self) -> int:
        """Cases of all groups."""
        return sum(group.n for group in self.groups)

    @property
    def sizes(self) -> Array:
        """(G,) what each group's discrepancy is multiplied by: n, or n - 1 for Wishart."""
        less = 1 if self.likelihood == "wishart" else 0
        return np.array([group.n - less for group in self.groups], dtype=float)

    @property
    def shares(self) -> Array:
        """(G,) the groups' shares of ``sizes``."""
        return np.asarray(self.sizes / self.sizes.sum())

    @property
    def cov(self) -> Array:
        """(G, p, p)."""
        return np.stack([group.cov for group in self.groups])

    @property
    def mean(self) -> Array:
        """(G, p)."""
        return np.stack([group.mean for group in self.groups])

    @property
    def incomplete(self) -> bool:
        """Whether an answer is missing."""
        return any(bool(np.isnan(group.rows).any()) for group in self.groups)


def sample_of(
    items: ItemData,
    names: Sequence[str],
    *,
    group: Sequence[str] | None = None,
    missing: Missing = "listwise",
    likelihood: Likelihood = "normal",
    complete: Sequence[str] = (),
) -> Sample:
    r"""Moments of the columns a model names.

    Without ``group``, data that have conditions and were not pooled give moments *within* conditions:
    each condition's means are taken out and the sum of products is divided by :math:`N - G + 1`, as if
    n were the degrees of freedom plus one (the deviations themselves are enlarged to that measure, so that
    robust methods see the same covariances).

    Parameters
    ----------
    group : the group of each row, in which moments are taken apart
    missing : "listwise" leaves out rows with a missing answer; "fiml" only empty rows
    complete : columns in which "fiml" needs an answer too (observed predictors)

    Raises
    ------
    UnusableColumn : see :func:`analysis.validation.refuse`; a constant column of one group too
    TooFewData : a group with no more cases than columns (listwise), or empty
    NotPositiveDefinite : columns that are copies or sums of others, in any group

    Examples
    --------
    >>> import pandas as pd
    >>> from analysis.items import items_of
    >>> d = pd.DataFrame({"a": [1, 2, 3, 5], "b": [2, 1, 4, None]})
    >>> sample_of(items_of(d), ["a", "b"], missing="fiml").groups[0].n
    4
    """
    data = _columns(items, names)
    if group is not None:
        if len(group) != items.n:
            raise TooFewData(f"{items.source}: {len(group)} group labels for {items.n} rows")
        data = replace(data, groups=tuple(str(label) for label in group))
    elif items.pooled:
        data = replace(data, groups=None)
    told = (*items.warnings, *validation.refuse(data))
    absent = np.isnan(data.values)
    out = absent.any(axis=1) if missing == "listwise" else absent.all(axis=1)
    for name in complete:
        out = out | absent[:, data.names.index(name)]
    kept = data.take(np.asarray(~out))
    if group is not None:
        lost = [name for name in data.group_members() if name not in kept.group_members()]
        if lost:
            raise TooFewData(f"{items.source}: no usable row is left in group {', '.join(lost)}")
        parts = [(name, kept.values[rows], len(rows)) for name, rows in kept.group_members().items()]
        basis = "groups"
    elif data.groups is not None:
        values, lost_df = _within(kept, missing)
        parts = [("all", values, len(values) - lost_df + 1)]
        basis = "within conditions"
    else:
        parts = [("all", kept.values, kept.n)]
        basis = "pooled over conditions" if items.pooled or items.groups is not None else "one group"
    less = 1 if likelihood == "wishart" else 0
    groups = [_group(name, values, n, less, kept.names, missing, items.source) for name, values, n in parts]
    return Sample(
        kept.names, tuple(groups), missing, likelihood, int(out.sum()), basis, items.source, tuple(told)
    )


def sample_from_moments(
    cov: Array, n: int, names: Sequence[str], *, mean: Array | None = None, unbiased: bool = True
) -> Sample:
    """A sample of which only the moments are known: enough for ML, GLS and ULS, not for robust results.

    Parameters
    ----------
    cov : (p, p), with divisor n - 1 unless ``unbiased`` is False
    n : cases

    Examples
    --------
    >>> sample_from_moments(np.eye(2), 101, ["a", "b"]).groups[0].cov[0, 0].round(4)
    np.float64(0.9901)
    """
    cov = np.asarray(cov, dtype=float)
    validation.refuse_dependence(_correlation(cov), names)
    scaled = cov * ((n - 1) / n) if unbiased else cov
    middle = np.zeros(len(cov)) if mean is None else np.asarray(mean, dtype=float)
    group = GroupSample("all", n, np.empty((0, len(cov))), middle, scaled)
    return Sample(tuple(names), (group,))


def _columns(items: ItemData, names: Sequence[str]) -> ItemData:
    """The columns of these names, in this order."""
    at = [items.names.index(name) for name in names]
    return replace(
        items,
        names=tuple(names),
        values=items.values[:, at],
        bounds=tuple(items.bounds[i] for i in at),
        wordings=tuple(items.wordings[i] for i in at),
        labels=tuple(items.labels[i] for i in at),
    )


def _within(data: ItemData, missing: Missing) -> tuple[Array, int]:
    """Answers without the conditions' means, around the mean of all; and how many means were taken out."""
    members = data.group_members()
    if missing == "fiml" and np.isnan(data.values).any():
        means = condition_means(data.values, list(members.values()))
    else:
        means = np.stack([np.nanmean(data.values[rows], axis=0) for rows in members.values()])
    values = data.values.copy()
    weights = np.array([len(rows) for rows in members.values()], dtype=float)
    grand = weights @ means / weights.sum()
    for mean, rows in zip(means, members.values(), strict=True):
        values[rows] -= mean
    # The means of all conditions were estimated: deviations grow by that share, as if n were df + 1.
    return grand + values * np.sqrt(len(values) / (len(values) - len(members) + 1)), len(members)


def _group(
    name: str, rows: Array, n: int, less: int, names: tuple[str, ...], missing: Missing, source: str
) -> GroupSample:
    place = source if name == "all" else f"{source}, group {name}"
    p = len(names)
    if len(rows) == 0 or n <= (p if missing == "listwise" else 1):
        raise TooFewData(
            f"{place}: {n} usable case(s) for {p} items; more cases than items are needed to estimate "
            "covariances" + ("" if missing == "fiml" else " (missing='fiml' keeps incomplete rows)")
        )
    if missing == "fiml" and np.isnan(rows).any():
        mean, cov = saturated(rows, names, place)
    else:
        mean = rows.mean(axis=0)
        cov = (rows - mean).T @ (rows - mean) / (len(rows) - less)
    flat = [item for item, v in zip(names, np.diag(cov), strict=True) if v < 1e-12]
    if flat:
        raise ConstantColumn(f"{place}: everybody answered the same in {', '.join(flat)}; leave it out")
    validation.refuse_dependence(_correlation(cov), names)
    return GroupSample(name, n, rows, mean, cov)


def _correlation(cov: Array) -> Array:
    scale = np.sqrt(np.diag(cov))
    made = cov / np.outer(scale, scale)
    np.fill_diagonal(made, 1.0)
    return np.asarray((made + made.T) / 2)
