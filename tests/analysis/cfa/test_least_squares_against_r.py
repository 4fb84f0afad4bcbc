"""Least squares equal R: lavaan::cfa(m, hs, estimator = "ULS" or "GLS"), lavaan 0.6-14."""

import pytest

from analysis.cfa.estimate import cfa
from tests.analysis import references
from tests.analysis.cfa import comparing


@pytest.mark.parametrize("estimator", ["ULS", "GLS"])
def test_nine_tests_equal_lavaan(estimator: str) -> None:
    expected = references.values("hs1939_cfa")[estimator]
    result = cfa(comparing.HS_MODEL, comparing.hs(), estimator=estimator)
    comparing.assert_fit(result, expected)
    comparing.assert_estimates(result, expected)


def test_unweighted_least_squares_say_that_they_test_nothing() -> None:
    result = cfa(comparing.HS_MODEL, comparing.hs(), estimator="ULS")
    assert result.fit_indices.pvalue is None
    assert any(text.startswith("ULS: there is no test") for text in result.warnings)


def test_least_squares_have_no_likelihood() -> None:
    fit = cfa(comparing.HS_MODEL, comparing.hs(), estimator="GLS").fit_indices
    assert fit.logl is None and fit.aic is None and fit.bic is None
