"""What a ladder of invariance leaves open: which parameter differs, and what means are without it."""

from __future__ import annotations

from typing import Any

import pandas as pd
from scipy import stats

from analysis.cfa.fitting import difference, fit
from analysis.cfa.invariance_steps import Step, kind_of, options_at, partial_of
from analysis.cfa.model_text import Model
from analysis.cfa.ordinal_model import ORDINAL
from analysis.cfa.result import CFAResult
from analysis.errors import AnalysisError
from analysis.items import ItemData


def scaled_by_hand(model: Model) -> bool:
    """Whether the text itself sets the scale of a factor."""
    return any(t.fixed and t.op in ("=~", "~~") and t.lhs in model.latents for t in model.terms)


def few_anchors(model: Model, released: tuple[str, ...]) -> list[str]:
    """Factors of which fewer than two items stay equal in intercept (threshold) and loading."""
    loose = {text.split("|")[0].strip() for text in released if "|" in text}
    loose |= {text.split("=~")[1].strip() for text in released if "=~" in text}
    loose |= {text.split("~")[0].strip() for text in released if kind_of(text) == "intercepts"}
    told = []
    for latent in model.latents:
        items = [t.rhs for t in model.terms if t.op == "=~" and t.lhs == latent]
        kept = [item for item in items if item not in loose]
        if len(kept) < 2 and len(kept) < len(items):
            told.append(
                f"too few anchors: only {len(kept)} item(s) of {latent} stay equal over groups; its means "
                "rest on them alone, and two are the least"
            )
    return told


def suspects_of(
    model: Model,
    data: ItemData,
    steps: tuple[Step, ...],
    equal: dict[str, tuple[str, ...]],
    released: tuple[str, ...],
    options: dict[str, Any],
) -> pd.DataFrame:
    """The step that fails, else the first doubtful one, with each of its new equalities released in turn."""
    columns = ["step", "parameter", "fall", "df", "pvalue"]
    unclear = [s for s in steps if s.verdict == "fails"] or [s for s in steps if s.verdict == "doubtful"]
    step = unclear[0] if unclear else None
    if step is None or step.difference is None:
        return pd.DataFrame(columns=columns)
    before = steps[[s.name for s in steps].index(step.name) - 1].name
    new = next(kind for kind in equal[step.name] if kind not in equal[before])
    loadings = [f"{t.lhs} =~ {t.rhs}" for t in model.terms if t.op == "=~"]
    items = [name for name in model.observed if any(t.rhs == name and t.op == "=~" for t in model.terms)]
    offered = {
        "loadings": loadings,
        "intercepts": [f"{item} ~ 1" for item in items],
        "residuals": [f"{item} ~~ {item}" for item in items],
        "thresholds": [f"{item} |" for item in items],
    }[new]
    rows = []
    for text in offered:
        if text in released or (scaled_by_hand(model) and new == "loadings"):
            continue
        if new == "residuals" and options["estimator"].upper() in ORDINAL:
            continue
        try:
            one = fit(
                model,
                data,
                group_equal=equal[step.name],
                group_partial=partial_of((*released, text), equal[step.name]),
                **options_at(step.name, options),
            )
            tested = difference(one, step.result)
        except AnalysisError:
            continue
        rows.append((step.name, text, tested.chisq, tested.df, tested.pvalue))
    return pd.DataFrame(rows, columns=columns).sort_values("fall", ascending=False, ignore_index=True)


def means_of(
    model: Model,
    data: ItemData,
    steps: tuple[Step, ...],
    equal: dict[str, tuple[str, ...]],
    released: tuple[str, ...],
    near: tuple[str, ...],
    options: dict[str, Any],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Latent means of the step that allows them, with near items equal and released; shifts of those."""
    ordered = options["estimator"].upper() in ORDINAL
    name = "loadings" if ordered else "scalar"
    step = next((s for s in steps if s.name == name), None)
    if step is None:
        return pd.DataFrame(), pd.DataFrame()
    means = _latent_means(step.result)
    texts = [f"{item} |" if ordered else f"{item} ~ 1" for item in near]
    texts = [text for text in texts if text not in released]
    if not texts:
        return means, pd.DataFrame()
    apart = fit(
        model,
        data,
        group_equal=equal[name],
        group_partial=partial_of((*released, *texts), equal[name]),
        **options,
    )
    others = _latent_means(apart).rename(
        columns={
            "mean": "mean_near_free",
            "se": "se_near_free",
            "low": "low_near_free",
            "high": "high_near_free",
        }
    )
    joined = means.merge(others.drop(columns=["z", "pvalue"]), on=["factor", "group"])
    return joined, _shifts(apart, near)


def _latent_means(result: CFAResult) -> pd.DataFrame:
    table = result.to_frame()
    kept = table[(table["op"] == "~1") & table["lhs"].isin(result.table.latents)]
    kept = kept[kept["group"] != result.groups[0]]
    half = stats.norm.ppf(0.975) * kept["se"]
    return pd.DataFrame(
        {"factor": kept["lhs"], "group": kept["group"], "mean": kept["est"], "se": kept["se"],
         "low": kept["est"] - half, "high": kept["est"] + half, "z": kept["z"], "pvalue": kept["pvalue"]}
    ).reset_index(drop=True)  # fmt: skip


def _shifts(result: CFAResult, near: tuple[str, ...]) -> pd.DataFrame:
    """Intercepts of released items against the first group; of thresholds, the mean, turned around."""
    table = result.to_frame()
    rows = []
    for item in near:
        for op, sign in (("~1", 1.0), ("|", -1.0)):
            mine = table[(table["lhs"] == item) & (table["op"] == op)]
            if op == "~1" and not mine["se"].notna().any():
                continue
            by_group = mine.groupby("group", sort=False)["est"].mean()
            for group in result.groups[1:]:
                if group in by_group:
                    shift = sign * (by_group[group] - by_group[result.groups[0]])
                    rows.append({"item": item, "group": group, "shift": float(shift)})
    return pd.DataFrame(rows, columns=["item", "group", "shift"])
