"""How estimates vary when people are drawn again, with the model fitted anew to every draw."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.cfa.checks import improper
from analysis.cfa.data import GroupSample, Sample
from analysis.cfa.discrepancies import discrepancy_of
from analysis.cfa.errors import NotAvailable
from analysis.cfa.many_fits import fit_many
from analysis.cfa.matrices import structure_of
from analysis.cfa.minimise import minimise
from analysis.cfa.result import CFAResult
from analysis.cfa.saturated import saturated
from analysis.cfa.standardised import all_values, standardise
from analysis.errors import AnalysisError

Array = NDArray[np.float64]
Positions = NDArray[np.intp]
ABREAST = 100  # draws fitted together, as far as memory is no matter


@dataclass(frozen=True)
class CFABootstrap:
    """Estimates of every draw.

    Attributes
    ----------
    result : the model as fitted to everybody
    values, standardised : (draws, rows) of the table; draws that did not converge are left out
    asked, failed, improper : draws asked for, without a minimum, and with a Heywood case (these are kept)
    warnings : named oddities
    """

    result: CFAResult
    values: Array
    standardised: Array
    asked: int
    failed: int
    improper: int
    warnings: tuple[str, ...]

    def to_frame(self, level: float = 0.95) -> pd.DataFrame:
        """One row a parameter: estimate, bootstrap error, percentile interval; the same standardised."""
        table = self.result.to_frame()[["lhs", "op", "rhs", "group", "est", "std"]]
        tails = [(1 - level) / 2, (1 + level) / 2]
        for name, draws in (("", self.values), ("std_", self.standardised)):
            low, high = np.quantile(draws, tails, axis=0)
            table[f"{name}se"] = draws.std(axis=0, ddof=1)
            table[f"{name}ci_low"], table[f"{name}ci_high"] = low, high
        return table


def bootstrap(result: CFAResult, *, draws: int = 1000, seed: int = 1) -> CFABootstrap:
    """Draw people with replacement, within each group, and fit the model again from where it ended.

    Parameters
    ----------
    draws, seed : how often, and the seed of the draws

    Raises
    ------
    NotAvailable : only covariances are known, the model did not converge, or most draws did not

    References
    ----------
    Efron & Tibshirani 1993, An Introduction to the Bootstrap (percentile intervals).
    """
    sample = result.sample
    if not result.converged or any(not len(group.rows) for group in sample.groups):
        raise NotAvailable("the bootstrap needs people, and a model that converged with them")
    rng = np.random.default_rng(seed)
    table = result.table
    values, standardised = [], []
    failed = odd = 0
    for first in range(0, draws, ABREAST):
        drawn: list[Sample] = []
        for _ in range(min(ABREAST, draws - first)):
            chosen = [rng.integers(len(g.rows), size=len(g.rows)) for g in sample.groups]
            try:
                drawn.append(_draw(sample, chosen))
            except AnalysisError:
                failed += 1
        for one, guess in zip(drawn, _guesses(result, drawn), strict=True):
            structure = structure_of(table, one.cov, one.mean) if table.exogenous else result.structure
            theta = guess
            if np.isnan(theta).any():
                discrepancy = discrepancy_of(structure, one, result.estimator)
                found = minimise(
                    discrepancy, discrepancy.scoring, discrepancy.newton, result.theta, steps=100
                )
                if not found.converged:
                    failed += 1
                    continue
                theta = found.theta
            implied = structure.implied(theta)
            every = all_values(table, implied, theta)
            odd += bool(improper(structure, implied))
            values.append(every)
            standardised.append(standardise(table, implied, every))
    if len(values) < max(draws / 2, 2):
        raise NotAvailable(f"{failed} of {draws} draws found no minimum: the model is too large for the data")
    told = []
    if failed:
        told.append(f"bootstrap: {failed} of {draws} draws found no minimum and are left out")
    if odd:
        told.append(f"bootstrap: {odd} of {draws} draws have a Heywood case (they are counted)")
    return CFABootstrap(
        result, np.array(values), np.array(standardised), draws, failed, odd, (*result.warnings, *told)
    )


def _guesses(result: CFAResult, drawn: list[Sample]) -> Array:
    """Estimates of draws that can be fitted abreast; nan for the others."""
    likely = result.estimator in ("ML", "MLM", "MLR") and not result.sample.incomplete
    if not drawn or not likely or result.table.exogenous:
        return np.full((len(drawn), len(result.theta)), np.nan)
    cov, mean = np.stack([one.cov for one in drawn]), np.stack([one.mean for one in drawn])
    return fit_many(result.structure, cov, mean, result.sample.shares, result.theta)


def _draw(sample: Sample, chosen: list[Positions]) -> Sample:
    less = 1 if sample.likelihood == "wishart" else 0
    groups: list[GroupSample] = []
    for group, positions in zip(sample.groups, chosen, strict=True):
        rows = group.rows[positions]
        if np.isnan(rows).any():
            mean, cov = saturated(rows, sample.names, f"a draw of {group.name}")
        else:
            mean = rows.mean(axis=0)
            cov = (rows - mean).T @ (rows - mean) / (len(rows) - less)
        groups.append(replace(group, rows=rows, mean=mean, cov=cov))
    return replace(sample, groups=tuple(groups))
