"""Minres and oblimin equal R: psych::fa(R, k, fm="minres", rotate="oblimin", n.obs=n), psych 2.2.9."""

import numpy as np
import pytest

from analysis.congruence import match, tucker
from analysis.efa import FactorSolution, efa
from analysis.errors import NotPositiveDefinite, TooFewData
from tests.analysis import references

STUDIES = [("bfi", 5), ("pmq18", 3), ("hs1939", 3)]


def fit(name: str, factors: int) -> tuple[FactorSolution, dict]:
    reference = references.values(f"{name}_efa")
    correlation = references.matrix(reference["R"])
    items = tuple(reference["R"]["rows"])
    return efa(correlation, reference["n"], factors, items=items), reference["efa"]["minres_oblimin"]


def aligned(solution: FactorSolution, expected: np.ndarray) -> list[int]:
    """Our factor for each of theirs; the order is by sums of squares, which may tie."""
    return [int(column) for column in np.abs(tucker(expected, solution.loadings)).argmax(axis=1)]


@pytest.mark.parametrize(("name", "factors"), STUDIES)
def test_loadings_equal_psych_with_signs(name: str, factors: int) -> None:
    solution, expected = fit(name, factors)
    loadings = references.matrix(expected["loadings"])
    order = aligned(solution, loadings)
    assert sorted(order) == list(range(factors))
    assert np.abs(solution.loadings[:, order] - loadings).max() < 2e-5


@pytest.mark.parametrize(("name", "factors"), STUDIES)
def test_factor_correlations_belong_to_the_columns_they_stand_beside(name: str, factors: int) -> None:
    solution, expected = fit(name, factors)
    order = aligned(solution, references.matrix(expected["loadings"]))
    assert np.abs(solution.phi[np.ix_(order, order)] - references.matrix(expected["Phi"])).max() < 2e-5


@pytest.mark.parametrize(("name", "factors"), STUDIES)
def test_communalities_are_those_of_correlated_factors(name: str, factors: int) -> None:
    solution, expected = fit(name, factors)
    assert np.abs(solution.communalities - list(expected["communality"].values())).max() < 2e-5
    assert np.abs(solution.uniquenesses - list(expected["uniquenesses"].values())).max() < 2e-5


@pytest.mark.parametrize(("name", "factors"), STUDIES)
def test_both_shares_of_variance_equal_psych(name: str, factors: int) -> None:
    solution, expected = fit(name, factors)
    table = references.matrix(expected["Vaccounted"])
    order = aligned(solution, references.matrix(expected["loadings"]))
    assert np.abs(solution.sum_of_squares[order] - table[0]).max() < 1e-4
    assert np.abs(solution.share_of_total[order] - table[1]).max() < 1e-5
    assert np.abs(solution.share_of_explained[order] - table[3]).max() < 1e-5
    assert solution.share_of_explained.sum() == pytest.approx(1)


@pytest.mark.parametrize(("name", "factors"), STUDIES)
def test_residuals_and_degrees_of_freedom_equal_psych(name: str, factors: int) -> None:
    solution, expected = fit(name, factors)
    assert solution.df == expected["dof"]
    assert solution.rmsr == pytest.approx(expected["rms"], abs=1e-6)


def test_factors_come_in_falling_order_with_positive_sums() -> None:
    solution, _ = fit("bfi", 5)
    assert (np.diff(solution.sum_of_squares) <= 0).all()
    assert (solution.loadings.sum(axis=0) > 0).all()


def test_one_factor_has_no_rotation_and_a_positive_sign() -> None:
    correlation = np.full((4, 4), 0.36) + 0.64 * np.eye(4)
    solution = efa(correlation, 100, 1, items=("a", "b", "c", "d"))
    assert solution.rotation == "none"
    assert np.allclose(solution.loadings[:, 0], 0.6, atol=1e-4)


def test_a_heywood_case_is_flagged_by_name() -> None:
    # One factor with loadings .8, .8 and 1.05: no proper solution exists.
    loadings = np.array([0.8, 0.8, 0.9, 0.1])
    correlation = np.outer(loadings, loadings)
    np.fill_diagonal(correlation, 1)
    correlation[0, 2] = correlation[2, 0] = correlation[1, 2] = correlation[2, 1] = 0.84
    solution = efa(correlation, 100, 1, items=("a", "b", "c", "d"))
    assert solution.heywood == ("c",)
    assert "Heywood" in solution.warnings[0]


def test_more_factors_than_items_can_hold_are_refused() -> None:
    with pytest.raises(TooFewData, match="df = -"):
        efa(np.eye(4), 100, 3, items=("a", "b", "c", "d"))


def test_a_singular_matrix_is_refused() -> None:
    with pytest.raises(NotPositiveDefinite, match="singular"):
        efa(np.ones((4, 4)), 100, 1, items=("a", "b", "c", "d"))


def test_matching_by_name_finds_the_planted_groups_in_any_order() -> None:
    solution, _ = fit("pmq18", 3)
    groups = {
        "third": solution.items[12:], "first": solution.items[:6], "second": solution.items[6:12]
    }  # fmt: skip
    matched = match(solution, groups)
    assert matched.solution.factors == ("third", "first", "second")
    assert matched.misplaced == ()
    assert min(matched.congruence.values()) > 0.95


def test_congruence_equals_psych() -> None:
    """psych::factor.congruence(fa(cor(q[1:250,]),3,..), fa(cor(q[251:500,]),3,..)), rounded to two digits."""
    reference = references.values("target_congruence")
    found = tucker(references.matrix(reference["half1"]), references.matrix(reference["half2"]))
    assert np.abs(found - references.matrix(reference["congruence_halves"])).max() < 5.1e-3
