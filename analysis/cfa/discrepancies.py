"""Which discrepancy an estimator makes small."""

from __future__ import annotations

from analysis.cfa.data import Sample
from analysis.cfa.fiml import FullInformation
from analysis.cfa.least_squares import LeastSquares, generalised, unweighted
from analysis.cfa.matrices import Structure
from analysis.cfa.ml import Likelihood

Discrepancy = Likelihood | FullInformation | LeastSquares


def discrepancy_of(structure: Structure, sample: Sample, estimator: str) -> Discrepancy:
    """The discrepancy of an estimator: a likelihood (of all answers where some are missing) or squares."""
    if estimator == "ULS":
        return unweighted(structure, sample)
    if estimator == "GLS":
        return generalised(structure, sample)
    return (FullInformation if sample.incomplete else Likelihood)(structure, sample)
