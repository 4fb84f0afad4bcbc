"""Errors of estimates and scaling of the test, as each estimator has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from analysis.cfa import robust
from analysis.cfa.checks import loose_parameters
from analysis.cfa.fiml import FullInformation
from analysis.cfa.least_squares import LeastSquares
from analysis.cfa.linear import inverse
from analysis.cfa.matrices import Structure
from analysis.cfa.ml import Likelihood

Array = NDArray[np.float64]
Information = Literal["expected", "observed"]


@dataclass(frozen=True)
class Inference:
    """What an estimator says of its own error.

    Attributes
    ----------
    vcov : (q, q); nan where the information cannot be inverted
    scaling : of the chi-square, None without a scaled test
    told : warnings
    """

    vcov: Array
    scaling: float | None
    told: tuple[str, ...] = ()


def infer(
    discrepancy: Likelihood | FullInformation | LeastSquares,
    theta: Array,
    estimator: str,
    information: Information,
) -> Inference:
    """Covariances of the estimates and scaling of the test.

    Parameters
    ----------
    estimator : one of those of :func:`analysis.cfa.estimate.cfa`
    information : what bread is made of
    """
    structure, sample = discrepancy.structure, discrepancy.sample
    n, table = float(sample.sizes.sum()), structure.table
    if estimator == "MLM" and isinstance(discrepancy, Likelihood):
        trace, bread, filling = robust.satorra_bentler(sample, structure, theta)
        lost = loose(structure, bread)
        if lost:
            return Inference(np.full_like(bread, np.nan), None, lost)
        return Inference(robust.sandwich(bread, filling, n), trace / table.df if table.df else 1.0)
    bread = discrepancy.information(theta) if information == "expected" else discrepancy.observed(theta)
    lost = loose(structure, bread)
    if lost:
        return Inference(np.full_like(bread, np.nan), None, lost)
    if isinstance(discrepancy, LeastSquares) or estimator == "ML":
        return Inference(inverse(bread) / n, None)
    filling = discrepancy.crossed(theta)
    vcov = robust.sandwich(bread, filling, n)
    if table.df == 0:
        return Inference(vcov, 1.0)
    whole = robust.trace_of_saturated(sample, table.means, table.exogenous)
    return Inference(vcov, (whole - robust.trace_of_model(bread, filling)) / table.df)


def loose(structure: Structure, bread: Array) -> tuple[str, ...]:
    """A warning where the information cannot be inverted."""
    found = loose_parameters(structure, bread) if structure.q else []
    if not found:
        return ()
    return (
        f"no standard errors: the data do not tell {', '.join(found[:6])} apart at the solution; the "
        "model is empirically under-identified",
    )
