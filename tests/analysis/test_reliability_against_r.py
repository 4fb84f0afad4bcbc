"""Alpha, omega, Guttman's bounds and split halves equal R: psych::alpha, omega, splitHalf; psych 2.2.9."""

import numpy as np
import pandas as pd
import pytest

from analysis.correlation import covariance, covariance_of
from analysis.errors import TooFewData
from analysis.items import items_of
from analysis.reliability import Reliability, reliability
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


def assert_items_equal(found: Reliability, expected: dict) -> None:
    """psych::alpha(d): $total (ase, G6(smc), average_r), $alpha.drop, $item.stats$r.drop"""
    assert found.alpha_se == pytest.approx(expected["ase"], abs=1e-9)
    assert found.g6 == pytest.approx(expected["G6"], abs=1e-9)
    assert found.mean_r == pytest.approx(expected["average_r"], abs=1e-9)
    assert found.alpha_if_dropped == pytest.approx(expected["alpha_drop"], abs=1e-9)
    assert found.item_rest == pytest.approx(expected["r_drop"], abs=1e-9)


@pytest.mark.parametrize("name", list("ACENO"))
def test_items_and_bounds_of_bfi_equal_psych(name: str) -> None:
    assert_items_equal(reliability(covariance(scale(name))), REFERENCE["alpha"][name])


@pytest.mark.parametrize(
    ("name", "first", "last"), [("f1", 0, 6), ("f2", 6, 12), ("f3", 12, 18), ("all", 0, 18)]
)
def test_items_and_bounds_of_pmq_equal_psych(name: str, first: int, last: int) -> None:
    found = reliability(covariance(references.data("pmq18").iloc[:, first:last]))
    assert_items_equal(found, REFERENCE["alpha_pmq"][name])
    assert found.alpha == pytest.approx(REFERENCE["alpha_pmq"][name]["raw_alpha"], abs=1e-9)


def all_scales() -> pd.DataFrame:
    return pd.concat([scale(name).add_prefix(f"{name}.") for name in REFERENCE["scales"]], axis=1)


@pytest.mark.parametrize(
    ("key", "factors", "method"),
    [
        ("omega_pmq18_3f", 3, "minres"),
        ("omega_pmq18_3f_ml", 3, "ml"),
        ("omega_bfi25_5f_minres_oblimin", 5, "minres"),
    ],
)
def test_omegas_and_schmid_leiman_equal_psych(key: str, factors: int, method: str) -> None:
    """psych::omega(d, nfactors, fm): omega_h, omega.tot, omega.lim, ECV, G6, schmid$sl, omega.group"""
    frame = all_scales() if "bfi" in key else references.data("pmq18")
    expected = REFERENCE[key]
    found = reliability(covariance(frame), factors=factors, method=method)
    general = found.general
    assert general is not None
    assert general.omega_hierarchical == pytest.approx(expected["omega_h"], abs=1e-5)
    assert general.omega_total == pytest.approx(expected["omega_t"], abs=1e-5)
    assert general.omega_limit == pytest.approx(expected["omega_lim"], abs=1e-5)
    assert general.explained_common == pytest.approx(expected["ecv"], abs=1e-5)
    loadings = references.matrix(expected["schmid_sl"])
    assert np.abs(general.general - loadings[:, 0]).max() < 1e-5
    assert np.abs(general.uniquenesses - loadings[:, factors + 2]).max() < 1e-5
    shares = references.matrix(expected["group"])[1:]
    for column in range(factors):
        distances = np.abs(general.group - loadings[:, [1 + column]]).max(axis=0)
        assert distances.min() < 1e-5
        mine = general.subscales.iloc[int(distances.argmin())]
        assert np.abs(mine[["total", "general", "group_share"]].astype(float) - shares[column]).max() < 1e-5


@pytest.mark.parametrize("name", list("ACENO"))
def test_omegas_of_one_factor_equal_psych(name: str) -> None:
    """psych::omega(d, nfactors = 1): omega_h, omega.lim, G6"""
    found = reliability(covariance(scale(name)))
    assert found.general is not None
    expected = REFERENCE["omega_scales_1f"][name]
    assert found.general.omega_hierarchical == pytest.approx(expected["omega_h"], abs=1e-5)
    assert found.general.omega_limit == pytest.approx(expected["omega_lim"], abs=1e-5)
    assert found.g6 == pytest.approx(expected["G6"], abs=1e-9)
    # With one factor there is no hierarchy to report.
    assert found.omega_hierarchical is None


def test_split_halves_equal_psych() -> None:
    """psych::splitHalf(q) (all 24,310 splits) and splitHalf(q[, 1:8], brute = TRUE)"""
    halves = reliability(covariance(references.data("pmq18"))).halves
    expected = REFERENCE["splithalf_pmq"]
    assert halves.highest == pytest.approx(expected["maxrb"], abs=1e-9)
    assert halves.lowest == pytest.approx(expected["minrb"], abs=1e-9)
    assert halves.lambda2 == pytest.approx(expected["lambda2"], abs=1e-9)
    eight = reliability(covariance(references.data("pmq18").iloc[:, :8])).halves
    assert (eight.splits, eight.exhaustive) == (35, True)
    assert eight.highest == pytest.approx(0.866790595675, abs=1e-9)
    assert eight.lowest == pytest.approx(0.723864052009, abs=1e-9)
    assert eight.mean == pytest.approx(0.813721944732, abs=1e-9)


def test_the_greatest_lower_bound_equals_psych() -> None:
    """psych::glb.fa(cor(q))$glb"""
    found = reliability(covariance(references.data("pmq18")))
    assert found.glb == pytest.approx(REFERENCE["glb_fa_pmq"], abs=1e-5)


def test_pairwise_alpha_equals_psych() -> None:
    """psych::alpha(d)$total$raw_alpha, d with missing cells"""
    frame = references.data("bfi")[["A2", "A3", "A4", "A5", "C1"]]
    assert reliability(covariance_of(items_of(frame), na="pairwise")).alpha == pytest.approx(
        0.656766177652, abs=1e-10
    )


def test_items_that_repeat_each_other_are_named() -> None:
    frame = scale("C")
    rng = np.random.default_rng(3)
    again = frame.assign(
        C1b=frame["C1"] + 0.2 * rng.standard_normal(len(frame)),
        C2b=frame["C2"] + 0.2 * rng.standard_normal(len(frame)),
    )
    (told,) = [w for w in reliability(covariance(again)).warnings if w.startswith("items repeat each other")]
    assert "C1 and C1b" in told
    assert not any(w.startswith("items repeat") for w in reliability(covariance(frame)).warnings)


def test_a_narrow_scale_is_said_to_repeat_itself() -> None:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        rng.standard_normal((300, 1)) + 0.5 * rng.standard_normal((300, 6)), columns=list("abcdef")
    )
    assert any("on average" in warning for warning in reliability(covariance(frame)).warnings)


def test_reordering_items_changes_no_coefficient() -> None:
    frame = references.data("pmq18")
    first = reliability(covariance(frame), factors=3)
    again = reliability(covariance(frame[frame.columns[::-1]]), factors=3)
    for name in ("alpha", "omega_total", "omega_hierarchical", "g6", "alpha_se"):
        assert getattr(again, name) == pytest.approx(getattr(first, name), abs=1e-6)
    assert again.alpha_if_dropped == pytest.approx(first.alpha_if_dropped, abs=1e-12)


def test_the_general_share_of_simulated_items_is_recovered() -> None:
    rng = np.random.default_rng(6)
    n, general, special = 4000, 0.6, 0.5
    groups = rng.standard_normal((n, 3)).repeat(4, axis=1)
    noise = np.sqrt(1 - general**2 - special**2) * rng.standard_normal((n, 12))
    answers = general * rng.standard_normal((n, 1)) + special * groups + noise
    found = reliability(covariance(pd.DataFrame(answers).add_prefix("q")), factors=3)
    total = 12**2 * general**2 + 3 * 4**2 * special**2 + 12 * (1 - general**2 - special**2)
    assert found.omega_hierarchical == pytest.approx(12**2 * general**2 / total, abs=0.03)
    assert found.omega_total == pytest.approx(1 - 12 * (1 - general**2 - special**2) / total, abs=0.01)


def test_the_sentence_is_in_apa_style() -> None:
    found = reliability(covariance_of(items_of(references.data("pmq18"))), factors=3)
    assert found.sentence() == (
        "Internal consistency of the 18 items was α = .87, 95% CI [.86, .89], ωₜ = .91, ωₕ = .64 (N = 500)."
    )
