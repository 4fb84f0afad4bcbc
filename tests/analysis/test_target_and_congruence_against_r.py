"""Target rotation, Procrustes and Tucker's congruence against GPArotation and psych 2.2.9."""

import numpy as np
import pandas as pd
import pytest

from analysis.congruence import align, compare, procrustes, tucker
from analysis.correlation import correlate
from analysis.efa import efa_of
from analysis.errors import UnknownName, UnusableColumn
from analysis.items import items_of
from analysis.rotation import UnusableRotation, rotate
from tests.analysis import references

REFERENCE = references.values("target_congruence")
UNROTATED = references.matrix(REFERENCE["unrotated"])
FREE = np.zeros((18, 3))
WHOLE = np.zeros((18, 3))
for _factor in range(3):
    FREE[6 * _factor : 6 * _factor + 6, _factor] = np.nan
    WHOLE[6 * _factor : 6 * _factor + 6, _factor] = 0.7


def test_oblique_rotation_to_a_partial_target_equals_gparotation() -> None:
    """targetQ(L, Target=T, eps=1e-7, maxit=20000); T is NA where free, 0 elsewhere; tolerance 1e-4"""
    made = rotate(UNROTATED, "target", target=FREE)
    assert made.converged
    assert np.abs(made.loadings - references.matrix(REFERENCE["targetQ"]["loadings"])).max() < 1e-4
    assert np.abs(made.phi - references.matrix(REFERENCE["targetQ"]["Phi"])).max() < 1e-4


def test_orthogonal_rotation_to_a_partial_target_equals_gparotation() -> None:
    """targetT(L, Target=T, eps=1e-7, maxit=20000)"""
    made = rotate(UNROTATED, "target-orthogonal", target=FREE)
    assert np.abs(made.loadings - references.matrix(REFERENCE["targetT"])).max() < 1e-4
    assert np.array_equal(made.phi, np.eye(3))


def test_procrustes_equals_psych() -> None:
    """psych::Procrustes(L, B)$loadings; B is .7 for an item's own factor, else 0"""
    assert np.abs(procrustes(UNROTATED, WHOLE) - references.matrix(REFERENCE["procrustes"])).max() < 1e-8


def test_halves_of_a_sample_are_as_congruent_as_psych_says() -> None:
    """factor.congruence(fa(cor(q[1:250,]),3,..), fa(cor(q[251:500,]),3,..)), rounded to two digits"""
    data = items_of(references.data("pmq18"))
    first, second = (efa_of(correlate(data.take(rows)), 3) for rows in (np.arange(250), np.arange(250, 500)))
    assert np.abs(tucker(first.loadings, references.matrix(REFERENCE["half1"])).max(axis=0) - 1).max() < 1e-8
    other = pd.DataFrame(second.loadings, index=second.items, columns=["x", "y", "z"])
    found = compare(first, other)
    expected = references.matrix(REFERENCE["congruence_halves"])
    rows = tucker(references.matrix(REFERENCE["half1"]), first.loadings).argmax(axis=1)
    columns = tucker(references.matrix(REFERENCE["half2"]), second.loadings).argmax(axis=1)
    assert np.abs(found.congruence[np.ix_(rows, columns)] - expected).max() < 5.1e-3
    assert min(value for _, value in found.paired.values()) > 0.95
    assert min(found.procrustes_congruence.values()) > 0.95


def test_published_loadings_are_matched_by_name_never_by_position() -> None:
    solution = efa_of(correlate(items_of(references.data("pmq18"))), 3)
    published = pd.DataFrame(WHOLE, index=solution.items, columns=["one", "two", "three"])
    straight = compare(solution, published)
    shuffled = compare(solution, published.sample(frac=1, random_state=4)[["three", "one", "two"]])
    for factor, (name, congruence) in straight.paired.items():
        assert shuffled.paired[factor] == (name, pytest.approx(congruence))
    fewer = compare(solution, published.rename(index={"q01": "somewhere"}))
    assert fewer.left_out == ("q01", "somewhere")
    assert "not in both: q01, somewhere" in fewer.summary()


def test_published_loadings_that_cannot_be_used_are_refused_by_name() -> None:
    solution = efa_of(correlate(items_of(references.data("pmq18"))), 3)
    published = pd.DataFrame(WHOLE, index=solution.items, columns=["one", "two", "three"])
    with pytest.raises(UnknownName, match="here: q01"):
        compare(solution, published.rename(index=lambda name: f"x{name}"))
    with pytest.raises(UnusableColumn, match="two"):
        compare(solution, published.assign(two=np.nan))
    with pytest.raises(UnusableColumn, match="q02"):
        compare(solution, published.rename(index={"q01": "q02"}))


def test_aligning_undoes_swaps_and_signs_and_takes_the_factor_correlations_along() -> None:
    solution = efa_of(correlate(items_of(references.data("pmq18"))), 3)
    order, signs = np.array([2, 0, 1]), np.array([1.0, -1.0, -1.0])
    moved = (solution.loadings[:, order] * signs)[np.newaxis]
    turned = (solution.phi[np.ix_(order, order)] * np.outer(signs, signs))[np.newaxis]
    found = align(moved, turned, solution.loadings)
    assert np.allclose(found.loadings[0], solution.loadings)
    assert np.allclose(found.phi[0], solution.phi)
    assert np.allclose(found.congruence, 1)


@pytest.mark.parametrize(
    ("rotation", "target", "told"),
    [
        ("target", None, "needs a target"),
        ("target", np.zeros((17, 3)), "17 by 3"),
        ("target", np.full((18, 3), np.nan), "at least one finite number"),
        ("oblimin", WHOLE, "uses no target"),
        ("oblimax", None, "there are: none, varimax"),
    ],
)
def test_a_rotation_that_cannot_be_made_says_why(rotation: str, target: np.ndarray | None, told: str) -> None:
    with pytest.raises(UnusableRotation, match=told):
        rotate(UNROTATED, rotation, target=target)
