"""Indices of fit for models of ordered items: of the weighted test, its adjustments, and latent ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from analysis.cfa.fit import (
    FitIndices,
    RobustFit,
    ScaledFit,
    cfi_of,
    pvalue_of,
    rmsea_interval,
    rmsea_is_small,
    rmsea_of,
    tli_of,
)
from analysis.cfa.ordinal_fit import Adjusted
from analysis.cfa.ordinal_moments import OrdinalMoments

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Fitted:
    """What indices are made of.

    Attributes
    ----------
    groups : moments of each group
    weights : (m,) of each group
    implied, slopes : (m,) and (m, q) of each group, at the minimum
    test, baseline : of the model and of no correlation
    q : free parameters
    clean : whether thresholds are fitted as they are, so that only correlations are at stake
    """

    groups: Sequence[OrdinalMoments]
    weights: Sequence[Matrix]
    implied: Sequence[Matrix]
    slopes: Sequence[Matrix]
    test: Adjusted
    baseline: Adjusted
    q: int
    clean: bool

    @property
    def n(self) -> int:
        """Cases."""
        return sum(g.n for g in self.groups)

    @property
    def count(self) -> int:
        """Groups."""
        return len(self.groups)


def indices_of(fitted: Fitted, adjustment: str, *, tested: bool = True) -> FitIndices:
    """Indices as lavaan names them.

    Parameters
    ----------
    adjustment : "none" (DWLS), "mean" (WLSM) or "shift" (WLSMV, ULSMV)
    tested : False where the unadjusted chi-square has no p (ULS)

    References
    ----------
    R: ``fitMeasures(cfa(model, d, ordered = TRUE, estimator = "WLSMV"))``; sizes in RMSEA are n less the
    number of groups.
    """
    test, base = fitted.test, fitted.baseline
    size, count = float(fitted.n - fitted.count), fitted.count
    return FitIndices(
        npar=fitted.q,
        chisq=test.chisq,
        df=test.df,
        pvalue=pvalue_of(test.chisq, test.df) if tested else None,
        baseline_chisq=base.chisq,
        baseline_df=base.df,
        cfi=cfi_of(test.chisq, test.df, base.chisq, base.df),
        tli=tli_of(test.chisq, test.df, base.chisq, base.df),
        rmsea=rmsea_of(test.chisq, test.df, size, count),
        rmsea_ci=rmsea_interval(test.chisq, test.df, size, count),
        rmsea_pvalue=rmsea_is_small(test.chisq, test.df, size, count),
        srmr=_srmr(fitted),
        logl=None,
        unrestricted_logl=None,
        aic=None,
        bic=None,
        n=fitted.n,
        groups=count,
        scaled=None if adjustment == "none" else _scaled(fitted, adjustment == "shift", size),
        robust=None if adjustment == "none" or not fitted.clean else _robust(fitted, size),
    )


def _scaled(fitted: Fitted, shifted: bool, size: float) -> ScaledFit:
    test, base, count = fitted.test, fitted.baseline, fitted.count
    chisq = test.shifted if shifted else test.mean_adjusted
    reference = base.shifted if shifted else base.mean_adjusted
    # The mean-adjusted RMSEA compares the unscaled test with its expectation.
    seen, expected = (chisq, float(test.df)) if shifted else (test.chisq, test.first)
    return ScaledFit(
        chisq=chisq,
        df=test.df,
        pvalue=pvalue_of(chisq, test.df),
        scaling_factor=1 / test.slope if shifted else test.scaling,
        shift=test.shift if shifted else 0.0,
        baseline_chisq=reference,
        baseline_df=base.df,
        baseline_scaling_factor=1 / base.slope if shifted else base.scaling,
        cfi=cfi_of(chisq, test.df, reference, base.df),
        tli=tli_of(chisq, test.df, reference, base.df),
        rmsea=rmsea_of(seen, expected, size, count),
        rmsea_ci=rmsea_interval(seen, expected, size, count),
    )


def _robust(fitted: Fitted, size: float) -> RobustFit:
    r"""What maximum likelihood would show in the latent variables, were they observed.

    The normal-theory discrepancy of the polychorics at the weighted estimates is compared with its
    expectation :math:`\mathrm{tr}(B^\top V B \Gamma)`, :math:`B = I - D (D^\top W D)^{-1} D^\top W`, V the
    normal-theory weight of correlations.

    References
    ----------
    Savalei 2021, doi 10.1080/00273171.2020.1717922. R: ``cfi.robust``, ``rmsea.robust`` of lavaan.
    """
    total, count, df = fitted.n, fitted.count, fitted.test.df
    if df == 0:
        return RobustFit(1.0, 1.0, None, None)
    chisq, null, fillings, curves, weights, steeps = 0.0, 0.0, [], [], [], []
    for g, w, sigma, d in zip(fitted.groups, fitted.weights, fitted.implied, fitted.slopes, strict=True):
        t, p, share = len(g.thresholds), len(g.names), g.n / total
        first, second = np.triu_indices(p, 1)
        model = np.eye(p)
        model[first, second] = model[second, first] = sigma[t:]
        inverse = np.linalg.inv(model)
        logs = float(np.linalg.slogdet(g.correlation)[1])
        chisq += g.n * (
            float(np.linalg.slogdet(model)[1]) - logs + float((inverse * g.correlation).sum()) - p
        )
        null -= g.n * logs
        curves.append(share * (
            inverse[np.ix_(first, first)] * inverse[np.ix_(second, second)]
            + inverse[np.ix_(first, second)] * inverse[np.ix_(second, first)]
        ))  # fmt: skip
        fillings.append(g.gamma[t:, t:] / share)
        weights.append(share * w[t:])
        steeps.append(d[t:])
    # Thresholds are met exactly, so that their parameters move no correlation.
    steep, flat = np.concatenate(steeps), np.concatenate(weights)
    weighted = flat[:, np.newaxis] * steep
    inverse = np.linalg.pinv(steep.T @ weighted, hermitian=True)
    left = np.eye(len(flat)) - steep @ (inverse @ weighted.T)
    curve, filling = linalg.block_diag(*curves), linalg.block_diag(*fillings)
    expected = float(((left.T @ curve @ left) * filling).sum())
    c, c_null = expected / df, float(np.trace(filling)) / fitted.baseline.df
    return RobustFit(
        cfi=cfi_of(chisq, c * df, null, c_null * fitted.baseline.df),
        tli=_tli(chisq - c * df, df, null - c_null * fitted.baseline.df, fitted.baseline.df),
        rmsea=rmsea_of(chisq, df, size, count, c=c),
        rmsea_ci=rmsea_interval(chisq / c, df, size, count, c=c),
    )


def _tli(above: float, df: int, below: float, baseline_df: int) -> float | None:
    return None if below == 0 or df == 0 else 1 - above / df * baseline_df / below


def _srmr(fitted: Fitted) -> float:
    made = 0.0
    for g, sigma in zip(fitted.groups, fitted.implied, strict=True):
        t, p = len(g.thresholds), len(g.names)
        squares = float(((g.vector[t:] - sigma[t:]) ** 2).sum())
        made += g.n / fitted.n * np.sqrt(squares / (p * (p + 1) / 2))
    return float(made)
