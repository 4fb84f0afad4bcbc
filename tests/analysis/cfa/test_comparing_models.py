"""Nested models are told apart as R does: lavaan::lavTestLRT(a, b, method = ..), lavaan 0.6-14."""

import pytest

from analysis.cfa.comparison import compare
from analysis.cfa.errors import NotNested
from analysis.cfa.estimate import cfa
from tests.analysis import references
from tests.analysis.cfa import comparing


def steps(*names: str, estimator: str = "MLR") -> list:
    return [
        cfa(
            comparing.HS_MODEL, comparing.hs(), group=comparing.schools(),
            group_equal=comparing.STEPS[name], estimator=estimator,
        )
        for name in names
    ]  # fmt: skip


def test_a_scaled_difference_equals_lavaan() -> None:
    metric, scalar = steps("metric", "scalar")
    expected = references.values("cfa_converged")["lrt_2001"]
    found = compare(scalar, metric)
    assert found.method == "satorra.bentler.2001"
    assert found.chisq == pytest.approx(expected["Chisq diff"][1], abs=1e-5)
    assert found.pvalue == pytest.approx(expected["Pr(>Chisq)"][1], abs=1e-9)


def test_the_strictly_positive_difference_equals_lavaan_for_models_nested_in_their_parameters() -> None:
    # lavTestLRT(a2, b, method = "satorra.bentler.2010"), a2 with the factors' means held at b's estimates:
    # the metric model itself is nested in b's moments only, for which lavaan's version of 2010 is not made.
    metric, scalar = steps("metric", "scalar")
    expected = references.values("cfa_converged")["lrt_2010"]
    found = compare(scalar, metric, method="satorra.bentler.2010")
    assert found.method == "satorra.bentler.2010"
    assert found.chisq == pytest.approx(expected["Chisq diff"][1], abs=1e-5)


def test_orthogonal_factors_against_correlated_ones_equal_lavaan() -> None:
    # lavTestLRT(a, b, method = "satorra.bentler.2010"), MLM
    free = cfa(comparing.HS_MODEL, comparing.hs(), estimator="MLM")
    restricted = cfa(comparing.HS_MODEL, comparing.hs(), estimator="MLM", orthogonal=True)
    expected = references.values("cfa_converged")["lrt_mlm_2010"]
    found = compare(restricted, free, method="satorra.bentler.2010")
    assert found.chisq == pytest.approx(expected["Chisq diff"][1], abs=1e-5)


def test_the_order_of_the_two_models_matters() -> None:
    metric, scalar = steps("metric", "scalar", estimator="ML")
    with pytest.raises(NotNested, match="df = 54 and 60"):
        compare(metric, scalar)


def test_models_of_other_items_people_or_estimators_are_refused() -> None:
    full = cfa(comparing.HS_MODEL, comparing.hs())
    with pytest.raises(NotNested, match="different items"):
        compare(full, cfa("visual =~ x1 + x2 + x3 + x4", comparing.hs()))
    with pytest.raises(NotNested, match="other people"):
        compare(cfa(comparing.HS_MODEL, comparing.hs_missing(), orthogonal=True), full)
    with pytest.raises(NotNested, match="another estimator"):
        compare(cfa(comparing.HS_MODEL, comparing.hs(), orthogonal=True, estimator="MLR"), full)
    with pytest.raises(NotNested, match="explains means"):
        compare(cfa(comparing.HS_MODEL, comparing.hs(), orthogonal=True, means=True), full)


def test_a_model_that_fits_better_with_more_degrees_of_freedom_is_told_not_to_be_nested() -> None:
    bad = cfa("visual =~ x1+x4+x7\ntextual =~ x2+x5+x8\nspeed =~ x3+x6+x9", comparing.hs())
    better = cfa(comparing.HS_MODEL, comparing.hs(), orthogonal=True)
    found = compare(better, bad)
    assert found.chisq == 0
    assert any(text.startswith("not nested") for text in found.warnings)
