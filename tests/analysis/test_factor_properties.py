"""What must hold of every factor analysis, whatever the data."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.bootstrap_factors import bootstrap_factors
from analysis.congruence import align, tucker
from analysis.correlation import correlate
from analysis.efa import efa_of
from analysis.factor_minres import minres_stack
from analysis.items import items_of
from analysis.rotation import OBLIQUE, ROTATIONS, rotate, rotate_stack

FREE_ROTATIONS = [name for name in ROTATIONS if not name.startswith("target")]
SEEDS = st.integers(0, 10_000)


def loadings_of(seed: int, items: int, factors: int) -> np.ndarray:
    """Loadings with communalities below one and something for every factor."""
    rng = np.random.default_rng(seed)
    made = rng.uniform(-0.2, 0.2, (items, factors))
    made[np.arange(items), np.arange(items) % factors] += rng.uniform(0.4, 0.75, items)
    return made


def answers(seed: int, n: int = 400, items: int = 9, factors: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    loadings = loadings_of(seed, items, factors)
    noise = np.sqrt(1 - np.minimum((loadings**2).sum(axis=1), 0.95))
    drawn = rng.standard_normal((n, factors)) @ loadings.T + rng.standard_normal((n, items)) * noise
    return pd.DataFrame(drawn, columns=[f"q{i + 1}" for i in range(items)])


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(6, 14), st.integers(2, 4), st.sampled_from(FREE_ROTATIONS))
def test_rotations_keep_communalities_and_what_the_model_says(
    seed: int, items: int, factors: int, rotation: str
) -> None:
    loadings = loadings_of(seed, items, factors)
    made = rotate(loadings, rotation)
    assert np.allclose(made.loadings @ made.phi @ made.loadings.T, loadings @ loadings.T, atol=1e-10)
    assert np.allclose(np.diag(made.phi), 1)
    if rotation not in OBLIQUE:
        assert np.array_equal(made.phi, np.eye(factors))


@settings(max_examples=15, deadline=None)
@given(SEEDS, st.sampled_from(["target", "target-orthogonal"]))
def test_target_rotations_keep_communalities_too(seed: int, rotation: str) -> None:
    loadings = loadings_of(seed, 9, 3)
    target = np.where(np.arange(9)[:, None] % 3 == np.arange(3), np.nan, 0.0)
    made = rotate(loadings, rotation, target=target)
    assert np.allclose(made.loadings @ made.phi @ made.loadings.T, loadings @ loadings.T, atol=1e-10)


@settings(max_examples=15, deadline=None)
@given(SEEDS, st.sampled_from(["minres", "ml", "pa"]), st.sampled_from(["oblimin", "varimax", "promax"]))
def test_reordering_columns_changes_only_their_order(seed: int, method: str, rotation: str) -> None:
    frame = answers(seed)
    order = np.random.default_rng(seed).permutation(frame.shape[1])
    first = efa_of(correlate(items_of(frame)), 3, method=method, rotation=rotation)
    second = efa_of(correlate(items_of(frame.iloc[:, order])), 3, method=method, rotation=rotation)
    assert second.items == tuple(first.items[i] for i in order)
    back = np.argsort(order)
    moved = align(second.loadings[back][None], second.phi[None], first.loadings)
    # The optimiser's own tolerance; rotations stop where GPArotation stops.
    assert np.abs(moved.loadings[0] - first.loadings).max() < 2e-4
    assert np.abs(moved.phi[0] - first.phi).max() < 5e-4
    assert second.fit.chi2 == pytest.approx(first.fit.chi2, abs=1e-2)


@settings(max_examples=15, deadline=None)
@given(SEEDS, st.lists(st.floats(0.01, 1000), min_size=9, max_size=9), st.floats(-1000, 1000))
def test_units_and_zero_points_of_columns_change_nothing(seed: int, units: list[float], zero: float) -> None:
    frame = answers(seed)
    first = efa_of(correlate(items_of(frame)), 3)
    second = efa_of(correlate(items_of(frame * units + zero)), 3)
    assert np.abs(second.loadings - first.loadings).max() < 1e-5
    assert np.abs(second.phi - first.phi).max() < 1e-5


@pytest.mark.parametrize("method", ["minres", "ml", "pa"])
@pytest.mark.parametrize("rotation", ["oblimin", "geomin", "promax"])
def test_simulated_truth_is_recovered(method: str, rotation: str) -> None:
    """20,000 answers to 12 items of three correlated factors: loadings within .04, correlations .06."""
    rng = np.random.default_rng(12)
    truth = np.zeros((12, 3))
    truth[np.arange(12), np.repeat([0, 1, 2], 4)] = rng.uniform(0.5, 0.85, 12)
    phi = np.array([[1, 0.5, 0.2], [0.5, 1, 0.35], [0.2, 0.35, 1]])
    factors = rng.multivariate_normal(np.zeros(3), phi, 20_000)
    noise = np.sqrt(1 - (truth**2).sum(axis=1))
    drawn = factors @ truth.T + rng.standard_normal((20_000, 12)) * noise
    found = efa_of(
        correlate(items_of(pd.DataFrame(drawn, columns=[f"q{i}" for i in range(12)]))),
        3, method=method, rotation=rotation,
    )  # fmt: skip
    moved = align(found.loadings[None], found.phi[None], truth)
    assert np.abs(moved.loadings[0] - truth).max() < 0.04
    assert np.abs(moved.phi[0] - phi).max() < 0.06
    assert np.abs(found.communalities - (truth**2).sum(axis=1)).max() < 0.04
    assert found.fit.rmsea is not None
    assert found.fit.rmsea < 0.02


def test_within_conditions_the_manipulation_makes_no_factor() -> None:
    """Two unrelated factors; a condition that lifts all items: pooled they correlate, within they do not."""
    frame = answers(3, n=2000, items=8, factors=2)
    arms = np.random.default_rng(1).choice(["a", "b"], 2000)
    frame = frame.add(np.where(arms == "b", 1.5, 0), axis=0)
    frame["arm"] = arms
    data = items_of(frame, condition="arm")
    within = efa_of(correlate(data), 2)
    pooled = efa_of(correlate(data, within=False), 2)
    assert abs(within.phi[0, 1]) < 0.2
    assert pooled.phi[0, 1] > within.phi[0, 1] + 0.2
    assert within.n == 1999
    assert "within" in within.basis


@settings(max_examples=10, deadline=None)
@given(SEEDS)
def test_a_stack_is_what_each_of_its_matrices_is_alone(seed: int) -> None:
    frames = [answers(seed + i) for i in range(4)]
    stack = np.array([np.corrcoef(frame.to_numpy(), rowvar=False) for frame in frames])
    found = minres_stack(stack, 3)
    turned = rotate_stack(found.loadings, "oblimin")
    for i in range(4):
        alone = minres_stack(stack[i : i + 1], 3)
        assert np.abs(alone.loadings[0] - found.loadings[i]).max() < 1e-8
        assert np.abs(rotate(alone.loadings[0], "oblimin").loadings - turned.loadings[i]).max() < 1e-6


def test_the_batched_minres_equals_factor_analyzer() -> None:
    """On 60 bootstrap draws of the reference data, to 1e-5."""
    from analysis.extraction import extract
    from tests.analysis import references

    values = references.data("pmq18").to_numpy(float)
    rng = np.random.default_rng(4)
    draws = [values[rng.integers(0, len(values), len(values))] for _ in range(60)]
    stack = np.array([np.corrcoef(draw, rowvar=False) for draw in draws])
    found = minres_stack(stack, 3)
    assert found.converged.all()
    for matrix, loadings in zip(stack, found.loadings, strict=True):
        assert np.abs(extract(matrix, 3, "minres").loadings - loadings).max() < 1e-5


def test_the_batched_minres_stops_at_the_bound_of_a_heywood_case() -> None:
    rng = np.random.default_rng(2)
    stack = []
    for _ in range(40):
        loadings = rng.uniform(-0.2, 0.8, (8, 2))
        drawn = rng.standard_normal((60, 2)) @ loadings.T + rng.standard_normal((60, 8)) * 0.7
        stack.append(np.corrcoef(drawn, rowvar=False))
    found = minres_stack(np.array(stack), 3)
    assert found.converged.mean() > 0.95
    assert (found.uniquenesses >= 0.005).all()
    assert (found.uniquenesses <= 0.0051).any()
    assert np.isfinite(found.loadings).all()


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    """40 samples of 300: of 6 loadings each, the 90 % intervals hold 83 to 96 %."""
    truth = np.array([0.8, 0.7, 0.6, 0.7, 0.5, 0.6])
    held = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        drawn = rng.standard_normal((300, 1)) * truth + rng.standard_normal((300, 6)) * np.sqrt(1 - truth**2)
        data = items_of(pd.DataFrame(drawn, columns=list("abcdef")))
        found = bootstrap_factors(data, 1, seed=seed, draws=300, confidence=0.9)
        held.append((found.loadings_low[:, 0] <= truth) & (truth <= found.loadings_high[:, 0]))
    assert 0.83 < np.mean(held) < 0.96


def test_congruence_does_not_depend_on_lengths() -> None:
    loadings = loadings_of(5, 9, 3)
    assert np.allclose(tucker(loadings * [2, 0.1, 7], loadings), tucker(loadings, loadings))
