"""Incomplete answers equal R: lavaan::cfa(model, data, missing = "fiml"), lavaan 0.6-14.

lavaan's saturated moments come from an EM search that stops early (``em.h1.tol``); those of
``cfa_converged.json`` from one that does not.
"""

import numpy as np
import pytest

from analysis.cfa.estimate import cfa
from analysis.cfa.saturated import saturated
from tests.analysis import references
from tests.analysis.cfa import comparing


@pytest.mark.parametrize(("entry", "estimator"), [("FIML", "ML"), ("FIML_MLR", "MLR")])
def test_nine_tests_with_missing_answers_equal_lavaan(entry: str, estimator: str) -> None:
    # cfa(m, hsm, missing = "fiml"[, estimator = "MLR"])
    result = cfa(comparing.HS_MODEL, comparing.hs_missing(), missing="fiml", estimator=estimator)
    early = references.values("hs1939_cfa")[entry]
    comparing.assert_fit(result, early, chisq=2e-4, index=5e-6)
    comparing.assert_estimates(result, early)
    converged = references.values("cfa_converged")[entry.lower()]
    comparing.assert_fit(result, converged, chisq=1e-4, index=1e-6)
    comparing.assert_estimates(result, converged, est=1e-6, se=1e-6)


@pytest.mark.parametrize(("entry", "estimator"), [("FIML", "ML"), ("FIML_MLR", "MLR")])
def test_the_partner_modelling_questionnaire_with_missing_answers_equals_lavaan(
    entry: str, estimator: str
) -> None:
    # cfa(mq, qm, missing = "fiml"[, estimator = "MLR"])
    reference = references.values("pmq18_cfa")
    result = cfa(reference["model"], comparing.pmq_missing(), missing="fiml", estimator=estimator)
    comparing.assert_fit(result, reference[entry], chisq=1e-4)
    comparing.assert_estimates(result, reference[entry])


def test_two_schools_with_missing_answers_equal_lavaan() -> None:
    # cfa(m, hsm, group = "school", missing = "fiml")
    result = cfa(comparing.HS_MODEL, comparing.hs_missing(), group=comparing.schools(), missing="fiml")
    early = references.values("hs1939_invariance")["fiml_configural_missing"]
    comparing.assert_fit(result, early, index=5e-6)
    comparing.assert_estimates(result, early, est=2e-5, std=2e-5)


@pytest.mark.parametrize("estimator", ["ML", "MLR"])
@pytest.mark.parametrize("step", ["configural", "metric", "scalar"])
def test_equal_parameters_over_groups_with_missing_answers_equal_lavaan(step: str, estimator: str) -> None:
    # cfa(m, hsm, group = "school", group.equal = step, estimator = estimator, missing = "fiml")
    expected = references.values("cfa_converged")[f"hs1939_fiml_{estimator}"][step]
    result = cfa(
        comparing.HS_MODEL, comparing.hs_missing(), group=comparing.schools(), missing="fiml",
        estimator=estimator, group_equal=comparing.STEPS[step],
    )  # fmt: skip
    comparing.assert_fit(result, expected, chisq=2e-5)
    comparing.assert_estimates(result, expected, est=1e-6, se=1e-6)


def test_complete_answers_give_what_maximum_likelihood_gives() -> None:
    plain = cfa(comparing.HS_MODEL, comparing.hs(), means=True)
    full = cfa(comparing.HS_MODEL, comparing.hs(), missing="fiml")
    assert full.fit_indices.chisq == pytest.approx(plain.fit_indices.chisq, abs=1e-9)
    assert full.theta == pytest.approx(plain.theta, abs=1e-8)


def test_means_and_covariances_of_all_answers_equal_those_of_a_search_without_patterns() -> None:
    rows = comparing.hs_missing().values
    mean, cov = saturated(rows, comparing.HS)
    slope_mean, slope_cov = np.zeros(9), np.zeros((9, 9))
    for row in rows:
        seen = ~np.isnan(row)
        inverse = np.linalg.inv(cov[np.ix_(seen, seen)])
        pulled = inverse @ (row[seen] - mean[seen])
        slope_mean[seen] += pulled
        slope_cov[np.ix_(seen, seen)] += np.outer(pulled, pulled) - inverse
    assert np.abs(slope_mean).max() < 1e-6
    assert np.abs(slope_cov).max() < 1e-6
