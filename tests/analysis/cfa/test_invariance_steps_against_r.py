"""Equality over groups equals R: lavaan::cfa(model, data, group = .., group.equal = ..), lavaan 0.6-14."""

import pytest

from analysis.cfa.comparison import compare, ladder
from analysis.cfa.estimate import cfa
from tests.analysis import references
from tests.analysis.cfa import comparing

ESTIMATORS = ["ML", "MLR"]


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("step", list(comparing.STEPS))
def test_two_schools_equal_lavaan(step: str, estimator: str) -> None:
    # cfa(m, hs, group = "school", group.equal = step, estimator = estimator)
    result = cfa(
        comparing.HS_MODEL, comparing.hs(), group=comparing.schools(),
        group_equal=comparing.STEPS[step], estimator=estimator,
    )  # fmt: skip
    early = references.values("hs1939_invariance")[estimator][step]
    comparing.assert_fit(result, early, chisq=2e-4 if estimator == "MLR" else 1e-5)
    comparing.assert_estimates(result, early, est=2e-5, se=2e-5, std=2e-5)
    assert result.fit_indices.chisq <= early["fit"]["chisq"] + 1e-8
    converged = references.values("cfa_converged")[f"hs1939_{estimator}"][step]
    comparing.assert_fit(result, converged)
    comparing.assert_estimates(result, converged, est=1e-6, se=1e-6)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("step", list(comparing.STEPS))
def test_four_conditions_equal_lavaan(step: str, estimator: str) -> None:
    # cfa(mq, qg, group = "group", group.equal = step, estimator = estimator)
    reference = references.values("pmq18_invariance")
    result = cfa(
        reference["model"], comparing.pmq_groups(), group="condition",
        group_equal=comparing.STEPS[step], estimator=estimator,
    )  # fmt: skip
    early = reference[estimator][step]
    comparing.assert_fit(result, early, chisq=1e-4 if estimator == "MLR" else 1e-5)
    comparing.assert_estimates(result, early, est=5e-5, se=2e-5, std=5e-5)
    assert result.fit_indices.chisq <= early["fit"]["chisq"] + 1e-8
    converged = references.values("cfa_converged")[f"pmq18_{estimator}"][step]
    comparing.assert_fit(result, converged)
    comparing.assert_estimates(result, converged, est=2e-6, se=1e-6)


def test_released_intercepts_equal_lavaan() -> None:
    # cfa(m, hs, group = "school", group.equal = c("loadings", "intercepts"),
    #     group.partial = c("x3~1", "x7~1"))
    result = cfa(
        comparing.HS_MODEL, comparing.hs(), group=comparing.schools(),
        group_equal=comparing.STEPS["scalar"], group_partial=["x3 ~ 1", "x7~1"],
    )  # fmt: skip
    expected = references.values("hs1939_invariance")["partial_scalar_x3_x7"]
    comparing.assert_fit(result, expected)
    comparing.assert_estimates(result, expected)


def test_a_released_intercept_among_four_conditions_equals_lavaan() -> None:
    # cfa(mq, qg, group = "group", group.equal = c("loadings", "intercepts"), group.partial = "q05~1")
    reference = references.values("pmq18_invariance")
    result = cfa(
        reference["model"], comparing.pmq_groups(), group="condition",
        group_equal=comparing.STEPS["scalar"], group_partial="q05 ~ 1",
    )  # fmt: skip
    comparing.assert_fit(result, reference["partial_scalar_q05"])
    comparing.assert_estimates(result, reference["partial_scalar_q05"], est=5e-5, std=5e-5)


def test_equal_loadings_free_the_variances_of_standardised_factors_in_later_groups() -> None:
    # cfa(m, hs, group = "school", group.equal = "loadings", std.lv = TRUE)
    result = cfa(
        comparing.HS_MODEL, comparing.hs(), group=comparing.schools(), group_equal="loadings", std_lv=True
    )
    expected = references.values("hs1939_invariance")["metric_std_lv"]
    comparing.assert_fit(result, expected)
    comparing.assert_estimates(result, expected, est=1e-5)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("data", ["hs1939", "pmq18"])
def test_differences_between_steps_equal_lavaan(data: str, estimator: str) -> None:
    # lavTestLRT(configural, metric, scalar, strict): plain for ML, scaled (2001) for MLR
    reference = references.values(f"{data}_invariance")
    items, group = (
        (comparing.hs(), comparing.schools()) if data == "hs1939" else (comparing.pmq_groups(), "condition")
    )
    fits = [
        cfa(reference["model"], items, group=group, group_equal=equal, estimator=estimator)
        for equal in comparing.STEPS.values()
    ]
    table = ladder(*fits, names=tuple(comparing.STEPS))
    expected = reference[estimator]["lrt"]
    for i in range(1, 4):
        assert table["df_diff"][i] == expected["Df diff"][i]
        assert table["chisq_diff"][i] == pytest.approx(expected["Chisq diff"][i], abs=2e-3)
        assert table["pvalue"][i] == pytest.approx(expected["Pr(>Chisq)"][i], abs=2e-5)
        if estimator == "ML":
            found = compare(fits[i], fits[i - 1])
            assert found.chisq == pytest.approx(expected["Chisq diff"][i], abs=1e-5)
            assert found.rmsea == pytest.approx(expected["RMSEA"][i], abs=1e-6)
