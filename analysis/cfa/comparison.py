"""Which of two nested models the data prefer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.cfa import fit
from analysis.cfa.discrepancies import discrepancy_of
from analysis.cfa.errors import NotAvailable, NotNested
from analysis.cfa.inference import infer
from analysis.cfa.least_squares import LeastSquares
from analysis.cfa.matrices import Structure
from analysis.cfa.ordinal_model import ORDINAL
from analysis.cfa.result import CFAResult

Array = NDArray[np.float64]
Method = Literal["satorra.bentler.2001", "satorra.bentler.2010"]


@dataclass(frozen=True)
class Difference:
    """A test of the restrictions that one model has and another has not.

    Attributes
    ----------
    chisq, df, pvalue : of the difference, scaled where the models' tests are
    scaling_factor : None for a plain difference
    method : "standard", "satorra.bentler.2001" or "satorra.bentler.2010"
    rmsea : of the difference, None for a scaled one
    delta_cfi, delta_rmsea, delta_srmr, delta_bic : restricted minus free, robust where there is one
    warnings : what makes the test doubtful
    """

    chisq: float
    df: int
    pvalue: float
    scaling_factor: float | None
    method: str
    rmsea: float | None
    delta_cfi: float | None
    delta_rmsea: float | None
    delta_srmr: float
    delta_bic: float | None
    warnings: tuple[str, ...] = ()

    def summary(self) -> str:
        """The test in one line."""
        p = "p < .001" if self.pvalue < 0.001 else f"p = {self.pvalue:.3f}".replace("0.", ".", 1)
        return f"Δχ²({self.df}) = {self.chisq:.2f}, {p} ({self.method})"


def compare(restricted: CFAResult, free: CFAResult, *, method: Method = "satorra.bentler.2001") -> Difference:
    r"""Likelihood-ratio test of two nested models, scaled where their tests are scaled.

    With :math:`T, c, df` of the restricted (0) and the free (1) model,

    .. math:: c_d = \frac{df_0 c_0 - df_1 c_1}{df_0 - df_1}, \qquad T_d = \frac{T_0 - T_1}{c_d}.

    The factor can come out negative; then, or when asked for, :math:`c_1` is taken from the free model at the
    restricted one's estimates, which keeps :math:`c_d` positive in large samples.

    Parameters
    ----------
    restricted, free : fitted to the same people by the same estimator
    method : of scaled tests

    Raises
    ------
    NotAvailable : models of ordered items
    NotNested : other data, another estimator, or no difference in degrees of freedom

    References
    ----------
    Satorra & Bentler 2001, doi 10.1007/BF02296192; 2010, doi 10.1007/s11336-009-9135-y.
    R: ``lavaan::lavTestLRT(a, b, method = "satorra.bentler.2001")``.
    """
    _refuse(restricted, free)
    zero, one = restricted.fit_indices, free.fit_indices
    df = zero.df - one.df
    plain = zero.chisq - one.chisq
    told = [] if restricted.converged and free.converged else ["no convergence: a model has no minimum"]
    if plain < -1e-6 * (1 + one.chisq):
        told.append(
            "not nested: the model with more degrees of freedom fits better, so that it is no special case "
            "of the other, or one of them did not reach its minimum"
        )
    factor, used = None, "standard"
    if zero.scaled is not None and one.scaled is not None:
        of_free, used = one.scaled.scaling_factor, "satorra.bentler.2001"
        factor = (zero.df * zero.scaled.scaling_factor - one.df * of_free) / df
        if method == "satorra.bentler.2010" or factor <= 0:
            if factor <= 0:
                told.append("negative scaling factor: the strictly positive version (2010) is reported")
            used = "satorra.bentler.2010"
            factor = (zero.df * zero.scaled.scaling_factor - one.df * _scaling_at(restricted, free)) / df
        if factor <= 0:
            factor, used = None, "standard"
            told.append("no scaled difference: its factor is negative even in the strictly positive version")
    chisq = max(plain, 0.0) / (factor or 1.0)
    n = float(restricted.sample.sizes.sum())
    return Difference(
        chisq=chisq,
        df=df,
        pvalue=float(fit.pvalue_of(chisq, df) or 0.0),
        scaling_factor=factor,
        method=used,
        rmsea=None if factor else fit.rmsea_of(chisq, df, n, len(restricted.groups)),
        delta_cfi=_change(restricted, free, "cfi"),
        delta_rmsea=_change(restricted, free, "rmsea"),
        delta_srmr=zero.srmr - one.srmr,
        delta_bic=None if zero.bic is None or one.bic is None else zero.bic - one.bic,
        warnings=tuple(told),
    )


def ladder(*results: CFAResult, names: tuple[str, ...] = ()) -> pd.DataFrame:
    """Nested models from the freest to the most restricted, each tested against the one before it.

    Returns
    -------
    model, df, chisq, aic, bic, cfi, rmsea, srmr, chisq_diff, df_diff, pvalue, delta_cfi, delta_rmsea
    """
    labels = names or tuple(f"model {i + 1}" for i in range(len(results)))
    order = sorted(range(len(results)), key=lambda i: results[i].df)
    rows = []
    for place, i in enumerate(order):
        indices = results[i].fit_indices
        row: dict[str, object] = {
            "model": labels[i],
            **{key: getattr(indices, key) for key in ("df", "chisq", "aic", "bic", "cfi", "rmsea", "srmr")},
        }
        if place:
            found = compare(results[i], results[order[place - 1]])
            row |= {
                "chisq_diff": found.chisq,
                "df_diff": found.df,
                "pvalue": found.pvalue,
                "delta_cfi": found.delta_cfi,
                "delta_rmsea": found.delta_rmsea,
            }
        rows.append(row)
    return pd.DataFrame(rows)


def _change(restricted: CFAResult, free: CFAResult, index: str) -> float | None:
    def best(result: CFAResult) -> float | None:
        value: float | None = getattr(result.fit_indices.robust or result.fit_indices, index)
        return value

    after, before = best(restricted), best(free)
    return None if after is None or before is None else after - before


def _refuse(restricted: CFAResult, free: CFAResult) -> None:
    a, b = restricted, free
    if a.estimator in ORDINAL or b.estimator in ORDINAL:
        raise NotAvailable(
            "models of ordered items are compared by analysis.cfa.fitting.difference(free, restricted)"
        )
    if (a.table.observed, a.groups) != (b.table.observed, b.groups) and (
        set(a.table.observed) != set(b.table.observed) or set(a.groups) != set(b.groups)
    ):
        raise NotNested("the two models are of different items or groups")
    if a.n != b.n or a.estimator != b.estimator or a.sample.missing != b.sample.missing:
        raise NotNested("the two models were fitted to other people or by another estimator")
    if a.table.means != b.table.means:
        raise NotNested("one of the two models explains means and the other does not (means=True)")
    if a.df <= b.df:
        raise NotNested(
            f"the restricted model comes first and has more degrees of freedom; here df = {a.df} and {b.df}"
        )


def _scaling_at(restricted: CFAResult, free: CFAResult) -> float:
    """Scaling factor of the free model at the estimates of the restricted one."""
    if free.df == 0:
        return 0.0
    structure, theta = _moved(restricted, free)
    discrepancy = discrepancy_of(structure, free.sample, free.estimator)
    assert not isinstance(discrepancy, LeastSquares)
    found = infer(discrepancy, theta, free.estimator, free.options["information"]).scaling
    return float("nan") if found is None else found


def _moved(restricted: CFAResult, free: CFAResult) -> tuple[Structure, Array]:
    """The free model's parameters, in the restricted model's matrices."""
    order = {name: i for i, name in enumerate((*restricted.table.observed, *restricted.table.latents))}
    names = (*free.table.observed, *free.table.latents)
    if set(names) != set(order):
        raise NotNested("the strictly positive test needs two models of the same factors")
    at = np.array([order[name] for name in names])
    of_group = {name: g for g, name in enumerate(restricted.groups)}
    groups = np.array([of_group[name] for name in free.groups])
    a, s, m = (
        restricted.implied.arrows[groups][:, at][:, :, at],
        restricted.implied.spreads[groups][:, at][:, :, at],
        restricted.implied.offsets[groups][:, at],
    )
    structure = replace(free.structure, arrows=a, spreads=s, offsets=m)
    theta = np.zeros(structure.q)
    for g, c in np.argwhere(structure.owner >= 0):
        kind, row, col = structure.kind[c], structure.row[c], structure.col[c]
        value = a[g, row, col] if kind == 0 else s[g, row, col] if kind == 1 else m[g, row]
        theta[structure.owner[g, c]] = value
    return structure, theta
