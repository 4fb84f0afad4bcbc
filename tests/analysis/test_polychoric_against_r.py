"""Polychoric correlations equal lavaan (1e-6) and psych (to its own 1e-4)."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.correlation import correlate
from analysis.errors import TooManyCategories
from analysis.items import items_of
from analysis.polychoric import bivariate_normal, polychoric
from tests.analysis import references


def test_they_equal_lavaan() -> None:
    """lavaan::cfa(model, d, ordered = names(d)); lavInspect(f, "sampstat"); lavaan 0.6-14"""
    expected = references.values("pmq18_cfa")["polychoric"]
    found = correlate(items_of(references.data("pmq18")), "polychoric")
    order = [expected["rows"].index(name) for name in found.names]
    assert np.abs(found.matrix - references.matrix(expected)[np.ix_(order, order)]).max() < 1e-6


def test_correlations_and_thresholds_equal_psych() -> None:
    """psych::polychoric(q), psych 2.2.9"""
    expected = references.values("polychoric")
    found = correlate(items_of(references.data("pmq18")), "polychoric")
    assert np.abs(found.matrix - references.matrix(expected["rho"])).max() < 1e-4
    assert found.thresholds is not None
    assert np.abs(np.array(found.thresholds["all"]) - references.matrix(expected["tau"])).max() < 1e-9


def test_correlations_of_six_categories_equal_psych() -> None:
    """psych::polychoric(B[, 1:10]), B the complete rows of bfi"""
    complete = references.data("bfi").iloc[:, :25].dropna()
    expected = references.values("polychoric")["bfi10_rho"]
    found = correlate(items_of(complete[expected["rows"]]), "polychoric")
    assert np.abs(found.matrix - references.matrix(expected)).max() < 1e-4


@pytest.mark.parametrize("rho", [-0.95, -0.3, 0.0, 0.6, 0.99])
def test_the_bivariate_normal_equals_scipys(rho: float) -> None:
    points = [(-1.3, 0.4), (0.0, 0.0), (0.0, -0.7), (1.1, 0.0), (2.0, 2.0), (-2.5, -0.1)]
    law = stats.multivariate_normal([0, 0], [[1, rho], [rho, 1]])
    h, k = np.array(points).T
    expected = [law.cdf(point) for point in points]
    assert np.abs(bivariate_normal(h, k, np.array(rho)) - expected).max() < 1e-6


def two_groups(n: int) -> pd.DataFrame:
    rng = np.random.default_rng(11)
    latent = rng.multivariate_normal([0, 0, 0], [[1, 0.6, 0.3], [0.6, 1, -0.4], [0.3, -0.4, 1]], size=n)
    arm = np.arange(n) % 2
    made = pd.DataFrame(
        np.digitize(latent + 1.5 * arm[:, np.newaxis], [-0.5, 0.5, 1.5, 2.0]), columns=list("xyz")
    )
    return made.assign(arm=np.where(arm == 0, "plain", "warm"))


def test_the_truth_behind_categories_is_found_within_conditions_and_not_by_pooling() -> None:
    frame = two_groups(20_000)
    within = correlate(items_of(frame, condition="arm"), "polychoric").matrix
    pooled = correlate(items_of(frame, condition="arm"), "polychoric", within=False).matrix
    truth = np.array([[1, 0.6, 0.3], [0.6, 1, -0.4], [0.3, -0.4, 1]])
    assert np.abs(within - truth).max() < 0.03
    assert abs(pooled[1, 2] - truth[1, 2]) > 0.2


def test_other_numbers_for_the_same_categories_change_nothing() -> None:
    frame = two_groups(400)[["x", "y", "z"]]
    found = correlate(items_of(frame), "polychoric").matrix
    assert np.allclose(correlate(items_of(frame.apply(np.exp)), "polychoric").matrix, found, atol=1e-12)
    turned = correlate(items_of(frame.assign(x=-frame["x"])), "polychoric").matrix
    assert np.allclose(turned[0, 1:], -found[0, 1:], atol=1e-8)


def test_a_pair_that_never_disagrees_is_named() -> None:
    frame = pd.DataFrame({"a": [0, 0, 1, 1] * 10, "b": [0, 0, 1, 1] * 9 + [0, 0, 0, 1]})
    assert any("at its limit: a and b" in told for told in polychoric(items_of(frame)).warnings)


def test_a_slider_is_refused() -> None:
    frame = pd.DataFrame(np.random.default_rng(1).integers(0, 101, (200, 3)), columns=list("abc"))
    with pytest.raises(TooManyCategories, match="'a' has"):
        correlate(items_of(frame), "polychoric")
