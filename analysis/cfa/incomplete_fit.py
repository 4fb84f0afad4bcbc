"""Robust CFI, TLI and RMSEA for incomplete answers: what complete ones would show."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analysis.cfa.assessment import Corrected
from analysis.cfa.fiml import FullInformation, moment_information, moment_products
from analysis.cfa.linear import inverse
from analysis.cfa.matrices import Structure
from analysis.cfa.ml import Likelihood
from analysis.cfa.robust import explained
from analysis.cfa.saturated import patterns_of

Array = NDArray[np.float64]


def corrected(
    discrepancy: FullInformation, theta: Array, base: Structure, base_theta: Array, *, robust: bool
) -> Corrected:
    r"""The complete-data discrepancy of the saturated moments, and what it is expected to be.

    At the full-information estimates the discrepancy of complete data is a quadratic form in the saturated
    moments; with :math:`W_c` the information of complete data, :math:`W_m` that of the incomplete ones and
    :math:`R = I - \Delta (\Delta^\top W_m \Delta)^{-1} \Delta^\top W_m`, its expectation is

    .. math:: k = \mathrm{tr}(R^\top W_c R \, \Gamma), \qquad \Gamma = W_m^{-1} J W_m^{-1}

    (not robust: :math:`J = W_m`), and c = k / df.

    References
    ----------
    Zhang & Savalei 2022 (Psychological Methods), versions V3 (robust) and V6.
    R: ``lavaan::fitMeasures(fit, c("cfi.robust", "rmsea.robust"))`` with ``missing = "fiml"``, lavaan 0.6-14.
    """
    made = []
    for structure, at in ((discrepancy.structure, theta), (base, base_theta)):
        reached = Likelihood(structure, discrepancy.sample)(at)
        chisq = float("nan") if reached is None else float(discrepancy.sample.sizes.sum()) * reached[0]
        expected = _expectation(discrepancy, structure, at, robust)
        made.append((chisq, expected / structure.table.df if structure.table.df else float("nan")))
    return Corrected(made[0][0], made[0][1], made[1][0], made[1][1])


def _expectation(discrepancy: FullInformation, structure: Structure, theta: Array, robust: bool) -> float:
    sample = discrepancy.sample
    kept = explained(sample.names, structure.table.exogenous, means=True)
    delta = structure.select @ structure.implied(theta).tangents().moments(means=True)[:, :, kept]
    q = structure.q
    plain, middle = 0.0, np.zeros((q, q))
    e, c, j = np.zeros((q, q)), np.zeros((q, q)), np.zeros((q, q))
    for g, (share, group) in enumerate(zip(sample.shares, sample.groups, strict=True)):
        patterns = discrepancy.patterns[g]
        at = np.ix_(kept, kept)
        missing = moment_information(patterns, group.mean, group.cov, observed=True)[at]
        whole = moment_information(patterns_of(group.mean[None, :]), group.mean, group.cov, observed=False)[
            at
        ]
        first = moment_products(patterns, group.mean, group.cov)[at] if robust else missing
        back = np.linalg.solve(missing, whole)
        plain += float(np.trace(first @ back @ inverse(missing)))
        d = delta[g]
        e += share * d @ missing @ d.T
        c += share * d @ whole @ d.T
        j += share * d @ first @ d.T
        middle += share * d @ first @ back @ d.T
    inner = inverse(e)
    return plain - 2 * float(np.trace(inner @ middle)) + float(np.trace(inner @ c @ inner @ j))
