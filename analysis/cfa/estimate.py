"""Fitting a factor model: the one function that the rest of the package is used through."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from analysis.cfa import fit
from analysis.cfa.assessment import Basis, Test, assess
from analysis.cfa.baseline import baseline_of
from analysis.cfa.checks import improper, refuse_too_many, refuse_unidentified
from analysis.cfa.data import Likelihood as Divisor
from analysis.cfa.data import Missing, Sample, sample_of
from analysis.cfa.discrepancies import Discrepancy, discrepancy_of
from analysis.cfa.errors import NoConvergence, NotAvailable
from analysis.cfa.fiml import FullInformation, log_likelihood
from analysis.cfa.fit import FitIndices
from analysis.cfa.incomplete_fit import corrected
from analysis.cfa.inference import Information, infer
from analysis.cfa.least_squares import LeastSquares
from analysis.cfa.matrices import structure_of
from analysis.cfa.minimise import minimise
from analysis.cfa.ml import Likelihood
from analysis.cfa.model_text import Model, parse
from analysis.cfa.parameters import refuse_unknown_columns, tabulate
from analysis.cfa.result import CFAResult
from analysis.cfa.saturated import patterns_of
from analysis.cfa.search import search
from analysis.cfa.starting import starting_values
from analysis.errors import UnknownName
from analysis.items import ItemData

Array = NDArray[np.float64]
Estimator = Literal["ML", "MLM", "MLR", "ULS", "GLS"]
ESTIMATORS = ("ML", "MLM", "MLR", "ULS", "GLS")
ROBUST = ("MLM", "MLR")
ERRORS = {"MLM": "robust.sem", "MLR": "robust.huber.white"}
TESTS = {"MLM": "satorra.bentler", "MLR": "yuan.bentler.mplus"}


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
    information: Information | None = None,
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
    information : "expected" or "observed"; None: expected for ML and MLM of complete answers, else observed

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
    refuse_combination(data, estimator, missing, likelihood)
    squares = estimator in ("ULS", "GLS")
    labels, groups = _groups(data, group)
    table = tabulate(
        asked, groups, means=True if missing == "fiml" else means, group_equal=group_equal,
        group_partial=group_partial, std_lv=std_lv, orthogonal=orthogonal, fixed_x=fixed_x,
    )  # fmt: skip
    refuse_unknown_columns(asked, table, data.names, data.source)
    refuse_too_many(table)
    if estimator == "MLM" and table.exogenous:
        raise NotAvailable(
            f"MLM takes no observed predictors ({', '.join(table.exogenous)}); use MLR, or fixed_x=False"
        )
    if isinstance(data, Sample):
        sample = data
    else:
        sample = sample_of(
            data, table.observed, group=labels, missing=missing,
            likelihood="wishart" if squares else likelihood, complete=table.exogenous,
        )  # fmt: skip
    structure = structure_of(table, sample.cov, sample.mean)
    start = starting_values(table, sample.cov, sample.mean)
    refuse_unidentified(structure, start)
    discrepancy = discrepancy_of(structure, sample, estimator)
    found = search(discrepancy, start)
    if not np.isfinite(found.value):
        raise NoConvergence(
            "the starting values imply no covariance matrix; set others by start(...)* in the model"
        )
    kind = information or ("observed" if estimator == "MLR" or missing == "fiml" else "expected")
    known = infer(discrepancy, found.theta, estimator, kind)
    told = list(known.told)
    if estimator == "ULS":
        told.append(
            "ULS: there is no test of fit, and the standard errors (lavaan's) take all moments for "
            "independent ones of variance one; use ML or MLR to test"
        )
    if sample.dropped:
        what = "an answer" if missing == "listwise" else "all answers or a predictor"
        told.append(f"rows left out: {sample.dropped} row(s) lack {what}")
    implied = structure.implied(found.theta)
    odd = improper(structure, implied)
    if not found.converged:
        told.append(
            f"no convergence: the search ended after {found.steps} steps without a minimum; the model may be "
            "too large for the data, or need starting values (start(0.5)*)"
        )
    if odd:
        told.append(
            f"Heywood case: {', '.join(odd)} has an impossible value, the solution is improper; fewer "
            "factors, another model or more people are needed"
        )
    return CFAResult(
        model=asked,
        structure=structure,
        sample=sample,
        estimator=estimator,
        se=ERRORS.get(estimator, "standard"),
        test=TESTS.get(estimator, "standard"),
        options={"information": kind},
        theta=found.theta,
        vcov=known.vcov,
        minimum=found.value,
        fit_indices=_fit(discrepancy, found.theta, found.value, estimator, kind, known.scaling),
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


def refuse_combination(
    data: ItemData | Sample, estimator: str, missing: Missing, likelihood: Divisor
) -> None:
    """Refuse an estimator that is not known, or that does not go with the rest.

    Raises
    ------
    UnknownName, NotAvailable
    """
    if estimator not in ESTIMATORS:
        raise UnknownName(f"estimator {estimator!r} is not known; there are {', '.join(ESTIMATORS)}")
    if missing == "fiml" and estimator not in ("ML", "MLR"):
        raise NotAvailable(f"missing='fiml' is a likelihood: use estimator ML or MLR, not {estimator}")
    if likelihood == "wishart" and (missing == "fiml" or estimator in ROBUST):
        raise NotAvailable("likelihood='wishart' needs complete answers and the estimator ML")
    if isinstance(data, Sample) and estimator in ROBUST and any(not len(g.rows) for g in data.groups):
        raise NotAvailable(f"{estimator} needs the answers themselves, not only their covariances")


def _fit(
    discrepancy: Discrepancy,
    theta: Array,
    value: float,
    estimator: str,
    kind: Information,
    scaling: float | None,
) -> FitIndices:
    structure, sample = discrepancy.structure, discrepancy.sample
    table = structure.table
    n = float(sample.sizes.sum())
    base, base_theta = baseline_of(table, sample)
    base_discrepancy = discrepancy_of(base, sample, estimator)
    if isinstance(base_discrepancy, LeastSquares):
        base_theta = minimise(base_discrepancy, base_discrepancy.scoring, None, base_theta).theta
    reached = base_discrepancy(base_theta)
    assert reached is not None
    base_scaling = None
    if scaling is not None and not isinstance(base_discrepancy, LeastSquares):
        base_scaling = infer(base_discrepancy, base_theta, estimator, kind).scaling
    implied = structure.implied(theta)
    logl = unrestricted = None
    if not isinstance(discrepancy, LeastSquares):
        logl, unrestricted = _log_likelihoods(discrepancy, value)
    return assess(
        Test(n * value, table.df, scaling),
        Test(n * reached[0], base.table.df, base_scaling),
        Basis(n, sample.n, len(table.groups), table.q),
        fit.srmr_of(sample.cov, sample.mean, implied.cov, implied.mean, sample.shares, table.means),
        logl=logl,
        unrestricted=unrestricted,
        tested=estimator != "ULS",
        swain=_swain(discrepancy, estimator),
        corrected=corrected(discrepancy, theta, base, base_theta, robust=estimator == "MLR")
        if isinstance(discrepancy, FullInformation)
        else None,
    )


def _swain(discrepancy: Discrepancy, estimator: str) -> float | None:
    """Swain's factor, for ML in one group with complete answers and means that fit as they are."""
    table, sample = discrepancy.structure.table, discrepancy.sample
    located = sum(row.op == "~1" and row.free >= 0 and row.lhs in table.observed for row in table.rows)
    plain = estimator == "ML" and not sample.incomplete and len(sample.groups) == 1 and not table.exogenous
    if not plain or table.df == 0 or (table.means and located < sample.p):
        return None
    return fit.swain_factor(sample.p, table.df, sample.n)


def _log_likelihoods(discrepancy: Likelihood | FullInformation, value: float) -> tuple[float, float]:
    """Of the model and of the saturated one, of what is explained given the observed predictors."""
    sample = discrepancy.sample
    x = [i for i, name in enumerate(sample.names) if name in discrepancy.structure.table.exogenous]
    unrestricted = 0.0
    for group in sample.groups:
        patterns = patterns_of(group.rows) if sample.incomplete else None
        if patterns is not None:
            # Observed predictors are complete: their own likelihood is that of complete data.
            logl = log_likelihood(patterns, group.mean, group.cov) * group.n / len(group.rows)
        else:
            logl = _complete(group.n, group.cov)
        unrestricted += logl - (_complete(group.n, group.cov[np.ix_(x, x)]) if x else 0.0)
    return unrestricted - 0.5 * sample.n * value, unrestricted


def _complete(n: int, cov: Array) -> float:
    return float(-0.5 * n * (len(cov) * (np.log(2 * np.pi) + 1) + np.linalg.slogdet(cov)[1]))
