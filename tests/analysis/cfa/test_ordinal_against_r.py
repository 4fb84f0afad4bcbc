"""Models of ordered items equal lavaan 0.6-14: chi-square to 1e-4, indices to 1e-6, errors to 1e-5."""

import math
from typing import Any

import numpy as np
import pytest

from analysis.cfa.ordinal import ordinal_cfa, ordinal_difference
from analysis.cfa.ordinal_moments import moments_by_group, within_moments
from analysis.items import items_of
from tests.analysis import references
from tests.analysis.cfa.ordinal_data import THREE, beside, four_groups, pmq

SCALED = ("cfi", "tli", "rmsea")


def test_thresholds_polychorics_and_gamma() -> None:
    """f <- cfa(m, d, ordered = TRUE); lavInspect(f, "gamma"); lavCor(d, ordered = names(d), output = "th")"""
    expected = references.values("pmq18_cfa")
    found = moments_by_group(pmq())["all"]
    assert np.abs(found.thresholds - list(expected["thresholds"].values())).max() < 1e-9
    assert np.abs(found.correlation - references.matrix(expected["polychoric"])).max() < 1e-6
    gamma = np.array(expected["gamma_diag"])
    assert np.abs(np.diag(found.gamma) / gamma - 1).max() < 1e-6
    assert np.abs(1 / np.diag(found.gamma) / expected["wls_weight_diag"] - 1).max() < 1e-6


@pytest.mark.parametrize("estimator", ["WLSMV", "WLSM", "DWLS", "ULSMV"])
def test_one_group(estimator: Any) -> None:
    """cfa(m, d, ordered = TRUE, estimator = "WLSMV"), and so on"""
    expected = references.values("pmq18_cfa")[estimator]
    found = ordinal_cfa(THREE, pmq(), estimator=estimator)
    indices_agree(found.fit_indices, expected["fit"])
    table = beside(found, expected)
    assert np.abs(table["est"] - table["est_r"]).max() < 5e-6
    assert np.abs(table["std"] - table["std_r"]).max() < 5e-6
    errors = table[table["se_r"] > 0]
    assert np.abs(errors["se"] - errors["se_r"]).max() < 1e-5


def test_unit_variances_of_factors() -> None:
    """cfa(m, d, ordered = TRUE, estimator = "WLSMV", std.lv = TRUE)"""
    table = beside(ordinal_cfa(THREE, pmq(), std_lv=True), references.values("pmq18_cfa")["WLSMV_stdlv"])
    assert np.abs(table["est"] - table["est_r"]).max() < 5e-6


@pytest.mark.parametrize(
    ("name", "equal", "partial"),
    [
        ("configural", (), ()),
        ("thresholds", ("thresholds",), ()),
        ("thr_loadings", ("thresholds", "loadings"), ()),
        ("partial_q05", ("thresholds", "loadings"), ("q05 |",)),
    ],
)
def test_four_groups(name: str, equal: tuple[str, ...], partial: tuple[str, ...]) -> None:
    """cfa(m, d, group = "group", ordered = TRUE, group.equal = ..., group.partial = paste0("q05|t", 1:4))"""
    expected = references.values("pmq18_ordinal_invariance")[name]
    found = ordinal_cfa(THREE, four_groups(), group="condition", group_equal=equal, group_partial=partial)
    indices_agree(found.fit_indices, expected["fit"])
    if "params" in expected:
        table = beside(found, expected)
        # lavaan's search of several groups stops a little early.
        assert np.abs(table["est"] - table["est_r"]).max() < 3e-5
        errors = table[table["se_r"] > 0]
        assert np.abs(errors["se"] - errors["se_r"]).max() < 1e-5


def test_four_groups_of_the_first_reference() -> None:
    """pmq18_invariance: cfa(m, d, group = "group", ordered = TRUE, parameterization = "delta", ...)"""
    expected = references.values("pmq18_invariance")["WLSMV_5cat"]
    for name, equal in (("configural", ()), ("thr_loadings", ("thresholds", "loadings"))):
        found = ordinal_cfa(THREE, four_groups(), group="condition", group_equal=equal)
        indices_agree(found.fit_indices, expected[name])


def test_differences_of_nested_models() -> None:
    """lavTestLRT(configural, thresholds, thr_loadings): satorra.2000, A.method delta, scaled.shifted"""
    expected = references.values("pmq18_ordinal_invariance")["lrt"]
    data = four_groups()
    fits = [
        ordinal_cfa(THREE, data, group="condition", group_equal=equal)
        for equal in ((), ("thresholds",), ("thresholds", "loadings"))
    ]
    for step in (1, 2):
        found = ordinal_difference(fits[step - 1], fits[step])
        assert found.df == expected["Df diff"][step]
        assert math.isclose(found.shifted, expected["Chisq diff"][step], abs_tol=1e-4)


def test_the_scale_of_residuals_gives_the_same_fit() -> None:
    """parameterization = "theta", with residuals equal too for "strict" """
    expected = references.values("pmq18_ordinal_invariance")
    for name, equal in (
        ("theta_thr_loadings", ("thresholds", "loadings")),
        ("theta_strict", ("thresholds", "loadings", "residuals")),
    ):
        found = ordinal_cfa(
            THREE, four_groups(), group="condition", group_equal=equal, parameterization="theta"
        )
        indices_agree(found.fit_indices, expected[name]["fit"])


def test_one_condition_is_no_condition() -> None:
    frame = references.data("pmq18").assign(arm="only")
    alone, within = moments_by_group(pmq())["all"], within_moments(items_of(frame, condition="arm"))
    t = len(alone.thresholds)
    assert within.n == alone.n
    assert np.allclose(within.gamma, alone.gamma[t:, t:], rtol=1e-9)


def indices_agree(found: Any, expected: dict[str, Any]) -> None:
    assert found.df == expected["df"] and found.npar == expected["npar"]
    assert math.isclose(found.chisq, expected["chisq"], abs_tol=1e-4)
    assert math.isclose(found.srmr, expected["srmr"], abs_tol=1e-6)
    for version in ("scaled", "robust"):
        held = getattr(found, version)
        told = {name: expected[f"{name}.{version}"] for name in SCALED if f"{name}.{version}" in expected}
        assert (held is None) <= (not told)
        for name, value in told.items():
            assert math.isclose(getattr(held, name), value, abs_tol=1e-6), (version, name)
        if f"rmsea.ci.upper.{version}" in expected:
            assert math.isclose(held.rmsea_ci[1], expected[f"rmsea.ci.upper.{version}"], abs_tol=1e-6)
    if found.scaled is not None:
        assert math.isclose(found.scaled.chisq, expected["chisq.scaled"], abs_tol=1e-4)
