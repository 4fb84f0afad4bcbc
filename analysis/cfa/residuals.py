"""What a model leaves unexplained: differences between the sample's moments and its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from analysis.cfa.fiml import moment_information
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

    The covariances of the moments' residuals are :math:`(V^{-1} - \Delta A^{-1} \Delta^\top) / n` with V the
    information of the saturated model at the sample's moments and A that of the parameters; a residual whose
    variance is (nearly) zero is one the model must reproduce, and has no z.

    References
    ----------
    R: ``lavaan::residuals(fit, type = "cor")``, ``lavaan::lavResiduals(fit)$cov``.
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
    table, sample = result.table, result.sample
    p, n = len(table.observed), float(sample.sizes.sum())
    kept = explained(table.observed, table.exogenous, table.means)
    delta = result.structure.select @ result.implied.tangents().moments(means=True)[:, :, kept]
    made = np.full(cov.shape, np.nan)
    i, j = np.tril_indices(p)
    if result.estimator not in ("ML", "MLM", "MLR"):
        return made
    inner, saturated = np.zeros((result.structure.q,) * 2), []
    for g, group in enumerate(sample.groups):
        patterns = patterns_of(group.rows if sample.incomplete else group.mean[None, :])
        information = moment_information(patterns, group.mean, group.cov, observed=sample.incomplete)
        v = information[np.ix_(kept, kept)]
        saturated.append(v)
        inner += sample.shares[g] * delta[g] @ v @ delta[g].T
    bread = inverse(inner)
    off = moments_of(cov, mean, means=True)[:, kept]
    for g, v in enumerate(saturated):
        whole = np.diag(inverse(v)) / sample.shares[g]
        left = (whole - np.einsum("qm,qr,rm->m", delta[g], bread, delta[g])) / n
        z = np.full(p + len(i), np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            z[kept] = np.where(left > 1e-8 * whole / n, off[g] / np.sqrt(left), np.nan)
        made[g][i, j] = made[g][j, i] = z[p:]
    return made
