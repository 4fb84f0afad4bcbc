"""Alpha and omega equal R: psych::alpha(d) and psych::omega(d, nfactors=1)$omega.tot, psych 2.2.9."""

import pandas as pd
import pytest

from analysis.correlation import covariance
from analysis.errors import TooFewData
from analysis.reliability import reliability
from tests.analysis import references

REFERENCE = references.values("reliability")


def scale(name: str) -> pd.DataFrame:
    complete = references.data("bfi").iloc[:, :25].dropna()
    return pd.DataFrame(
        {
            key.strip("-"): 7 - complete[key[1:]] if key.startswith("-") else complete[key]
            for key in REFERENCE["scales"][name]
        }
    )


@pytest.mark.parametrize("name", list("ACENO"))
def test_alpha_and_its_feldt_interval_equal_psych(name: str) -> None:
    found = reliability(covariance(scale(name)))
    expected = REFERENCE["alpha"][name]
    assert found.alpha == pytest.approx(expected["raw_alpha"], abs=1e-9)
    assert found.standardised_alpha == pytest.approx(expected["std_alpha"], abs=1e-9)
    assert found.alpha_low == pytest.approx(expected["feldt"]["lower.ci.raw_alpha"], abs=1e-9)
    assert found.alpha_high == pytest.approx(expected["feldt"]["upper.ci.raw_alpha"], abs=1e-9)


@pytest.mark.parametrize("name", list("ACENO"))
def test_omega_total_of_one_factor_equals_psych(name: str) -> None:
    found = reliability(covariance(scale(name)))
    assert found.omega_total == pytest.approx(REFERENCE["omega_scales_1f"][name]["omega_t"], abs=1e-5)


def test_omega_total_of_three_factors_equals_psych() -> None:
    """psych::omega(q, nfactors=3)$omega.tot"""
    found = reliability(covariance(references.data("pmq18")), factors=3)
    assert found.omega_total == pytest.approx(REFERENCE["omega_pmq18_3f"]["omega_t"], abs=1e-5)


def test_two_items_have_alpha_but_no_omega() -> None:
    found = reliability(covariance(scale("A")[["A2", "A3"]]))
    assert found.omega_total is None
    assert "two items" in found.warnings[0]


def test_an_item_keyed_backwards_is_named() -> None:
    items = scale("C")
    items["C1"] = 7 - items["C1"]
    assert any("C1" in warning for warning in reliability(covariance(items)).warnings)


def test_one_item_is_refused() -> None:
    with pytest.raises(TooFewData, match="two items"):
        reliability(covariance(scale("A")[["A2"]]))
