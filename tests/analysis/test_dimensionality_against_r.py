"""KMO, Bartlett and parallel analysis against psych 2.2.9."""

import numpy as np
import pytest

from analysis.adequacy import adequacy
from analysis.dimensionality import one_factor, parallel_analysis
from analysis.efa import efa
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
