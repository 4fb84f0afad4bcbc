"""How well a factor model reproduces a correlation matrix: chi-square, RMSEA, TLI, RMSR, BIC."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import optimize, special

from analysis.extraction import degrees_of_freedom

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class FactorFit:
    """Indices of fit; None where an index is not defined (no degrees of freedom, improper model).

    Attributes
    ----------
    chi2, df, p : likelihood-ratio test of the model with Bartlett's correction
    chi2_empirical : n times the sum of squared off-diagonal residuals
    rmsea, rmsea_low, rmsea_high : root mean square error of approximation, with its interval
    tli : Tucker-Lewis index
    rmsr, rmsr_corrected : root mean square of the off-diagonal residuals, and corrected for df
    bic : chi2 - df ln n
    objective : the minimum of the likelihood discrepancy
    confidence : of the interval of the RMSEA
    """

    chi2: float | None
    df: int
    p: float | None
    chi2_empirical: float
    rmsea: float | None
    rmsea_low: float | None
    rmsea_high: float | None
    tli: float | None
    rmsr: float
    rmsr_corrected: float | None
    bic: float | None
    objective: float | None
    n: int
    confidence: float

    def to_dict(self) -> dict[str, float | int | None]:
        """Every index under its name."""
        return asdict(self)

    def to_frame(self) -> pd.DataFrame:
        """One row an index."""
        return pd.DataFrame({"index": list(self.to_dict()), "value": list(self.to_dict().values())})

    def summary(self) -> str:
        """The indices in APA form: no zero before a number that cannot pass 1."""
        parts = []
        if self.chi2 is not None and self.p is not None:
            p = "p < .001" if self.p < 0.001 else f"p = {_bare(self.p)}"
            parts.append(f"χ²({self.df}, N = {self.n}) = {self.chi2:.2f}, {p}")
        else:
            parts.append(f"df = {self.df}, N = {self.n}, no test of fit")
        if self.rmsea is not None and self.rmsea_low is not None and self.rmsea_high is not None:
            ends = f"{self.confidence:.0%} CI [{_bare(self.rmsea_low)}, {_bare(self.rmsea_high)}]"
            parts.append(f"RMSEA = {_bare(self.rmsea)}, {ends}")
        if self.tli is not None:
            parts.append(f"TLI = {_bare(self.tli)}")
        parts.append(f"RMSR = {_bare(self.rmsr)}")
        if self.bic is not None:
            parts.append(f"BIC = {self.bic:.1f}".replace("-", "−"))
        return ", ".join(parts)


def fit_of(
    correlation: Matrix, common: Matrix, n: int, factors: int, *, confidence: float = 0.90
) -> FactorFit:
    r"""Indices of fit of a factor model.

    With :math:`\hat R` the model with ones in its diagonal and p items, k factors:

    .. math:: F = \mathrm{tr}(\hat R^{-1} R) - \ln|\hat R^{-1} R| - p, \quad
              \chi^2 = F \left(n - 1 - \frac{2p + 5}{6} - \frac{2k}{3}\right),

    .. math:: RMSEA = \sqrt{\max\left(\frac{\chi^2}{df \cdot n} - \frac{1}{n - 1}, 0\right)}, \quad
              TLI = \frac{F_0 / df_0 - F / df}{F_0 / df_0 - 1 / (\chi^2 / F)}

    The ends of the RMSEA's interval are those non-centralities for which the chi-square found is at the
    tails, over (n - 1) df, rooted. (psych divides by n in the estimate and by n - 1 in the interval; so do
    we, to give the same numbers.)

    Parameters
    ----------
    correlation : (p, p)
    common : (p, p), L phi L'
    n : sample size (df + 1 for a within-condition matrix)
    factors : k

    References
    ----------
    Bartlett 1951, Biometrika 38, 337-344; Tucker & Lewis 1973, doi 10.1007/BF02291170;
    Steiger 1990, doi 10.1207/s15327906mbr2502_4. R: ``psych::fa(R, k, n.obs=n)``: ``$STATISTIC``, ``$RMSEA``,
    ``$TLI``, ``$rms``, ``$crms``, ``$BIC``, ``$chi``.

    Examples
    --------
    >>> r = np.full((4, 4), 0.49) + 0.51 * np.eye(4)
    >>> found = fit_of(r, np.full((4, 4), 0.49), 100, 1)
    >>> found.df, round(found.rmsr, 6), round(found.rmsea, 6)
    (2, 0.0, 0.0)
    """
    p = correlation.shape[0]
    df = degrees_of_freedom(p, factors)
    off = (correlation - common) * (1 - np.eye(p))
    squares = float((off**2).sum())
    model = common * (1 - np.eye(p)) + np.eye(p)
    factor = n - 1 - (2 * p + 5) / 6 - 2 * factors / 3
    objective = _discrepancy(correlation, model)
    chi2 = max(objective * factor, 0.0) if objective is not None and factor > 0 else None
    tested = chi2 is not None and df > 0
    low, high = _rmsea_ends(chi2, df, n, confidence) if chi2 is not None and df > 0 else (None, None)
    tli = None
    if objective is not None and df > 0 and factor > 0:
        independent = -float(np.linalg.slogdet(correlation)[1]) / (p * (p - 1) / 2)
        tli = (independent - objective / df) / (independent - 1 / factor)
    return FactorFit(
        chi2=chi2,
        df=df,
        p=float(special.chdtrc(df, chi2)) if tested else None,
        chi2_empirical=squares * n,
        rmsea=math.sqrt(max(chi2 / (df * n) - 1 / (n - 1), 0)) if chi2 is not None and df > 0 else None,
        rmsea_low=low,
        rmsea_high=high,
        tli=tli,
        rmsr=math.sqrt(squares / (p * (p - 1))),
        rmsr_corrected=math.sqrt(squares / (2 * df)) if df > 0 else None,
        bic=chi2 - df * math.log(n) if chi2 is not None and df > 0 else None,
        objective=objective,
        n=n,
        confidence=confidence,
    )


def _discrepancy(correlation: Matrix, model: Matrix) -> float | None:
    """The likelihood discrepancy; None where the model is no proper correlation matrix."""
    if float(np.linalg.eigvalsh(model)[0]) <= 1e-12:
        return None
    ratio = np.linalg.solve(model, correlation)
    return float(np.trace(ratio) - np.linalg.slogdet(ratio)[1] - len(model))


def _rmsea_ends(chi2: float, df: int, n: int, confidence: float) -> tuple[float, float]:
    tail = (1 - confidence) / 2
    return _end(chi2, df, n, 1 - tail), _end(chi2, df, n, tail)


def _end(chi2: float, df: int, n: int, tail: float) -> float:
    if float(special.chdtr(df, chi2)) <= tail:
        return 0.0
    top = max(float(n), chi2) + 2 * n
    while float(special.chndtr(chi2, df, top)) > tail:
        top *= 2
    noncentral = optimize.brentq(lambda value: float(special.chndtr(chi2, df, value)) - tail, 1e-9, top)
    return math.sqrt(float(noncentral) / ((n - 1) * df))


def _bare(value: float) -> str:
    """Three decimals without the zero before the point, as APA prints what cannot pass 1."""
    text = f"{abs(value):.3f}"
    if text.startswith("0"):
        text = text[1:]
    return f"−{text}" if value < -0.0005 else text
