"""Fitting a factor model: the one function that the rest of the package is used through."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from analysis.cfa import fit
from analysis.cfa.assessment import Basis, Test, assess
from analysis.cfa.baseline import baseline_of
from analysis.cfa.checks import improper, loose_parameters, refuse_too_many, refuse_unidentified
from analysis.cfa.data import Likelihood as Divisor
from analysis.cfa.data import Missing, Sample, sample_of
from analysis.cfa.errors import NoConvergence
from analysis.cfa.fit import FitIndices
from analysis.cfa.matrices import Structure, structure_of
from analysis.cfa.minimise import minimise
from analysis.cfa.ml import Likelihood
from analysis.cfa.model_text import Model, parse
from analysis.cfa.parameters import ParameterTable, refuse_unknown_columns, tabulate
from analysis.cfa.result import CFAResult
from analysis.cfa.starting import starting_values
from analysis.errors import UnknownName
from analysis.items import ItemData

Array = NDArray[np.float64]
Estimator = Literal["ML", "MLM", "MLR", "ULS", "GLS"]
ESTIMATORS = ("ML",)


def cfa(
    model: str | Model,
    data: ItemData | Sample,
    *,
    group: Sequence[str] | Literal["condition"] | None = None,
    estimator: Estimator = "ML",
    missing: Missing = "listwise",
    group_equal: Iterable[str] = (),
    group_partial: Iterable[str] = (),
    std_lv: bool = False,
    orthogonal: bool = False,
    fixed_x: bool = True,
    means: bool | None = None,
    likelihood: Divisor = "normal",
) -> CFAResult:
    """Fit a factor model.

    Parameters
    ----------
    model : text (see :mod:`analysis.cfa.model_text`), or what ``parse`` made of it
    data : answers; a ``Sample`` where moments are known already
    group : the group of each row, or ``"condition"`` for the data's own groups: a multi-group model. None:
        one group, within the data's conditions unless these were pooled
    estimator : "ML"; "MLM" (Satorra-Bentler), "MLR" (Yuan-Bentler, sandwich errors); "ULS", "GLS"
    missing : "listwise", or "fiml" for the likelihood of all answers (ML and MLR)
    group_equal, group_partial, std_lv, orthogonal, fixed_x, means : see
        :func:`analysis.cfa.parameters.tabulate`
    likelihood : "normal" divides by n, "wishart" by n - 1

    Raises
    ------
    ModelTextError : the text cannot be read, or names what the data do not hold
    NegativeDegreesOfFreedom, UnidentifiedModel : the data cannot tell the parameters
    TooFewData, UnusableColumn, NotPositiveDefinite : nothing can be made of the data
    NoConvergence : no minimum of any kind was found

    Notes
    -----
    A search that ends elsewhere than at a minimum, and an improper solution (a Heywood case), give a result
    that says so in ``converged``, ``improper`` and ``warnings``.

    References
    ----------
    Checked against R: ``lavaan::cfa(model, data, estimator = "ML")``, lavaan 0.6-14.

    Examples
    --------
    >>> import pandas as pd
    >>> from analysis.items import items_of
    >>> draws = np.random.default_rng(3).standard_normal((400, 5))
    >>> frame = pd.DataFrame(draws[:, :4] + draws[:, 4:], columns=list("abcd"))
    >>> cfa("f =~ a + b + c + d", items_of(frame)).df
    2
    """
    asked = parse(model) if isinstance(model, str) else model
    if estimator not in ESTIMATORS:
        raise UnknownName(f"estimator {estimator!r} is not known; there are {', '.join(ESTIMATORS)}")
    labels, groups = _groups(data, group)
    table = tabulate(
        asked, groups, means=True if missing == "fiml" else means, group_equal=group_equal,
        group_partial=group_partial, std_lv=std_lv, orthogonal=orthogonal, fixed_x=fixed_x,
    )  # fmt: skip
    refuse_unknown_columns(asked, table, data.names, data.source)
    refuse_too_many(table)
    if isinstance(data, Sample):
        sample = data
    else:
        sample = sample_of(
            data, table.observed, group=labels, missing=missing, likelihood=likelihood,
            complete=table.exogenous,
        )  # fmt: skip
    structure = structure_of(table, sample.cov, sample.mean)
    start = starting_values(table, sample.cov, sample.mean)
    refuse_unidentified(structure, start)
    discrepancy = Likelihood(structure, sample)
    found = minimise(discrepancy, discrepancy.scoring, discrepancy.newton, start)
    if not np.isfinite(found.value):
        raise NoConvergence(
            "the starting values imply no covariance matrix; set others by start(...)* in the model"
        )
    information = discrepancy.information(found.theta)
    vcov, told = _covariances(structure, information, float(sample.sizes.sum()))
    implied = structure.implied(found.theta)
    odd = improper(structure, implied)
    if not found.converged:
        told.append(
            f"no convergence: the search ended after {found.steps} steps without a minimum; the model may be "
            "too large for the data, or need starting values (start(0.5)*)"
        )
    if odd:
        told.append(
            f"Heywood case: {', '.join(odd)} has an impossible value, the solution is improper; fewer factors, "
            "another model or more people are needed"
        )
    return CFAResult(
        model=asked,
        structure=structure,
        sample=sample,
        estimator=estimator,
        se="standard",
        test="standard",
        options={},
        theta=found.theta,
        vcov=vcov,
        minimum=found.value,
        fit_indices=_fit(discrepancy, found.theta, found.value),
        converged=found.converged,
        improper=odd,
        warnings=(*sample.warnings, *table.warnings, *told),
    )


def _groups(
    data: ItemData | Sample, group: Sequence[str] | Literal["condition"] | None
) -> tuple[Sequence[str] | None, tuple[str, ...]]:
    """The group of each row, and the names of the groups in order of appearance."""
    if isinstance(data, Sample):
        return None, tuple(one.name for one in data.groups)
    if group is None:
        return None, ("all",)
    if isinstance(group, str):
        if data.groups is None:
            raise UnknownName(f"{data.source}: there is no condition to take as groups")
        group = data.groups
    return group, tuple(dict.fromkeys(str(label) for label in group))


def _covariances(structure: Structure, information: Array, n: float) -> tuple[Array, list[str]]:
    """Inverse information over n; nan where it cannot be inverted, with a warning."""
    loose = loose_parameters(structure, information) if structure.q else []
    if loose:
        return np.full_like(information, np.nan), [
            f"no standard errors: the data do not tell {', '.join(loose[:6])} apart at the solution; the model "
            "is empirically under-identified"
        ]
    return np.linalg.inv(information) / n, []


def _fit(discrepancy: Likelihood, theta: Array, value: float) -> FitIndices:
    structure, sample = discrepancy.structure, discrepancy.sample
    table = structure.table
    n = float(sample.sizes.sum())
    base, base_theta = baseline_of(table, sample)
    reached = Likelihood(base, sample)(base_theta)
    assert reached is not None
    implied = structure.implied(theta)
    logl, unrestricted = _log_likelihoods(table, sample, value)
    return assess(
        Test(n * value, table.df),
        Test(n * reached[0], base.table.df),
        Basis(n, sample.n, len(table.groups), table.q),
        fit.srmr_of(sample.cov, sample.mean, implied.cov, implied.mean, sample.shares, table.means),
        logl=logl,
        unrestricted=unrestricted,
    )


def _log_likelihoods(table: ParameterTable, sample: Sample, value: float) -> tuple[float, float]:
    """Of the model and of the saturated one, of what is explained given the observed predictors."""
    cases = np.array([group.n for group in sample.groups], dtype=float)
    x = [i for i, name in enumerate(table.observed) if name in table.exogenous]
    logs = np.linalg.slogdet(sample.cov)[1] - np.linalg.slogdet(sample.cov[:, x][:, :, x])[1]
    p = len(table.observed) - len(x)
    unrestricted = float(-0.5 * (cases * (p * (np.log(2 * np.pi) + 1) + logs)).sum())
    return unrestricted - 0.5 * cases.sum() * value, unrestricted
