"""What a model leaves unexplained: differences between the sample's moments and its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from analysis.cfa.fiml import moment_information, moment_products
from analysis.cfa.least_squares import moments_of
from analysis.cfa.linear import inverse
from analysis.cfa.result import CFAResult
from analysis.cfa.robust import explained
from analysis.cfa.saturated import patterns_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Residuals:
    """Residuals of each group.

    Attributes
    ----------
    items, groups : names
    cov, mean : (G, p, p), (G, p): sample minus model
    correlation : (G, p, p): correlations of the sample minus those of the model
    z : (G, p, p), covariances over their standard errors; nan where there is none
    """

    items: tuple[str, ...]
    groups: tuple[str, ...]
    cov: Array
    mean: Array
    correlation: Array
    z: Array

    def to_frame(self, group: str | None = None) -> pd.DataFrame:
        """Residual correlations of one group (the first unless named) as a table."""
        g = 0 if group is None else self.groups.index(group)
        return pd.DataFrame(self.correlation[g], index=list(self.items), columns=list(self.items))

    def largest(self, number: int = 10) -> pd.DataFrame:
        """The pairs of items with the largest residual correlations."""
        i, j = np.tril_indices(len(self.items), -1)
        made = pd.concat(
            [
                pd.DataFrame(
                    {
                        "group": name,
                        "item": [self.items[k] for k in i],
                        "with": [self.items[k] for k in j],
                        "correlation": self.correlation[g][i, j],
                        "z": self.z[g][i, j],
                    }
                )
                for g, name in enumerate(self.groups)
            ]
        )
        made["pvalue"] = 2 * stats.norm.sf(np.abs(made["z"]))
        order = np.argsort(-np.abs(made["correlation"].to_numpy(dtype=float)), kind="stable")
        return made.iloc[order[:number]].reset_index(drop=True)


def residuals(result: CFAResult) -> Residuals:
    r"""Residual covariances, means and correlations.

    With :math:`\Gamma_g` the covariances of the sample's moments of group g (of the saturated model; sandwich
    for robust estimators), V the normal weights at the implied covariances and A the information of the
    parameters, those of the moments' residuals are

    .. math:: Q_g \Gamma_g Q_g^\top + \sum_{h \ne g} P_{gh} \Gamma_h P_{gh}^\top, \qquad
              P_{gh} = \tfrac{n_h}{n} \Delta_g A^{-1} \Delta_h^\top V_h, \quad Q_g = I - P_{gg}

    (lavaan leaves out the sum, which is zero unless groups share parameters). A residual whose variance is
    nearly zero is one the model must reproduce, and has no z.

    References
    ----------
    R: ``lavaan::lavResiduals(fit, type = "cor.bollen")``, ``residuals(fit, type = "standardized")``.
    """
    sample, implied, table = result.sample, result.implied, result.table
    cov, mean = sample.cov - implied.cov, sample.mean - implied.mean
    if not table.means:
        mean = np.zeros_like(mean)
    return Residuals(
        items=table.observed,
        groups=table.groups,
        cov=cov,
        mean=mean,
        correlation=_correlations(sample.cov) - _correlations(implied.cov),
        z=_standardised(result, cov, mean),
    )


def _correlations(cov: Array) -> Array:
    scale = np.sqrt(np.diagonal(cov, axis1=1, axis2=2))
    return np.asarray(cov / (scale[:, :, None] * scale[:, None, :]))


def _standardised(result: CFAResult, cov: Array, mean: Array) -> Array:
    table, sample, implied = result.table, result.sample, result.implied
    made = np.full(cov.shape, np.nan)
    if result.estimator not in ("ML", "MLM", "MLR"):
        return made
    p, n = len(table.observed), float(sample.sizes.sum())
    kept = explained(table.observed, table.exogenous, table.means)
    at = np.ix_(kept, kept)
    delta = result.structure.select @ implied.tangents().moments(means=True)[:, :, kept]
    inner = np.zeros((result.structure.q,) * 2)
    pulled, spread = [], []
    for g, group in enumerate(sample.groups):
        patterns = patterns_of(group.rows if sample.incomplete else group.mean[None, :])
        located = implied.mean[g] if table.means else group.mean
        weight = moment_information(patterns, located, implied.cov[g], observed=sample.incomplete)[at]
        known = inverse(moment_information(patterns, group.mean, group.cov, observed=sample.incomplete)[at])
        if result.estimator != "ML":
            crossed = moment_products(patterns_of(group.rows), group.mean, group.cov)[at]
            known = known @ crossed @ known
        pull = sample.shares[g] * delta[g] @ weight
        inner += pull @ delta[g].T
        pulled.append(pull)
        spread.append(known / (sample.shares[g] * n))
    bread = inverse(inner)
    off = moments_of(cov, mean, means=True)[:, kept]
    i, j = np.tril_indices(p)
    for g in range(len(sample.groups)):
        left = np.zeros(len(kept))
        for h, moved in enumerate(pulled):
            change = -delta[g].T @ bread @ moved + (np.eye(len(kept)) if h == g else 0.0)
            left += np.einsum("ij,jk,ik->i", change, spread[h], change)
        z = np.full(p + len(i), np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            z[kept] = np.where(left > 1e-10 * np.diag(spread[g]), off[g] / np.sqrt(left), np.nan)
        made[g][i, j] = made[g][j, i] = z[p:]
    return made
