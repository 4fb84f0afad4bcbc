"""Groups as predictors of factors and of single items, for groups too many or too small for a ladder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import stats

from analysis.cfa.data import Missing
from analysis.cfa.estimate import Estimator, cfa
from analysis.cfa.fitting import difference
from analysis.cfa.model_text import Model, Term, parse
from analysis.cfa.near_items import near_items
from analysis.cfa.result import CFAResult
from analysis.errors import AnalysisError, TooFewData, UnknownName
from analysis.items import ItemData

ALPHA = 0.05


@dataclass(frozen=True)
class Mimic:
    """Effects of groups on factors, with and without effects on items.

    Attributes
    ----------
    reference : the group that others are compared with
    sizes : rows of each group
    near : manipulation-near items
    effects : one row a factor and group, in within-group standard deviations of the factor: ``effect`` of all
        items alike, ``effect_item`` with item effects of ``direct``, ``effect_without`` without the near
        items; each with ``se``, ``low``, ``high``, ``pvalue``
    items : one row an item: test of its own effects beside those of other items that have them, Holm's p,
        whether it has them in the end (``own``), whether near
    item_effects : one row an item of ``direct`` and group, in units of the item
    direct : items that have effects of their own: the near ones, and, one after the other, those whose test
        stands after Holm
    plain, with_items, without_near : the fitted models; None where one cannot be fitted
    """

    reference: str
    sizes: dict[str, int]
    near: tuple[str, ...]
    effects: pd.DataFrame
    items: pd.DataFrame
    item_effects: pd.DataFrame
    direct: tuple[str, ...]
    plain: CFAResult
    with_items: CFAResult | None
    without_near: CFAResult | None
    warnings: tuple[str, ...]

    def summary(self) -> str:
        """What groups do to factors and to items, in words."""
        told = []
        for row in self.effects.to_dict("records"):
            text = (
                f"{row['group']} against {self.reference}: {row['factor']} {_number(row['effect'])} SD "
                f"[{_number(row['low'])}, {_number(row['high'])}]"
            )
            if self.with_items is not None:
                text += f", {_number(row['effect_item'])} SD beside item effects"
            if self.without_near is not None:
                text += f", {_number(row['effect_without'])} SD without {', '.join(self.near)}"
            told.append(text)
        own = [item for item in self.direct if item not in self.near]
        if own:
            told.append(f"items with an effect of their own that were not expected: {', '.join(own)}")
        return "; ".join(told) + "."

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON."""
        return {
            "reference": self.reference,
            "groups": dict(self.sizes),
            "near_items": list(self.near),
            "items_with_effects": list(self.direct),
            "effects": self.effects.to_dict("records"),
            "items": self.items.to_dict("records"),
            "item_effects": self.item_effects.to_dict("records"),
            "model": self.plain.to_dict(),
            "model_with_item_effects": None if self.with_items is None else self.with_items.to_dict(),
            "warnings": list(self.warnings),
        }


def mimic(
    model: str | Model,
    data: ItemData,
    *,
    group: Sequence[str] | Literal["condition"] = "condition",
    reference: str | None = None,
    estimator: Estimator = "MLR",
    missing: Missing = "listwise",
    near: Iterable[str] | None = None,
) -> Mimic:
    r"""Regress factors, and single items, on the groups (multiple indicators, multiple causes).

    .. math:: \eta = \Gamma d + \zeta, \qquad y = \nu + \Lambda \eta + B d + \varepsilon

    with d zero-one columns, one a group but the first. :math:`\Gamma` are effects on factors; B is zero but
    for items with *direct effects*: shifts that the factor does not account for. Loadings are equal in all
    groups by construction, so that this asks less of small groups than a ladder of models, and says less.

    Parameters
    ----------
    model : measurement model; groups are added to it
    group : the group of each row; "condition": the data's own
    reference : the group others are compared with; None: the first
    near : items given direct effects from the start; None: found by name (:mod:`analysis.cfa.near_items`)

    Raises
    ------
    TooFewData : fewer than two groups
    UnknownName : no groups, or no such reference
    AnalysisError : as :func:`analysis.cfa.estimate.cfa`

    References
    ----------
    Joreskog & Goldberger 1975, doi 10.1080/01621459.1975.10482485; Muthen 1989, doi 10.1007/BF02296397.
    R: ``cfa("f =~ a + b + c\n f ~ d1 + d2\n a ~ d1 + d2", d, estimator = "MLR", std.lv = TRUE)``.

    Examples
    --------
    >>> from analysis.items import items_of
    >>> draws = np.random.default_rng(3).standard_normal((300, 5))
    >>> arm = np.arange(300) % 3
    >>> y = draws[:, :4] + draws[:, 4:] + 0.8 * (arm == 1)[:, None]
    >>> frame = pd.DataFrame(y, columns=list("abcd")).assign(g=np.array(["x", "y", "z"])[arm])
    >>> found = mimic("f =~ a + b + c + d", items_of(frame, condition="g"))
    >>> found.effects[["factor", "group"]].to_numpy().tolist(), bool(found.effects["effect"][0] > 0.4)
    ([['f', 'y'], ['f', 'z']], True)
    """
    asked = parse(model) if isinstance(model, str) else model
    labels = _labels(data, group)
    sizes = {name: labels.count(name) for name in dict.fromkeys(labels)}
    if len(sizes) < 2:
        raise TooFewData(f"{data.source}: all rows are in one group; MIMIC compares two or more")
    first = reference if reference is not None else next(iter(sizes))
    if first not in sizes:
        raise UnknownName(f"{data.source}: no group {first!r}; there are {', '.join(sizes)}")
    others = [name for name in sizes if name != first]
    columns = {f"in {name}": name for name in others}
    widened = _with_columns(data, labels, columns)
    held = near_items(asked.observed, near)
    options: dict[str, Any] = {"estimator": estimator, "missing": missing, "std_lv": not _scaled(asked)}
    factors = _top(asked)
    causes = [Term(factor, "~", column) for factor in factors for column in columns]
    plain = cfa(_plus(asked, causes), widened, **options)
    told = list(plain.warnings)
    freed, notes = _separable(asked, held)
    told += notes
    base = cfa(_plus(asked, causes, _direct(freed, columns)), widened, **options) if freed else plain
    direct, with_items = freed, base if freed else None
    items = _screen(asked, widened, causes, columns, direct, base, options)
    while True:
        # One at a time: an item that shifts makes the others seem to shift the other way.
        ranked = items[~items["own"] & (items["p_holm"] < ALPHA)].sort_values("chisq", ascending=False)
        more: tuple[str, ...] = ()
        notes = []
        for item in ranked["item"]:
            more, notes = _separable(asked, (*direct, str(item)))
            if len(more) > len(direct):
                break
        if len(more) <= len(direct):
            told += notes
            break
        direct = more
        with_items = cfa(_plus(asked, causes, _direct(direct, columns)), widened, **options)
        items = _screen(asked, widened, causes, columns, direct, with_items, options)
    items["near"] = items["item"].isin(held)
    if with_items is not None:
        told += [f"with item effects: {text}" for text in with_items.warnings if text not in plain.warnings]
    without = None
    if held:
        try:
            without = cfa(_plus(_less(asked, held), causes), widened, **options)
        except AnalysisError as problem:
            told.append(f"not fitted without {', '.join(held)}: {problem}")
    effects = _effects(plain, columns, "")
    for found, name in ((with_items, "_item"), (without, "_without")):
        if found is not None:
            effects = effects.merge(_effects(found, columns, name), on=["factor", "group"], how="left")
    shifts = pd.DataFrame(columns=["item", "group", "effect", "se", "pvalue"])
    if with_items is not None:
        table = with_items.to_frame()
        kept = table[(table["op"] == "~") & table["lhs"].isin(direct)]
        shifts = pd.DataFrame(
            {"item": kept["lhs"], "group": kept["rhs"].map(columns), "effect": kept["est"], "se": kept["se"],
             "pvalue": kept["pvalue"]}
        ).reset_index(drop=True)  # fmt: skip
    return Mimic(
        first, sizes, held, effects, items, shifts, direct, plain, with_items, without,
        tuple(dict.fromkeys(told)),
    )  # fmt: skip


def _labels(data: ItemData, group: Sequence[str] | Literal["condition"]) -> tuple[str, ...]:
    if isinstance(group, str):
        if data.groups is None:
            raise UnknownName(
                f"{data.source}: there is no condition to take as groups; name a column (--group)"
            )
        return data.groups
    return tuple(str(label) for label in group)


def _with_columns(data: ItemData, labels: Sequence[str], columns: dict[str, str]) -> ItemData:
    """The data as one group, with a zero-one column a group."""
    names = np.array(labels, dtype=object)
    made = np.column_stack([(names == group).astype(float) for group in columns.values()])
    count = len(columns)
    return replace(
        data,
        names=(*data.names, *columns),
        values=np.column_stack([data.values, made]),
        groups=None,
        pooled=False,
        bounds=(*data.bounds, *((None,) * count)),
        wordings=(*data.wordings, *(("",) * count)),
        labels=(*data.labels, *(({},) * count)),
    )


def _scaled(model: Model) -> bool:
    return any(t.fixed and t.op in ("=~", "~~") and t.lhs in model.latents for t in model.terms)


def _top(model: Model) -> tuple[str, ...]:
    """Factors that no other factor measures."""
    below = {t.rhs for t in model.terms if t.op == "=~"}
    return tuple(latent for latent in model.latents if latent not in below)


def _plus(model: Model, *more: Sequence[Term]) -> Model:
    return replace(model, terms=(*model.terms, *(term for terms in more for term in terms)))


def _less(model: Model, items: Sequence[str]) -> Model:
    gone = set(items)
    kept = tuple(t for t in model.terms if t.rhs not in gone and t.lhs not in gone)
    return replace(model, terms=kept)


def _direct(items: Sequence[str], columns: dict[str, str]) -> list[Term]:
    return [Term(item, "~", column) for item in items for column in columns]


def _separable(model: Model, wanted: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """Those that leave each factor two items without an effect of their own; and why others are not freed."""
    kept, told = list(dict.fromkeys(wanted)), []
    for latent in model.latents:
        items = [t.rhs for t in model.terms if t.op == "=~" and t.lhs == latent]
        mine = [item for item in kept if item in items]
        if mine and len(items) - len(mine) < 2:
            told.append(
                f"item effects not told apart: {', '.join(mine)} would leave {latent} fewer than two items "
                "that only the factor moves, so that they are not freed"
            )
            kept = [item for item in kept if item not in mine]
    return tuple(kept), told


def _screen(
    model: Model,
    data: ItemData,
    causes: list[Term],
    columns: dict[str, str],
    freed: tuple[str, ...],
    base: CFAResult,
    options: dict[str, Any],
) -> pd.DataFrame:
    """Each item's own effects tested: taken out of the model that has them, or put into it."""
    measured = {t.rhs for t in model.terms if t.op == "=~"} - set(model.latents)
    rows = []
    for item in (name for name in model.observed if name in measured):
        own = item in freed
        chosen = tuple(i for i in freed if i != item) if own else (*freed, item)
        try:
            other = cfa(_plus(model, causes, _direct(chosen, columns)), data, **options)
            tested = difference(base, other) if own else difference(other, base)
        except AnalysisError:
            rows.append((item, own, np.nan, len(columns), np.nan))
            continue
        rows.append((item, own, tested.chisq, tested.df, tested.pvalue))
    table = pd.DataFrame(rows, columns=["item", "own", "chisq", "df", "pvalue"])
    return table.assign(p_holm=_holm(table["pvalue"].to_numpy(dtype=float)))


def _holm(p: Any) -> Any:
    made = np.full(len(p), np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known])]
    steps = np.maximum.accumulate(p[order] * (len(order) - np.arange(len(order))))
    made[order] = np.minimum(steps, 1)
    return made


def _effects(result: CFAResult, columns: dict[str, str], suffix: str) -> pd.DataFrame:
    table = result.to_frame()
    kept = table[(table["op"] == "~") & table["lhs"].isin(result.table.latents) & table["rhs"].isin(columns)]
    half = stats.norm.ppf(0.975) * kept["se"]
    return pd.DataFrame(
        {
            "factor": kept["lhs"], "group": kept["rhs"].map(columns), f"effect{suffix}": kept["est"],
            f"se{suffix}": kept["se"], f"low{suffix}": kept["est"] - half,
            f"high{suffix}": kept["est"] + half,
            f"pvalue{suffix}": kept["pvalue"],
        }
    ).reset_index(drop=True)  # fmt: skip


def _number(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")
