"""Bootstrap intervals: the same seed the same, both ways of making correlations alike, faults counted."""

import numpy as np
import pandas as pd
import pytest

from analysis.bootstrap_factors import bootstrap_factors
from analysis.errors import TooFewData
from analysis.items import items_of
from tests.analysis import references


def grouped() -> pd.DataFrame:
    frame = references.data("pmq18").astype(float)
    frame["arm"] = np.random.default_rng(3).choice(["a", "b"], len(frame))
    return frame


def test_the_same_seed_gives_the_same_intervals_and_another_others() -> None:
    data = items_of(references.data("pmq18"))
    first, again, other = (bootstrap_factors(data, 3, seed=s, draws=60) for s in (1, 1, 2))
    assert np.array_equal(first.loadings_low, again.loadings_low)
    assert not np.array_equal(first.loadings_low, other.loadings_low)


def test_intervals_surround_the_loadings_and_name_every_one() -> None:
    found = bootstrap_factors(items_of(references.data("pmq18")), 3, seed=1, draws=400)
    solution = found.solution
    inside = (found.loadings_low < solution.loadings) & (solution.loadings < found.loadings_high)
    assert inside.mean() > 0.95
    assert len(found.to_frame()) == 54
    assert list(found.correlations()["first"]) == ["factor 1", "factor 1", "factor 2"]
    assert (found.congruence > 0.98).all()
    assert found.used == found.draws == 400
    assert "400 of 400 draws (seed 1)" in found.summary()


@pytest.mark.parametrize("condition", [None, "arm"])
def test_many_at_once_agrees_with_one_by_one(condition: str | None) -> None:
    """Standard errors of the batched way and of correlations made draw by draw, within a tenth."""
    frame = grouped() if condition else grouped().drop(columns="arm")
    data = items_of(frame, condition=condition)
    batched = bootstrap_factors(data, 3, seed=1, draws=300)
    single = bootstrap_factors(
        items_of(frame.mask(np.eye(*frame.shape, dtype=bool)), condition=condition, na="pairwise"),
        3, seed=1, draws=300,
    )  # fmt: skip
    assert np.abs(batched.loadings_se / single.loadings_se - 1).mean() < 0.1


@pytest.mark.parametrize("method", ["ml", "pa"])
def test_other_methods_are_drawn_too(method: str) -> None:
    found = bootstrap_factors(items_of(references.data("hs1939"), "x*"), 3, seed=1, draws=50, method=method)
    assert found.solution.method == method
    assert (found.loadings_low <= found.loadings_high).all()


@pytest.mark.parametrize("cor", ["spearman", "polychoric"])
def test_other_correlations_are_drawn_too(cor: str) -> None:
    found = bootstrap_factors(items_of(references.data("pmq18"), "q0*"), 2, seed=1, draws=50, cor=cor)
    assert found.used == 50
    assert found.solution.cor == cor


def test_a_factor_that_is_not_there_is_called_unstable() -> None:
    """Six factors where three are: what is found beyond them differs from draw to draw."""
    found = bootstrap_factors(items_of(references.data("pmq18")), 6, seed=1, draws=100)
    assert any(warning.startswith("unstable factor: ") for warning in found.warnings)
    assert found.heywood > 0
    assert any("Heywood" in warning for warning in found.warnings)


def test_too_few_draws_are_refused() -> None:
    with pytest.raises(TooFewData, match="ask for 50"):
        bootstrap_factors(items_of(references.data("pmq18")), 3, seed=1, draws=10)


def test_a_figure_shows_every_item() -> None:
    from analysis.figures import svg

    found = bootstrap_factors(items_of(references.data("hs1939"), "x*"), 3, seed=1, draws=60)
    drawn = svg(found.plot("simulated, effects planted"))
    assert drawn.startswith("<?xml")
    assert drawn == svg(found.plot("simulated, effects planted"))
