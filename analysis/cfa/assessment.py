"""Puts together the indices of fit of a model from its test, the baseline's, and their scaling factors."""

from __future__ import annotations

import math
from dataclasses import dataclass

from analysis.cfa import fit
from analysis.cfa.fit import FitIndices, RobustFit, ScaledFit, SwainFit


@dataclass(frozen=True)
class Test:
    """A chi-square and what it may be divided by.

    Attributes
    ----------
    chisq, df : plain
    scaling : factor of a scaled test, None where there is none
    """

    chisq: float
    df: int
    scaling: float | None = None


@dataclass(frozen=True)
class Corrected:
    """What robust indices of incomplete data are made of: discrepancy of moments, and its expectation.

    Attributes
    ----------
    chisq, baseline_chisq : n times the complete-data discrepancy of the saturated moments
    c, baseline_c : factors by which degrees of freedom are multiplied
    """

    chisq: float
    c: float
    baseline_chisq: float
    baseline_c: float


@dataclass(frozen=True)
class Basis:
    """Sizes that indices need.

    Attributes
    ----------
    n : what RMSEA divides by (n, or n minus the groups for the Wishart likelihood)
    cases : people
    groups, npar : counts
    """

    n: float
    cases: int
    groups: int
    npar: int


def assess(
    model: Test,
    baseline: Test,
    basis: Basis,
    srmr: float,
    *,
    logl: float | None = None,
    unrestricted: float | None = None,
    corrected: Corrected | None = None,
    swain: float | None = None,
    tested: bool = True,
) -> FitIndices:
    """All indices.

    Parameters
    ----------
    corrected : for incomplete data
    swain : Swain's factor, where it holds
    tested : False where the chi-square follows no known distribution (ULS): no p-values
    """
    x, df, x0, df0 = model.chisq, model.df, baseline.chisq, baseline.df
    small = rmsea_p = None
    if tested:
        small, rmsea_p = fit.pvalue_of(x, df), fit.rmsea_is_small(x, df, basis.n, basis.groups)
    return FitIndices(
        npar=basis.npar,
        chisq=x,
        df=df,
        pvalue=small,
        baseline_chisq=x0,
        baseline_df=df0,
        cfi=fit.cfi_of(x, df, x0, df0),
        tli=fit.tli_of(x, df, x0, df0),
        rmsea=fit.rmsea_of(x, df, basis.n, basis.groups),
        rmsea_ci=fit.rmsea_interval(x, df, basis.n, basis.groups),
        rmsea_pvalue=rmsea_p,
        srmr=srmr,
        logl=logl,
        unrestricted_logl=unrestricted,
        aic=None if logl is None else -2 * logl + 2 * basis.npar,
        bic=None if logl is None else -2 * logl + math.log(basis.cases) * basis.npar,
        n=basis.cases,
        groups=basis.groups,
        scaled=_scaled(model, baseline, basis),
        robust=_robust(model, baseline, basis, corrected),
        swain=None if swain is None else _swain(model, baseline, basis, swain),
    )


def _scaled(model: Test, baseline: Test, basis: Basis) -> ScaledFit | None:
    if model.scaling is None or baseline.scaling is None:
        return None
    c, c0 = model.scaling, baseline.scaling
    x, x0 = model.chisq / c if model.df else 0.0, baseline.chisq / c0
    # The non-central distribution is that of the plain chi-square with c df degrees of freedom, as lavaan
    # takes it for the interval of the scaled RMSEA.
    return ScaledFit(
        chisq=x,
        df=model.df,
        pvalue=fit.pvalue_of(x, model.df),
        scaling_factor=c,
        shift=0.0,
        baseline_chisq=x0,
        baseline_df=baseline.df,
        baseline_scaling_factor=c0,
        cfi=fit.cfi_of(x, model.df, x0, baseline.df),
        tli=fit.tli_of(x, model.df, x0, baseline.df),
        rmsea=fit.rmsea_of(model.chisq, c * model.df, basis.n, basis.groups),
        rmsea_ci=fit.rmsea_interval(model.chisq, c * model.df, basis.n, basis.groups),
    )


def _robust(model: Test, baseline: Test, basis: Basis, corrected: Corrected | None) -> RobustFit | None:
    df, df0 = model.df, baseline.df
    if corrected is not None:
        x, c, x0, c0 = corrected.chisq, corrected.c, corrected.baseline_chisq, corrected.baseline_c
    elif model.scaling is not None and baseline.scaling is not None:
        x, c, x0, c0 = model.chisq, model.scaling, baseline.chisq, baseline.scaling
    else:
        return None
    return RobustFit(
        cfi=fit.cfi_of(x, c * df, x0, c0 * df0),
        tli=_robust_tli(x, df, c, x0, df0, c0),
        rmsea=fit.rmsea_of(x, df, basis.n, basis.groups, c=c),
        rmsea_ci=None if df == 0 else fit.rmsea_interval(x / c, df, basis.n, basis.groups, c=c),
    )


def _robust_tli(x: float, df: int, c: float, x0: float, df0: int, c0: float) -> float | None:
    below = x0 - c0 * df0
    if df0 == 0 or below == 0:
        return None
    return 1.0 if df == 0 else 1 - (x - c * df) / df * df0 / below


def _swain(model: Test, baseline: Test, basis: Basis, factor: float) -> SwainFit:
    x = model.chisq * factor
    return SwainFit(
        factor=factor,
        chisq=x,
        pvalue=fit.pvalue_of(x, model.df),
        cfi=fit.cfi_of(x, model.df, baseline.chisq, baseline.df),
        tli=fit.tli_of(x, model.df, baseline.chisq, baseline.df),
        rmsea=fit.rmsea_of(x, model.df, basis.n, basis.groups),
        rmsea_ci=fit.rmsea_interval(x, model.df, basis.n, basis.groups),
    )
