"""Do factors measure well, and are they different from each other? Reliability, AVE, HTMT, correlations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from analysis.cfa.data import Missing
from analysis.cfa.errors import NotAvailable
from analysis.cfa.fitting import difference, fit
from analysis.cfa.htmt import Htmt, htmt_of
from analysis.cfa.model_text import Model, Term, parse
from analysis.cfa.ordinal import OrdinalResult
from analysis.cfa.result import CFAResult
from analysis.errors import AnalysisError
from analysis.items import ItemData
from analysis.polychoric import bivariate_normal

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Validity:
    """Evidence that factors are measured, and told apart.

    Attributes
    ----------
    result : the model with factor variances of 1
    factors : one row a factor: items, AVE and its root, composite reliability (of ordered items: of their sum
        as answered, and of the variables behind them), the highest correlation with another factor, and
        whether the root of AVE exceeds it (Fornell-Larcker)
    correlations : one row a pair: correlation with its interval, test of the pair against a correlation of 1
        (``chisq``, ``df``, ``pvalue``; ``test`` says how it was made),
        HTMT and HTMT2 of Pearson and polychoric correlations
    """

    result: CFAResult
    factors: pd.DataFrame
    correlations: pd.DataFrame
    warnings: tuple[str, ...]

    def summary(self) -> list[str]:
        """In sentences: reliability and AVE, what is told apart, and what is not."""
        told = []
        for row in self.factors.to_dict("records"):
            told.append(
                f"{row['factor']} ({row['items']} items): composite reliability {_bare(row['reliability'])}, "
                f"average variance extracted {_bare(row['ave'])}"
            )
        close = []
        for row in self.correlations.to_dict("records"):
            name = f"{row['first']} and {row['second']}"
            same = row["pvalue"] is not None and row["pvalue"] >= 0.05
            if same or row["high"] >= 0.9 or (row["htmt2"] is not None and row["htmt2"] >= 0.9):
                close.append(
                    f"{name} (correlation {_bare(row['correlation'])}, interval up to {_bare(row['high'])}, "
                    f"HTMT2 {_bare(row['htmt2'])}{'; a correlation of 1 is not rejected' if same else ''})"
                )
        if close:
            told.append(f"Hardly told apart: {'; '.join(close)}")
        elif len(self.correlations):
            top = max(self.correlations.to_dict("records"), key=lambda row: abs(row["correlation"]))
            told.append(
                f"All pairs are told apart; the closest are {top['first']} and {top['second']}, correlating "
                f"at {_bare(top['correlation'])} [{_bare(top['low'])}, {_bare(top['high'])}]"
            )
        failed = [r["factor"] for r in self.factors.to_dict("records") if r["fornell_larcker"] is False]
        if failed:
            told.append(
                f"Fornell-Larcker is not met by {', '.join(failed)}: another factor correlates with it more "
                "than the root of its average variance extracted"
            )
        return [f"{text}." for text in told]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON."""
        return {
            "factors": self.factors.to_dict("records"),
            "correlations": self.correlations.to_dict("records"),
            "warnings": list(self.warnings),
        }


def validity(
    model: str | Model,
    data: ItemData,
    *,
    estimator: str = "MLR",
    missing: Missing = "listwise",
    level: float = 0.95,
) -> Validity:
    r"""Average variance extracted, composite reliability, HTMT, and correlations of factors with tests.

    With loadings, factor variance :math:`\psi` and the items' covariances S,

    .. math::
        AVE = \frac{\sum \lambda_i^2 \psi}{\sum s_{ii}}, \qquad
        \omega = \frac{(\sum \lambda_i)^2 \psi}{\mathbf 1^\top S \mathbf 1} .

    That two factors are one is tested by fixing their correlation at 1 (one degree of freedom) or, where that
    model is so far off that a scaled difference does not exist, by the estimate's distance from 1 in standard
    errors. The interval of a correlation is the estimate plus and minus its standard errors.

    Parameters
    ----------
    model : its first-order factors are looked at
    data : within their groups where they have any
    estimator, missing : see :func:`analysis.cfa.fitting.fit`
    level : of the intervals

    Raises
    ------
    AnalysisError : as of the fit

    References
    ----------
    Fornell & Larcker 1981, doi 10.1177/002224378101800104; Henseler, Ringle & Sarstedt 2015,
    doi 10.1007/s11747-014-0403-8; Ronkko & Cho 2022, doi 10.1177/1094428120968614; ordered items: Green &
    Yang 2009, doi 10.1007/s11336-008-9099-3. R: ``semTools::AVE(fit)``, ``compRelSEM(fit)``, ``htmt(m, d)``.

    Examples
    --------
    >>> from analysis.items import items_of
    >>> draws = np.random.default_rng(3).standard_normal((400, 8))
    >>> y = draws[:, :6] + np.repeat(draws[:, 6:], 3, axis=1)
    >>> found = validity("f =~ a + b + c\ng =~ d + e + h", items_of(pd.DataFrame(y, columns=list("abcdeh"))))
    >>> bool(found.factors["fornell_larcker"].all()), bool(found.correlations["pvalue"][0] < 0.001)
    (True, True)
    """
    asked = parse(model) if isinstance(model, str) else model
    options: dict[str, Any] = {"estimator": estimator, "missing": missing}
    result = fit(asked, data, std_lv=not _scaled(asked), **options)
    measured = {
        latent: tuple(
            t.rhs for t in asked.terms if t.op == "=~" and t.lhs == latent and t.rhs in result.table.observed
        )
        for latent in asked.latents
    }
    measured = {latent: items for latent, items in measured.items() if items}
    told = list(result.warnings)
    crossed = [i for i in result.table.observed if sum(i in items for items in measured.values()) > 1]
    if crossed:
        told.append(
            f"items of two factors: {', '.join(crossed)}; AVE, reliability and HTMT are made for items of one"
        )
    pairs = _pairs(asked, data, result, tuple(measured), options, level)
    ratios, notes = _ratios(data, measured)
    told += notes
    for kind, found in ratios.items():
        suffix = "" if kind == "pearson" else f"_{kind}"
        table = found.to_frame().set_index(["first", "second"])
        for name in ("htmt", "htmt2"):
            pairs[f"{name}{suffix}"] = [
                float(table[name].get((a, b), np.nan))  # type: ignore[arg-type]
                for a, b in zip(pairs["first"], pairs["second"], strict=True)
            ]
    for name in ("htmt", "htmt2", "htmt_polychoric", "htmt2_polychoric"):
        if name not in pairs:
            pairs[name] = np.nan
    return Validity(result, _factors(result, measured, pairs), pairs, tuple(dict.fromkeys(told)))


def _scaled(model: Model) -> bool:
    return any(t.fixed and t.op in ("=~", "~~") and t.lhs in model.latents for t in model.terms)


def _pairs(
    model: Model,
    data: ItemData,
    result: CFAResult,
    latents: tuple[str, ...],
    options: dict[str, Any],
    level: float,
) -> pd.DataFrame:
    table = result.to_frame()
    free = table[(table["op"] == "~~") & table["lhs"].isin(latents) & table["rhs"].isin(latents)]
    half = float(stats.norm.ppf((1 + level) / 2))
    p = result.structure.p
    full = result.implied.full[0][p:, p:]
    sd = np.sqrt(np.diag(full))
    position = {name: i for i, name in enumerate(result.table.latents)}
    rows = []
    for first, second in combinations(latents, 2):
        i, j = position[first], position[second]
        value = float(full[i, j] / (sd[i] * sd[j]))
        row = free[
            ((free["lhs"] == first) & (free["rhs"] == second))
            | ((free["lhs"] == second) & (free["rhs"] == first))
        ]
        unit = abs(sd[i] - 1) < 1e-9 and abs(sd[j] - 1) < 1e-9
        se = float(row["se"].iloc[0]) if len(row) and unit else np.nan
        tested: tuple[Any, ...] = (None, None, None, "")
        if unit:
            tested = _against_one(model, data, result, first, second, (value, se), options)
        rows.append((first, second, value, se, value - half * se, value + half * se, *tested))
    names = ["first", "second", "correlation", "se", "low", "high", "chisq", "df", "pvalue", "test"]
    return pd.DataFrame(rows, columns=names)


def _against_one(
    model: Model,
    data: ItemData,
    result: CFAResult,
    first: str,
    second: str,
    found: tuple[float, float],
    options: dict[str, Any],
) -> tuple[float | None, int | None, float | None, str]:
    """The model with this correlation at 1 (or at -1) against the model itself; else estimate and error."""
    value, se = found
    kept = tuple(t for t in model.terms if not (t.op == "~~" and {t.lhs, t.rhs} == {first, second}))
    one = 1.0 if value >= 0 else -1.0
    forced = replace(model, terms=(*kept, Term(first, "~~", second, fixed=(one,))))
    try:
        tested = difference(result, fit(forced, data, std_lv=True, **options))
        if np.isfinite(tested.chisq):
            return tested.chisq, tested.df, tested.pvalue, tested.method
    except NotAvailable:
        # Plain DWLS has no test of a difference.
        pass
    if not se > 0:
        return None, None, None, ""
    chisq = float(((value - one) / se) ** 2)
    return chisq, 1, float(stats.chi2.sf(chisq, 1)), "Wald"


def _ratios(data: ItemData, measured: dict[str, tuple[str, ...]]) -> tuple[dict[str, Htmt], list[str]]:
    usable = {latent: items for latent, items in measured.items() if len(items) > 1}
    made: dict[str, Htmt] = {}
    told: list[str] = []
    if len(usable) < 2:
        return made, told
    for kind in ("pearson", "polychoric"):
        try:
            made[kind] = htmt_of(data, usable, kind)
        except AnalysisError as problem:
            told.append(f"no HTMT of {kind} correlations: {problem}")
    return made, told


def _factors(result: CFAResult, measured: dict[str, tuple[str, ...]], pairs: pd.DataFrame) -> pd.DataFrame:
    table = result.to_frame()
    loadings = table[table["op"] == "=~"].set_index(["lhs", "rhs"])["est"]
    names = list(result.table.observed)
    spread = np.diag(result.implied.full[0])
    position = {name: i for i, name in enumerate((*names, *result.table.latents))}
    rows = []
    for latent, items in measured.items():
        at = [names.index(item) for item in items]
        lam = np.array([float(loadings[latent, item]) for item in items])
        s = result.sample.cov[0][np.ix_(at, at)]
        psi = float(spread[position[latent]])
        ave = float((lam**2).sum() * psi / np.trace(s))
        behind = float(lam.sum() ** 2 * psi / s.sum())
        answered = behind
        if isinstance(result, OrdinalResult):
            answered = (
                _of_sums(result, at, np.outer(lam, lam) * psi) if len(result.moments[0].owner) else np.nan
            )
        mine = pairs[(pairs["first"] == latent) | (pairs["second"] == latent)]["correlation"].abs()
        highest = float(mine.max()) if len(mine) else None
        rows.append({
            "factor": latent, "items": len(items), "ave": ave, "root_ave": float(np.sqrt(ave)),
            "reliability": answered, "reliability_latent": behind, "highest_correlation": highest,
            "fornell_larcker": None if highest is None else bool(np.sqrt(ave) > highest),
        })  # fmt: skip
    return pd.DataFrame(rows)


def _of_sums(result: OrdinalResult, at: list[int], true: Matrix) -> float:
    """Reliability of the sum of ordered answers: covariances of categories that thresholds make of both."""
    g = result.moments[0]
    cuts = [g.thresholds[g.owner == i] for i in at]
    seen = g.correlation[np.ix_(at, at)]
    above = below = 0.0
    for i, mine in enumerate(cuts):
        for j, other in enumerate(cuts):
            h, k = np.meshgrid(mine, other, indexing="ij")
            apart = np.outer(stats.norm.cdf(mine), stats.norm.cdf(other)).sum()
            above += float(bivariate_normal(h, k, np.full_like(h, true[i, j])).sum() - apart)
            joint = (
                np.minimum(stats.norm.cdf(h), stats.norm.cdf(k))
                if i == j
                else bivariate_normal(h, k, np.full_like(h, seen[i, j]))
            )
            below += float(joint.sum() - apart)
    return above / below


def _bare(value: float | None) -> str:
    if value is None or np.isnan(value):
        return "–"
    text = f"{abs(value):.2f}".removeprefix("0")
    return f"−{text}" if value < -0.005 else text
