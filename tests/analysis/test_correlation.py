"""Covariances within conditions, and what is refused before any library sees it."""

import numpy as np
import pandas as pd
import pytest

from analysis.correlation import covariance
from analysis.errors import (
    CollinearColumns,
    ConstantColumn,
    DuplicateColumns,
    EmptyColumn,
    InfiniteCell,
    TextCell,
    TooFewData,
)


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
