"""What a fitted factor model is: estimates with their errors, fit, and what is odd about it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from analysis.cfa.data import Sample
from analysis.cfa.fit import FitIndices
from analysis.cfa.matrices import Implied, Structure
from analysis.cfa.model_text import Model
from analysis.cfa.parameters import ParameterTable
from analysis.cfa.standardised import all_values, slopes, standardise

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CFAResult:
    """A fitted model.

    Attributes
    ----------
    model, structure, sample : what was fitted, where its parameters stand, and to what
    estimator, se, test : as asked for: "ML", "standard", "standard"; "MLR", "robust", "yuan.bentler.mplus"
    options : what ``cfa`` was told besides
    theta : (q,) free parameters
    vcov : (q, q) their covariances
    minimum : of the discrepancy
    fit_indices : see :class:`analysis.cfa.fit.FitIndices`
    converged : whether the search ended at a minimum
    improper : variances below 0 and correlations beyond 1, by name: Heywood cases
    warnings : named oddities, each with its place and a way out
    """

    model: Model
    structure: Structure
    sample: Sample
    estimator: str
    se: str
    test: str
    options: dict[str, Any]
    theta: Array
    vcov: Array
    minimum: float
    fit_indices: FitIndices
    converged: bool
    improper: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def table(self) -> ParameterTable:
        """The parameters."""
        return self.structure.table

    @property
    def n(self) -> int:
        """Cases."""
        return self.sample.n

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of the groups; one for one group."""
        return self.table.groups

    @property
    def df(self) -> int:
        """Degrees of freedom."""
        return self.fit_indices.df

    @cached_property
    def implied(self) -> Implied:
        """What the model says of means and covariances."""
        return self.structure.implied(self.theta)

    @cached_property
    def values(self) -> Array:
        """(rows,) estimates and fixed values of the table's rows."""
        return all_values(self.table, self.implied, self.theta)

    @cached_property
    def errors(self) -> Array:
        """(rows,) standard errors; nan where nothing was estimated."""
        with np.errstate(invalid="ignore"):
            se = np.sqrt(np.diag(self.vcov))
        return np.array([se[row.free] if row.free >= 0 else math.nan for row in self.table.rows])

    @property
    def multiple(self) -> bool:
        """Whether there are several groups."""
        return len(self.groups) > 1

    def to_frame(self, level: float = 0.95) -> pd.DataFrame:
        """One row a parameter: estimate, error, test, interval; standardised by factors (std_lv), fully."""
        rows, est, se = self.table.rows, self.values, self.errors
        with np.errstate(invalid="ignore", divide="ignore"):
            z = np.where(se > 0, est / se, np.nan)
        half = float(stats.norm.ppf((1 + level) / 2)) * se
        return pd.DataFrame(
            {
                "lhs": [row.lhs for row in rows],
                "op": [row.op for row in rows],
                "rhs": [row.rhs for row in rows],
                "group": [self.groups[row.group] for row in rows],
                "label": [row.label for row in rows],
                "est": est,
                "se": se,
                "z": z,
                "pvalue": 2 * stats.norm.sf(np.abs(z)),
                "ci_low": est - half,
                "ci_high": est + half,
                "std_lv": standardise(self.table, self.implied, est, items=False),
                "std": standardise(self.table, self.implied, est),
            }
        )

    def standardised(self, level: float = 0.95) -> pd.DataFrame:
        """Fully standardised estimates with errors of their own (delta method).

        References
        ----------
        R: ``lavaan::standardizedSolution(fit)``.
        """
        rows = self.table.rows
        est = standardise(self.table, self.implied, self.values)
        change = slopes(self.structure, self.theta)
        with np.errstate(invalid="ignore", divide="ignore"):
            se = np.sqrt(np.einsum("ij,jk,ik->i", change, self.vcov, change))
            se = np.where(se < 1e-8, np.nan, se)
            z = est / se
        half = float(stats.norm.ppf((1 + level) / 2)) * se
        return pd.DataFrame(
            {
                "lhs": [row.lhs for row in rows],
                "op": [row.op for row in rows],
                "rhs": [row.rhs for row in rows],
                "group": [self.groups[row.group] for row in rows],
                "std": est,
                "se": se,
                "z": z,
                "pvalue": 2 * stats.norm.sf(np.abs(z)),
                "ci_low": est - half,
                "ci_high": est + half,
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON; None where there is none."""
        table = self.to_frame()
        kept = table[["lhs", "op", "rhs", "group", "label", "est", "se", "z", "pvalue", "std_lv", "std"]]
        return {
            "converged": self.converged,
            "heywood": list(self.improper),
            "warnings": list(self.warnings),
            "n": self.n,
            "groups": {group.name: group.n for group in self.sample.groups},
            "dropped": self.sample.dropped,
            "basis": self.sample.basis,
            "estimator": self.estimator,
            "missing": self.sample.missing,
            "fit": _plain(self.fit_indices.to_dict()),
            "estimates": [_plain(row) for row in _records(kept)],
        }

    def summary(self) -> str:
        """Model, fit and what is odd, in a few lines."""
        sizes = ", ".join(f"{group.name} {group.n}" for group in self.sample.groups)
        where = f"{len(self.groups)} groups ({sizes})" if self.multiple else self.sample.basis
        lines = [
            f"{len(self.table.latents)} factor(s), {len(self.table.observed)} items, "
            f"{self.estimator}, {where}",
            self.fit_indices.summary(),
        ]
        if not self.converged:
            lines.append("no convergence: the numbers are not to be used")
        lines += [f"note: {text}" for text in self.warnings]
        return "\n".join(lines)


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def _plain(entry: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in entry.items():
        if isinstance(value, dict):
            made[key] = _plain(value)
        elif isinstance(value, float) and not math.isfinite(value):
            made[key] = None
        elif isinstance(value, tuple):
            made[key] = list(value)
        else:
            made[key] = value.item() if isinstance(value, np.generic) else value
    return made
