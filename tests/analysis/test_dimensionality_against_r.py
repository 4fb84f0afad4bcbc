"""KMO, Bartlett, parallel analysis, MAP and VSS against psych 2.2.9."""

import numpy as np
import pandas as pd
import pytest

from analysis.adequacy import adequacy
from analysis.dimensionality import one_factor, parallel_analysis
from analysis.efa import efa
from analysis.items import items_of
from analysis.partial_correlations import minimum_average_partial
from analysis.retention import retention
from analysis.simple_structure import very_simple_structure
from tests.analysis import references

STUDIES = ["bfi", "pmq18", "hs1939"]


@pytest.mark.parametrize("name", STUDIES)
def test_kmo_and_bartlett_equal_psych(name: str) -> None:
    """psych::KMO(R), psych::cortest.bartlett(R, n)"""
    reference = references.values(f"{name}_efa")
    items = tuple(reference["R"]["rows"])
    found = adequacy(references.matrix(reference["R"]), reference["n"], items)
    assert found.kmo == pytest.approx(reference["kmo"]["overall"], abs=1e-9)
    for item, value in reference["kmo"]["items"].items():
        assert found.kmo_items[item] == pytest.approx(value, abs=1e-9)
    assert found.chi2 == pytest.approx(reference["bartlett"]["chisq"], rel=1e-9)
    assert found.df == reference["bartlett"]["df"]


@pytest.mark.parametrize("name", STUDIES)
def test_parallel_analysis_agrees_with_psych(name: str) -> None:
    """psych::fa.parallel(d, fm="minres", fa="both", n.iter=500, sim=TRUE, quant=.95); fa_sim are means."""
    reference = references.values(f"{name}_efa")
    expected = reference["parallel"]
    found = parallel_analysis(references.matrix(reference["R"]), reference["n"], seed=1)
    assert np.abs(np.array(found.factor_observed) - expected["fa_values"]).max() < 1e-5
    assert np.abs(np.array(found.component_observed) - expected["pc_values"]).max() < 1e-8
    assert np.abs(np.array(found.factor_mean) - expected["fa_sim"]).max() < 0.05
    assert found.factors == expected["nfact"]
    assert found.components == expected["ncomp"]


def test_the_same_seed_gives_the_same_eigenvalues_and_another_seed_others() -> None:
    correlation = references.matrix(references.values("hs1939_efa")["R"])
    first, again, other = (parallel_analysis(correlation, 301, seed=s, sets=20) for s in (4, 4, 5))
    assert first == again
    assert first.factor_random != other.factor_random


def test_one_factor_by_coordinates_equals_the_fitted_one() -> None:
    reference = references.values("pmq18_efa")
    correlation = references.matrix(reference["R"])
    fitted = efa(correlation, 500, 1, items=tuple(reference["R"]["rows"]))
    assert np.abs(one_factor(correlation[np.newaxis])[0] - fitted.loadings[:, 0]).max() < 1e-4


def test_noise_has_no_factor() -> None:
    draws = np.random.default_rng(3).standard_normal((400, 8))
    assert parallel_analysis(np.corrcoef(draws, rowvar=False), 400, seed=1, sets=200).factors == 0


@pytest.mark.parametrize("name", STUDIES)
def test_shuffled_answers_agree_with_psych(name: str) -> None:
    """psych::fa.parallel(...)$fa.simr, $pc.simr: means over sets of shuffled columns."""
    reference = references.values(f"{name}_efa")
    answers = references.data(name)[reference["R"]["rows"]].dropna()
    found = parallel_analysis(
        references.matrix(reference["R"]), reference["n"], seed=1, sets=100, data=items_of(answers)
    )
    expected = reference["parallel"]
    assert np.abs(np.array(found.factor_resampled_mean) - expected["fa_simr"]).max() < 0.05
    assert np.abs(np.array(found.component_resampled_mean) - expected["pc_simr"]).max() < 0.05
    assert np.abs(np.array(found.component_mean) - expected["pc_sim"]).max() < 0.05


@pytest.mark.parametrize("name", STUDIES)
def test_the_minimum_average_partial_equals_psych(name: str) -> None:
    """psych::VSS(R, n=8, n.obs=n, fm="minres", rotate="varimax")$map, which begins with one component"""
    reference = references.values(f"{name}_efa")
    found = minimum_average_partial(references.matrix(reference["R"]))
    expected = [value for value in reference["map"] if value is not None]
    assert np.abs(np.array(found.averages[1:]) - expected).max() < 1e-9
    assert found.components == int(np.argmin(expected)) + 1


@pytest.mark.parametrize("name", STUDIES)
def test_very_simple_structure_equals_psych(name: str) -> None:
    """psych::VSS(R, n=8, n.obs=n, fm="minres", rotate="varimax")$cfit.1; ours ends with df < 0"""
    reference = references.values(f"{name}_efa")
    found = very_simple_structure(references.matrix(reference["R"]))
    assert np.abs(np.array(found.first) - reference["vss1"][: len(found.first)]).max() < 2e-5


def simulated(factors: int, seed: int, n: int = 600) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    traits = rng.standard_normal((n, factors)).repeat(5, axis=1)
    answers = 0.75 * traits + np.sqrt(1 - 0.75**2) * rng.standard_normal((n, 5 * factors))
    return pd.DataFrame(answers, columns=[f"q{i}" for i in range(5 * factors)])


@pytest.mark.parametrize("factors", [1, 2, 4])
def test_parallel_analysis_and_map_find_the_factors_there_are(factors: int) -> None:
    found = retention(items_of(simulated(factors, seed=factors)), sets=100)
    kept = found.to_frame().set_index("criterion")["factors"]
    assert set(kept[kept.index.str.contains("parallel|minimum")]) == {factors}


def test_criteria_within_conditions_do_not_count_the_manipulation() -> None:
    frame = simulated(2, seed=9)
    arm = np.where(np.arange(len(frame)) % 2, "warm", "plain")
    frame.iloc[:, ::2] += 3.0 * (arm == "warm")[:, np.newaxis]
    within = retention(items_of(frame.assign(arm=arm), condition="arm"), sets=50)
    pooled = retention(items_of(frame.assign(arm=arm), condition="arm"), within=False, sets=50)
    assert within.suggested == 2
    assert pooled.suggested == 3


def test_noise_is_said_to_be_noise() -> None:
    noise = pd.DataFrame(np.random.default_rng(4).standard_normal((80, 6)), columns=list("abcdef"))
    assert any("Bartlett" in told or "KMO" in told for told in retention(items_of(noise), sets=20).warnings)
