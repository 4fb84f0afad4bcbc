"""Observed predictors of factors and items equal R: lavaan::cfa(mimic, data), fixed.x = TRUE."""

import pytest

from analysis.cfa.errors import NotAvailable
from analysis.cfa.estimate import cfa
from analysis.items import ItemData, items_of
from tests.analysis import references
from tests.analysis.cfa import comparing


def people(name: str) -> ItemData:
    return items_of(references.data(name), [*comparing.HS, "sex", "ageyr"])


@pytest.mark.parametrize(
    ("entry", "options"),
    [
        ("mimic", {}),  # cfa(mimic, hs)
        ("mimic_mlr", {"estimator": "MLR"}),  # cfa(mimic, hs, estimator = "MLR")
    ],
)
def test_effects_on_factors_and_a_direct_effect_equal_lavaan(entry: str, options: dict) -> None:
    reference = references.values("cfa_converged")
    result = cfa(reference["mimic_model"], people("hs1939"), **options)
    assert result.table.exogenous == ("sex", "ageyr")
    comparing.assert_fit(result, reference[entry])
    comparing.assert_estimates(result, reference[entry])


def test_predictors_with_missing_answers_to_items_equal_lavaan() -> None:
    # cfa(mimic, hsm, missing = "fiml")
    reference = references.values("cfa_converged")
    result = cfa(reference["mimic_model"], people("hs1939_missing"), missing="fiml")
    comparing.assert_fit(result, reference["mimic_fiml"])
    # lavaan's search leaves its intercepts up to 9e-6 from their place, along a flat valley.
    comparing.assert_estimates(result, reference["mimic_fiml"], est=1e-5)


def test_the_satorra_bentler_test_refuses_predictors() -> None:
    with pytest.raises(NotAvailable, match=r"sex.*use MLR"):
        cfa(comparing.HS_MODEL + "\nvisual ~ sex", people("hs1939"), estimator="MLM")
