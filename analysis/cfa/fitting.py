"""One way to fit and compare models, whether items are taken as continuous or as ordered categories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from scipy import stats

from analysis.cfa.comparison import compare
from analysis.cfa.data import Missing
from analysis.cfa.errors import NotAvailable
from analysis.cfa.estimate import cfa
from analysis.cfa.model_text import Model
from analysis.cfa.ordinal import OrdinalResult, ordinal_cfa, ordinal_difference
from analysis.cfa.ordinal_model import ORDINAL
from analysis.cfa.result import CFAResult
from analysis.items import ItemData

NAMES = {
    "standard": "likelihood ratio",
    "satorra.bentler.2001": "Satorra & Bentler 2001",
    "satorra.bentler.2010": "Satorra & Bentler 2010",
}


@dataclass(frozen=True)
class Difference:
    """Two nested models compared.

    Attributes
    ----------
    chisq, df, pvalue : of the difference; scaled where the models have scaled tests
    method : how it was scaled, in words
    """

    chisq: float
    df: int
    pvalue: float
    method: str


def fit(
    model: str | Model,
    data: ItemData,
    *,
    estimator: str = "MLR",
    missing: Missing = "listwise",
    group: Sequence[str] | Literal["condition"] | None = None,
    group_equal: Iterable[str] = (),
    group_partial: Iterable[str] = (),
    std_lv: bool = False,
    orthogonal: bool = False,
    parameterization: Literal["delta", "theta"] = "delta",
) -> CFAResult:
    """Fit by any estimator: those of :func:`analysis.cfa.estimate.cfa`, or of ordered items.

    Parameters
    ----------
    estimator : "ML", "MLR", "MLM", "ULS", "GLS"; "WLSMV", "WLSM", "DWLS", "ULSMV"; case does not matter
    parameterization : of ordered items only

    Raises
    ------
    NotAvailable : full-information likelihood for ordered items
    """
    named = estimator.upper()
    common: dict[str, Any] = {
        "group": group, "group_equal": group_equal, "group_partial": group_partial, "std_lv": std_lv,
        "orthogonal": orthogonal,
    }  # fmt: skip
    if named in ORDINAL:
        if missing == "fiml":
            raise NotAvailable(
                f"{named} uses thresholds and polychorics of complete rows; take estimator mlr for the "
                "likelihood of incomplete rows, or --na listwise"
            )
        return ordinal_cfa(
            model, data, estimator=cast(Any, named), parameterization=parameterization, **common
        )
    return cfa(model, data, estimator=cast(Any, named), missing=missing, **common)


def difference(wide: CFAResult, narrow: CFAResult) -> Difference:
    """Test a model against a wider one that it is a special case of.

    References
    ----------
    R: ``lavTestLRT(wide, narrow)``; its method is plain for ML, "satorra.bentler.2001" for MLR and MLM
    (the strictly positive version of 2010 where that gives no positive scaling), "satorra.2000" for WLSMV.
    """
    if isinstance(wide, OrdinalResult) and isinstance(narrow, OrdinalResult):
        found = ordinal_difference(wide, narrow)
        shifted = narrow.estimator in ("WLSMV", "ULSMV")
        chisq = found.shifted if shifted else found.mean_adjusted
        return Difference(chisq, found.df, float(stats.chi2.sf(chisq, found.df)), "Satorra 2000")
    made = compare(narrow, wide)
    return Difference(made.chisq, made.df, made.pvalue, NAMES[made.method])
