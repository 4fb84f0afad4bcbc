"""Errors and tests that hold when answers are not normal: those of Satorra-Bentler and Yuan-Bentler."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analysis.cfa.data import Sample
from analysis.cfa.fiml import moment_information, moment_products
from analysis.cfa.linear import inverse
from analysis.cfa.matrices import Structure
from analysis.cfa.saturated import patterns_of

Array = NDArray[np.float64]


def sandwich(bread: Array, filling: Array, n: float) -> Array:
    r"""Covariances of parameters, :math:`A^{-1} B A^{-1} / n`; White 1982, doi 10.2307/1912526."""
    inner = inverse(bread)
    made = inner @ filling @ inner / n
    return (made + made.T) / 2


def trace_of_model(bread: Array, filling: Array) -> float:
    r"""tr(A^-1 B).

    With that of the saturated model, the scaling factor of a likelihood-ratio chi-square is
    :math:`(\mathrm{tr}_1 - \mathrm{tr}_0) / df` (Yuan & Bentler 2000,
    doi 10.1111/0081-1750.00078, in the form of Mplus: lavaan's ``yuan.bentler.mplus``).
    """
    return float(np.trace(np.linalg.solve(bread, filling)))


def trace_of_saturated(sample: Sample, means: bool, exogenous: tuple[str, ...]) -> float:
    """tr(A^-1 B) of the saturated model, over groups; moments of observed predictors are not counted.

    Parameters
    ----------
    means : whether means are modelled
    """
    total = 0.0
    for group in sample.groups:
        patterns = patterns_of(group.rows)
        bread = moment_information(patterns, group.mean, group.cov, observed=True)
        filling = moment_products(patterns, group.mean, group.cov)
        kept = explained(sample.names, exogenous, means)
        total += trace_of_model(bread[np.ix_(kept, kept)], filling[np.ix_(kept, kept)])
    return total


def explained(names: tuple[str, ...], exogenous: tuple[str, ...], means: bool) -> NDArray[np.intp]:
    """Positions of the moments a model explains, among means and covariances i >= j row by row."""
    p = len(names)
    outside = np.array([name in exogenous for name in names])
    i, j = np.tril_indices(p)
    kept = np.concatenate([np.full(p, means) & ~outside, ~(outside[i] & outside[j])])
    return np.flatnonzero(kept)


def satorra_bentler(sample: Sample, structure: Structure, theta: Array) -> tuple[float, Array, Array]:
    r"""The trace of :math:`U \Gamma`, and bread and filling of the sandwich.

    Weights are those of the normal likelihood at the implied covariances, Gamma is the mean product of the
    cases' deviations from the sample's moments (divisor n). Neither is made as a matrix: a case's weighted
    deviations are inner products of its answers with the tangents.

    References
    ----------
    Satorra & Bentler 1994, in von Eye & Clogg (eds.), Latent Variables Analysis.
    R: ``lavaan::cfa(model, data, estimator = "MLM")``.
    """
    implied = structure.implied(theta)
    tangents = implied.tangents()
    means = structure.table.means
    weights = inverse(implied.cov)
    total, cells = 0.0, []
    for g, group in enumerate(sample.groups):
        d = group.rows - group.rows.mean(axis=0)
        w = weights[g]
        length = np.einsum("ij,jk,ik->i", d, w, d)
        about = d.T @ d / len(d)
        spread = w @ about
        total += 0.5 * float((length**2).mean() - np.trace(spread @ spread))
        centre = w @ about @ w
        scores = case_scores(d @ w, tangents.u[g], tangents.v[g], tangents.scale, tangents.mean[g], centre)
        if means:
            total += float(length.mean())
        cells.append(scores.T @ scores / len(d))
    filling = structure.to_parameters2(sample.shares[:, None, None] * np.stack(cells))
    bread = structure.to_parameters2(sample.shares[:, None, None] * tangents.information(weights))
    return total - trace_of_model(bread, filling), bread, filling


def case_scores(pulled: Array, u: Array, v: Array, scale: Array, mean: Array, centre: Array) -> Array:
    r"""Weighted deviations of cases along the tangents, (cases, C).

    .. math:: \tfrac12 \mathrm{tr}\left[\partial\Sigma (a a^\top - C)\right] + a^\top \partial\mu

    Parameters
    ----------
    pulled : (cases, p), a = W (x - mean)
    centre : (p, p), C
    """
    made = pulled @ mean
    made[:, : len(scale)] += scale * ((pulled @ u) * (pulled @ v) - (u * (centre @ v)).sum(axis=0))
    return np.asarray(made)
