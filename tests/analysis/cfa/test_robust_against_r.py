"""Robust errors and tests equal R: lavaan::cfa(model, data, estimator = "MLM" or "MLR"), lavaan 0.6-14.

lavaan's default search stops up to 4e-5 from the minimum, which shows in the fifth digit of scaled tests; the
values of ``cfa_converged.json`` come from a longer search of lavaan itself and are held to more digits.
"""

import pytest

from analysis.cfa.estimate import cfa
from tests.analysis import references
from tests.analysis.cfa import comparing


@pytest.mark.parametrize("estimator", ["MLM", "MLR"])
def test_nine_tests_equal_lavaan(estimator: str) -> None:
    # cfa(m, hs, estimator = estimator)
    expected = references.values("hs1939_cfa")[estimator]
    result = cfa(comparing.HS_MODEL, comparing.hs(), estimator=estimator)
    comparing.assert_fit(result, expected, chisq=2e-5)
    comparing.assert_estimates(result, expected)


def test_expected_information_can_be_asked_for() -> None:
    # cfa(m, hs, estimator = "MLR", information = "expected")
    expected = references.values("hs1939_cfa")["MLR_expected"]
    result = cfa(comparing.HS_MODEL, comparing.hs(), estimator="MLR", information="expected")
    comparing.assert_fit(result, expected, chisq=2e-5)
    comparing.assert_estimates(result, expected)


@pytest.mark.parametrize("estimator", ["MLM", "MLR"])
def test_the_partner_modelling_questionnaire_equals_lavaan(estimator: str) -> None:
    # cfa(mq, q, estimator = estimator)
    reference = references.values("pmq18_cfa")
    result = cfa(reference["model"], comparing.pmq(), estimator=estimator)
    comparing.assert_fit(result, reference[estimator])
    comparing.assert_estimates(result, reference[estimator])


def test_satorra_bentler_over_groups_equals_lavaan() -> None:
    # cfa(m, hs, group = "school", group.equal = c("loadings", "intercepts"), estimator = "MLM")
    expected = references.values("cfa_converged")["MLM_groups_scalar"]
    result = cfa(
        comparing.HS_MODEL, comparing.hs(), group=comparing.schools(),
        group_equal=comparing.STEPS["scalar"], estimator="MLM",
    )  # fmt: skip
    comparing.assert_fit(result, expected)
    comparing.assert_estimates(result, expected, est=1e-6, se=1e-6)
