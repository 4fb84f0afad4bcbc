"""Covariances within conditions, and what is refused before any library sees it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.correlation import correlate, covariance, covariance_of
from analysis.errors import (
    CollinearColumns,
    ConstantColumn,
    DuplicateColumns,
    EmptyColumn,
    InfiniteCell,
    NotPositiveDefinite,
    TextCell,
    TooFewData,
)
from analysis.items import items_of
from tests.analysis import references


def two_groups(shift: float, n: int = 200) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(5)
    groups = pd.Series(["a", "b"] * (n // 2))
    values = rng.standard_normal((n, 3)) + shift * (groups == "b").to_numpy()[:, None]
    return pd.DataFrame(values, columns=["x", "y", "z"]), groups


def test_a_shift_between_conditions_makes_no_correlation_within() -> None:
    frame, groups = two_groups(shift=3)
    assert abs(covariance(frame).correlation[0, 1]) > 0.5
    assert abs(covariance(frame, groups).correlation[0, 1]) < 0.2


def test_within_covariance_is_that_of_residuals_over_n_minus_groups() -> None:
    frame, groups = two_groups(shift=1)
    found = covariance(frame, groups)
    residuals = frame - frame.groupby(groups).transform("mean")
    assert found.df == 198
    assert np.allclose(found.matrix, residuals.T @ residuals / 198)


def test_rows_with_a_missing_cell_are_counted_as_dropped() -> None:
    frame, groups = two_groups(shift=0)
    frame.loc[3, "y"] = np.nan
    found = covariance(frame, groups)
    assert (found.rows, found.dropped) == (199, 1)


def test_a_group_of_one_adds_nothing() -> None:
    frame, groups = two_groups(shift=0)
    groups.iloc[0] = "alone"
    found = covariance(frame, groups)
    assert "alone" not in found.groups
    assert found.df == 197


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (lambda d: d.assign(y=4.0), ConstantColumn, "everybody answered 4 in 'y'"),
        (lambda d: d.assign(y=d["x"]), DuplicateColumns, "'x' and 'y' are copies"),
        (lambda d: d.assign(y=5 - d["x"]), DuplicateColumns, "'x' and 'y' are mirrored copies"),
        (lambda d: d.assign(y="often"), TextCell, "'y' holds text"),
        (
            lambda d: d.assign(y=d["y"].where(d.index != 7, np.inf)),
            InfiniteCell,
            "'y' is infinite in row 7",
        ),
        (
            lambda d: d.assign(w=d["x"] + d["y"] + d["z"]),
            CollinearColumns,
            "x, y, z, w one is a weighted sum",
        ),
        (lambda d: d.head(4), TooFewData, "degrees of freedom"),
        (lambda d: d.assign(y=np.nan), EmptyColumn, "nobody answered 'y'"),
    ],
)
def test_bad_columns_are_refused_by_name(change, error, words: str) -> None:
    frame, groups = two_groups(shift=0)
    with pytest.raises(error, match=words):
        covariance(change(frame), groups)


def bfi() -> pd.DataFrame:
    return references.data("bfi")[["A2", "A3", "A4", "A5", "C1"]]


@pytest.mark.parametrize(
    ("kind", "na", "row"),
    [
        # cor(d, use="pairwise")
        ("pearson", "pairwise", [0.485098038519, 0.335087207832, 0.390083584301, 0.092374323515]),
        # cor(d, use="pairwise", method="spearman")
        ("spearman", "pairwise", [0.500650826443, 0.339220921161, 0.404890526432, 0.110872493022]),
        # cor(na.omit(d), method="spearman")
        ("spearman", "listwise", [0.502933595131, 0.343238608564, 0.402430927449, 0.111628574223]),
    ],
)
def test_correlations_of_one_group_equal_r(kind, na, row: list[float]) -> None:
    found = correlate(items_of(bfi()), kind, na=na)
    assert np.abs(found.matrix[0, 1:] - row).max() < 1e-11
    assert found.basis == "one group"


def test_pairwise_covariances_equal_r() -> None:
    """cov(d, use="pairwise")"""
    found = covariance_of(items_of(bfi()), na="pairwise")
    expected = [1.373630696746, 0.741629027461, 0.582148334663, 0.576094732869, 0.134276225136]
    assert np.abs(found.matrix[0] - expected).max() < 1e-11


def test_correlations_within_groups_equal_those_of_residuals() -> None:
    """g <- rep(c("a", "b"), length.out = 500); cor(residuals(lm(as.matrix(q[, 1:4]) ~ g)))"""
    frame = references.data("pmq18").iloc[:, :4].assign(g=["a", "b"] * 250)
    found = correlate(items_of(frame, condition="g"))
    expected = [1, 0.470134908293, 0.393126703445, 0.482903981031]
    assert np.abs(found.matrix[0] - expected).max() < 1e-11
    assert (found.n, found.basis) == (499, "within conditions")


def test_a_pairwise_matrix_that_is_none_is_refused() -> None:
    rng = np.random.default_rng(2)
    base = rng.standard_normal(90)
    frame = pd.DataFrame({"a": base, "b": base, "c": base}) + 0.05 * rng.standard_normal((90, 3))
    frame.loc[:29, "c"] = np.nan
    frame.loc[30:59, "b"] = np.nan
    frame.loc[60:, "a"] = np.nan
    # a and b agree where both are there, b and c too, but a and c run against each other.
    frame.loc[30:59, "c"] *= -1
    with pytest.raises(NotPositiveDefinite, match="--na listwise"):
        correlate(items_of(frame), na="pairwise")


@given(order=st.permutations(list("abcd")), scale=st.lists(st.floats(0.01, 100), min_size=4, max_size=4))
@settings(max_examples=30, deadline=None)
def test_reordering_and_rescaling_columns_changes_only_names(order: list[str], scale: list[float]) -> None:
    rng = np.random.default_rng(8)
    frame = pd.DataFrame(rng.standard_normal((60, 4)) + rng.standard_normal((60, 1)), columns=list("abcd"))
    for kind in ("pearson", "spearman"):
        found = correlate(items_of(frame), kind).to_frame()
        again = correlate(items_of(frame[order] * pd.Series(scale, index=list("abcd"))[order]), kind)
        assert again.names == tuple(order)
        assert np.allclose(again.to_frame().loc[list("abcd"), list("abcd")], found, atol=1e-10)
