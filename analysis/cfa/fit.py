"""How well a factor model fits: chi-square and its indices, plain, scaled, robust, for small samples."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import optimize, stats

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ScaledFit:
    """Indices made of a scaled chi-square.

    Attributes
    ----------
    chisq, df, pvalue : of the scaled test
    scaling_factor : what the chi-square was divided by (before a shift)
    shift : added afterwards (0 but for mean-and-variance adjusted tests)
    baseline_chisq, baseline_df, baseline_scaling_factor : of the model of uncorrelated items
    cfi, tli, rmsea, rmsea_ci : made of both
    """

    chisq: float
    df: int
    pvalue: float | None
    scaling_factor: float
    shift: float
    baseline_chisq: float
    baseline_df: int
    baseline_scaling_factor: float
    cfi: float | None
    tli: float | None
    rmsea: float | None
    rmsea_ci: tuple[float, float] | None


@dataclass(frozen=True)
class RobustFit:
    """Indices that estimate what ML would show in normal, complete data.

    With c the scaling factors of model and baseline (Brosseau-Liard, Savalei & Li 2012,
    doi 10.1080/00273171.2012.715252; Brosseau-Liard & Savalei 2014, doi 10.1080/00273171.2014.933697).
    """

    cfi: float | None
    tli: float | None
    rmsea: float | None
    rmsea_ci: tuple[float, float] | None


@dataclass(frozen=True)
class SwainFit:
    """Indices with Swain's correction of the chi-square for small samples.

    Attributes
    ----------
    factor : what chi-square is multiplied by
    """

    factor: float
    chisq: float
    pvalue: float | None
    cfi: float | None
    tli: float | None
    rmsea: float | None
    rmsea_ci: tuple[float, float] | None


@dataclass(frozen=True)
class FitIndices:
    """Indices of fit; None where one is not defined.

    Attributes
    ----------
    npar : free parameters, equal ones counted once
    chisq, df, pvalue : test of the model against the saturated one
    baseline_chisq, baseline_df : of the model of uncorrelated items
    rmsea, rmsea_ci, rmsea_pvalue : with its interval (90 %), and the test that it is .05 or less
    srmr : standardised root mean square residual, of means too where they are modelled
    logl, unrestricted_logl, aic, bic : None where nothing was a likelihood
    n, groups : cases and groups
    scaled, robust, swain : versions, None where the estimator has none
    """

    npar: int
    chisq: float
    df: int
    pvalue: float | None
    baseline_chisq: float
    baseline_df: int
    cfi: float | None
    tli: float | None
    rmsea: float | None
    rmsea_ci: tuple[float, float] | None
    rmsea_pvalue: float | None
    srmr: float
    logl: float | None
    unrestricted_logl: float | None
    aic: float | None
    bic: float | None
    n: int
    groups: int
    scaled: ScaledFit | None = None
    robust: RobustFit | None = None
    swain: SwainFit | None = None

    def to_dict(self) -> dict[str, Any]:
        """Every index under its name; versions as inner dictionaries."""
        return asdict(self)

    def to_frame(self) -> pd.DataFrame:
        """One row an index, one column a version."""
        plain = {k: v for k, v in self.to_dict().items() if not isinstance(v, dict)}
        table = pd.DataFrame({"index": list(plain), "value": list(plain.values())})
        for name in ("scaled", "robust", "swain"):
            version = getattr(self, name)
            if version is not None:
                held = asdict(version)
                table[name] = [held.get(index) for index in table["index"]]
        return table

    def summary(self) -> str:
        """The usual indices in one line, scaled where there is a scaled test."""
        best = self.scaled or self
        p = (
            ""
            if best.pvalue is None
            else f", p {'< .001' if best.pvalue < 0.001 else '= ' + _bare(best.pvalue)}"
        )
        parts = [f"χ²({best.df}, N = {self.n}) = {best.chisq:.2f}{p}"]
        index = self.robust or best
        if index.cfi is not None and index.tli is not None:
            parts.append(f"CFI = {_bare(index.cfi)}, TLI = {_bare(index.tli)}")
        if index.rmsea is not None and index.rmsea_ci is not None:
            low, high = index.rmsea_ci
            parts.append(f"RMSEA = {_bare(index.rmsea)}, 90% CI [{_bare(low)}, {_bare(high)}]")
        parts.append(f"SRMR = {_bare(self.srmr)}")
        return ", ".join(parts)


def _bare(value: float) -> str:
    text = f"{abs(value):.3f}"
    text = text[1:] if text.startswith("0") else text
    return f"−{text}" if value < -0.0005 else text


def cfi_of(chisq: float, df: float, baseline: float, baseline_df: float) -> float | None:
    r"""Comparative fit index.

    .. math:: 1 - \frac{\max(\chi^2 - df, 0)}{\max(\chi^2_0 - df_0, \chi^2 - df, 0)}

    References
    ----------
    Bentler 1990, doi 10.1037/0033-2909.107.2.238.

    Examples
    --------
    >>> round(cfi_of(85.30552177, 24, 918.8515892924, 36), 6)
    0.93056
    """
    above = max(chisq - df, 0.0)
    below = max(baseline - baseline_df, above)
    if baseline_df <= 0:
        return None
    return 1.0 if below == 0 else 1 - above / below


def tli_of(chisq: float, df: float, baseline: float, baseline_df: float) -> float | None:
    r"""Tucker-Lewis index, :math:`1 - \frac{(\chi^2 - df) / df}{(\chi^2_0 - df_0) / df_0}`.

    A saturated model has 1, as lavaan prints.

    References
    ----------
    Tucker & Lewis 1973, doi 10.1007/BF02291170; Bentler & Bonett 1980, doi 10.1037/0033-2909.88.3.588.
    """
    below = baseline - baseline_df
    if baseline_df <= 0 or below == 0:
        return None
    return 1.0 if df == 0 else 1 - (chisq - df) / df * baseline_df / below


def rmsea_of(chisq: float, df: float, n: float, groups: int, *, c: float = 1.0) -> float | None:
    r"""Root mean square error of approximation.

    .. math:: \sqrt{G} \sqrt{\max\left(\frac{\chi^2 - c \, df}{n \, df}, 0\right)}

    References
    ----------
    Steiger 1998, doi 10.1080/10705519809540115 (the root of the number of groups).
    """
    return None if df <= 0 else math.sqrt(groups * max(chisq - c * df, 0.0) / (n * df))


def rmsea_interval(
    chisq: float, df: float, n: float, groups: int, *, c: float = 1.0, level: float = 0.90
) -> tuple[float, float] | None:
    """Ends of the RMSEA: the non-centralities that put the chi-square at the tails, scaled by c.

    References
    ----------
    Browne & Cudeck 1992, doi 10.1177/0049124192021002005.
    """
    if df <= 0:
        return None
    tail = (1 - level) / 2
    low, high = (_noncentral(chisq, df, share) for share in (1 - tail, tail))
    return math.sqrt(groups * c * low / (n * df)), math.sqrt(groups * c * high / (n * df))


def rmsea_is_small(chisq: float, df: float, n: float, groups: int, bound: float = 0.05) -> float | None:
    """Probability of so large a chi-square if the RMSEA were ``bound``."""
    if df <= 0:
        return None
    return float(stats.ncx2.sf(chisq, df, n * df * bound**2 / groups))


def _noncentral(chisq: float, df: float, share: float) -> float:
    if float(stats.chi2.cdf(chisq, df)) <= share:
        return 0.0
    top = max(2 * chisq, 10.0)
    while float(stats.ncx2.cdf(chisq, df, top)) > share:
        top *= 2
    found = optimize.brentq(
        lambda value: float(stats.ncx2.cdf(chisq, df, value)) - share, 1e-12, top, xtol=1e-10
    )
    return float(found)


def pvalue_of(chisq: float, df: float) -> float | None:
    """Upper tail; None for a saturated model."""
    return float(stats.chi2.sf(chisq, df)) if df > 0 else None


def srmr_of(cov: Array, mean: Array, implied: Array, located: Array, shares: Array, means: bool) -> float:
    r"""Standardised root mean square residual, averaged over groups by their size.

    .. math:: \sqrt{\frac{1}{e} \left[\sum_{i \ge j} \left(\frac{s_{ij} - \sigma_{ij}}{\sqrt{s_{ii} s_{jj}}}
              \right)^2 + \sum_i \left(\frac{\bar x_i - \mu_i}{\sqrt{s_{ii}}}\right)^2 \right]}

    with e the number of terms; those of means only where means are modelled.

    Parameters
    ----------
    cov, mean : (G, p, p), (G, p) of the sample
    implied, located : the same of the model
    shares : (G,)
    """
    p = cov.shape[1]
    i, j = np.tril_indices(p)
    scale = np.sqrt(np.diagonal(cov, axis1=1, axis2=2))
    off = (cov - implied) / (scale[:, :, None] * scale[:, None, :])
    squares, terms = (off[:, i, j] ** 2).sum(axis=1), len(i)
    if means:
        squares = squares + (((mean - located) / scale) ** 2).sum(axis=1)
        terms += p
    return float(shares @ np.sqrt(squares / terms))


def swain_factor(p: int, df: int, n: int) -> float:
    r"""Swain's correction of a chi-square for small samples.

    .. math:: s = 1 - \frac{p (2p^2 + 3p - 1) - q (2q^2 + 3q - 1)}{12 \, df \, (n - 1)}, \qquad
              q = \frac{\sqrt{1 + 4p(p + 1) - 8 df} - 1}{2}

    Parameters
    ----------
    p, df, n : items, degrees of freedom, cases

    References
    ----------
    Herzog, Boomsma & Reinecke 2007, doi 10.1080/10705510701301602 (after Swain's thesis of 1975).
    """
    q = (math.sqrt(1 + 4 * p * (p + 1) - 8 * df) - 1) / 2
    return 1 - (p * (2 * p**2 + 3 * p - 1) - q * (2 * q**2 + 3 * q - 1)) / (12 * df * (n - 1))
