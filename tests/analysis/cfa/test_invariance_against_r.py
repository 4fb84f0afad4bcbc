"""The ladder equals lavaan: chi-square to 1e-5 (ordered items 1e-4), indices to 1e-6, scaled differences."""

import math
from typing import Any

import numpy as np
import pytest

from analysis.cfa.invariance import Invariance, invariance
from analysis.items import ItemData, items_of
from tests.analysis import references
from tests.analysis.cfa.ordinal_data import THREE, four_groups

STEPS = ("configural", "metric", "scalar", "strict")


def pmq_groups() -> ItemData:
    return items_of(references.data("pmq18_groups"), "q*", condition="group")


def schools() -> ItemData:
    return items_of(references.data("hs1939"), "x*", condition="school")


def agree(found: Invariance, expected: dict[str, Any]) -> None:
    assert tuple(step.name for step in found.steps) == STEPS
    for number, step in enumerate(found.steps):
        fit, index = expected[step.name]["fit"], step.result.fit_indices
        assert index.df == fit["df"]
        assert math.isclose(index.chisq, fit["chisq"], abs_tol=1e-5)
        version = {"plain": "", "robust": ".robust", "scaled": ".scaled"}[found.version]
        assert step.cfi is not None and math.isclose(step.cfi, fit[f"cfi{version}"], abs_tol=1e-6)
        assert step.rmsea is not None and math.isclose(step.rmsea, fit[f"rmsea{version}"], abs_tol=1e-6)
        assert math.isclose(step.srmr, fit["srmr"], abs_tol=1e-6)
        if number:
            assert step.difference is not None
            lrt = expected["lrt"]
            assert step.difference.df == lrt["Df diff"][number]
            # lavaan's information of MLR is a numerical derivative, good to about 1e-6 of the scaling.
            rough = found.estimator == "MLR"
            assert math.isclose(
                step.difference.chisq, lrt["Chisq diff"][number], abs_tol=2e-4 if rough else 1e-5
            )
            assert math.isclose(step.difference.pvalue, lrt["Pr(>Chisq)"][number], abs_tol=1e-5)


@pytest.mark.parametrize("estimator", ["ML", "MLR"])
def test_two_schools(estimator: str) -> None:
    """cfa(m, d, group = "school", group.equal = c("loadings", "intercepts")), ...; lavTestLRT(a, b, c, s)"""
    model = references.values("hs1939_invariance")
    agree(
        invariance(model["model"], schools(), estimator=estimator, near=()),
        model[estimator],
    )


@pytest.mark.parametrize("estimator", ["ML", "MLR"])
def test_four_groups(estimator: str) -> None:
    """As for the schools; the intercept of q05 is shifted in group D"""
    found = invariance(THREE, pmq_groups(), estimator=estimator)
    agree(found, references.values("pmq18_invariance")[estimator])
    scalar = found.steps[2]
    assert scalar.verdict in ("doubtful", "fails")
    assert found.suspects["parameter"][0] == "q05 ~ 1"
    assert found.suspects["fall"][0] > 5 * found.suspects["fall"][1]
    assert "q05 ~ 1" in found.conclusion()


def test_partial_invariance_of_the_schools() -> None:
    """cfa(m, d, group = "school", group.equal = .., group.partial = c("x3~1", "x7~1"))"""
    expected = references.values("hs1939_invariance")
    found = invariance(expected["model"], schools(), estimator="ML", free=["x3 ~ 1", "x7~1"], near=())
    fit = found.steps[2].result.fit_indices
    assert fit.df == expected["partial_scalar_x3_x7"]["fit"]["df"]
    assert math.isclose(fit.chisq, expected["partial_scalar_x3_x7"]["fit"]["chisq"], abs_tol=1e-5)


def test_partial_invariance_holds_once_the_shifted_item_is_free() -> None:
    """cfa(m, d, group = "group", group.equal = c("loadings", "intercepts"), group.partial = "q05~1")"""
    expected = references.values("pmq18_invariance")["partial_scalar_q05"]["fit"]
    found = invariance(THREE, pmq_groups(), estimator="ML", free=["q05 ~ 1"])
    assert math.isclose(found.steps[2].result.fit_indices.chisq, expected["chisq"], abs_tol=1e-5)
    assert [step.verdict for step in found.steps] == ["start", "holds", "holds", "holds"]
    assert found.suspects.empty
    assert "with q05 ~ 1 left free" in found.conclusion()


def test_ordered_items_thresholds_first_then_loadings() -> None:
    """lavTestLRT(configural, thresholds, thr_loadings), and theta with residuals equal for strict"""
    expected = references.values("pmq18_ordinal_invariance")
    found = invariance(THREE, four_groups(), estimator="wlsmv", near=["q05"])
    names = {"configural": "configural", "thresholds": "thresholds", "loadings": "thr_loadings"}
    assert tuple(step.name for step in found.steps) == (*names, "strict")
    for number, step in enumerate(found.steps):
        fit = expected[names.get(step.name, "theta_strict")]["fit"]
        assert step.result.fit_indices.df == fit["df"]
        assert step.cfi is not None and math.isclose(step.cfi, fit["cfi.scaled"], abs_tol=1e-6)
        if 0 < number < 3:
            assert step.difference is not None
            assert math.isclose(step.difference.chisq, expected["lrt"]["Chisq diff"][number], abs_tol=1e-4)
    assert found.suspects["parameter"][0] == "q05 |"
    shifted = found.shifts.set_index("group")["shift"]
    assert shifted.idxmax() == "D"


def test_latent_means_stand_with_and_without_the_items_near_the_manipulation() -> None:
    found = invariance(THREE, pmq_groups(), estimator="ML", near=["q05"])
    row = found.means[(found.means["factor"] == "f1") & (found.means["group"] == "D")].iloc[0]
    # q05 is .8 higher in group D than its factor says (truth of the simulation).
    assert row["mean"] > row["mean_near_free"] + 0.05
    shift = found.shifts[found.shifts["group"] == "D"]["shift"].iloc[0]
    assert abs(shift - 0.8) < 0.25
    others = found.means[found.means["factor"] != "f1"]
    assert np.abs(others["mean"] - others["mean_near_free"]).max() < 0.01


def test_incomplete_rows_climb_too() -> None:
    """cfa(m, d, group = "school", missing = "fiml")"""
    expected = references.values("hs1939_invariance")["fiml_configural_missing"]["fit"]
    data = items_of(references.data("hs1939_missing"), "x*", condition="school")
    model = references.values("hs1939_invariance")["model"]
    found = invariance(model, data, estimator="ML", missing="fiml", near=())
    assert math.isclose(found.steps[0].result.fit_indices.chisq, expected["chisq"], abs_tol=1e-4)
    assert found.steps[0].result.fit_indices.df == expected["df"]
