"""Items one by one: statistics of psych, floor and ceiling, missing patterns, histograms."""

import numpy as np
import pandas as pd
import pytest

from analysis.describe import describe
from analysis.figures import svg
from analysis.items import items_of
from analysis.missing import missing_patterns
from tests.analysis import references


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        # psych::describe(bfi[, c("A1", "C5")]), psych 2.2.9
        ("A1", (2784, 2.41343390805, 1.40773715052, 2, 0.8250435599888, -0.307639465713, 1, 6)),
        ("C5", (2784, 3.29669540230, 1.62854186798, 3, 0.0661671555123, -1.216669359087, 1, 6)),
    ],
)
def test_statistics_equal_psych(item: str, expected: tuple[float, ...]) -> None:
    row = describe(items_of(references.data("bfi")[["A1", "C5"]])).table.set_index("item").loc[item]
    names = ["n", "mean", "sd", "median", "skew", "kurtosis", "min", "max"]
    assert np.abs(row[names].astype(float).to_numpy() - expected).max() < 1e-10


def test_item_rest_correlations_equal_psych() -> None:
    """psych::alpha(q)$item.stats$r.drop"""
    found = describe(items_of(references.data("pmq18"))).table.set_index("item")["item_rest"]
    expected = references.values("reliability")["alpha_pmq"]["all"]["r_drop"]
    assert found.to_dict() == pytest.approx(expected, abs=1e-9)


def test_floor_and_ceiling_are_shares_at_the_bounds() -> None:
    frame = pd.DataFrame({"a": [1] * 6 + [2, 3, 4, 5], "b": [2, 3, 4, 5, 6, 2, 3, 4, 5, 6]})
    found = describe(items_of(frame, bounds=(1, 7)))
    assert found.table["floor"].tolist() == [0.6, 0.0]
    assert found.table["ceiling"].tolist() == [0.0, 0.0]
    assert any(told.startswith("floor effect") and "a (60 %)" in told for told in found.warnings)
    assert not any(told.startswith("ceiling") for told in found.warnings)


def test_missing_patterns_count_rows_and_groups() -> None:
    frame = pd.DataFrame(
        {"a": [1, None, 3, None, None], "b": [2, 2, 1, 2, None], "arm": ["x", "x", "y", "y", "y"]}
    )
    found = missing_patterns(items_of(frame, condition="arm"))
    assert found.patterns == (((), 2), (("a",), 2), (("a", "b"), 1))
    assert found.by_item == {"a": 3, "b": 1}
    assert found.by_group[["rows", "complete", "missing_answers"]].values.tolist() == [[2, 1, 1], [3, 1, 3]]
    assert (found.complete, found.empty) == (2, 1)


def test_an_item_nobody_answered_has_no_statistics_and_a_warning() -> None:
    frame = pd.DataFrame({"a": [1, 2, 3, 4, 5], "b": [2, 1, 4, 3, 4], "c": [np.nan] * 5})
    found = describe(items_of(frame))
    row = found.table.set_index("item").loc["c"]
    assert (row["n"], row["missing"]) == (0, 5)
    assert row[["mean", "sd", "item_rest"]].isna().all()
    assert any(told.startswith("empty column") for told in found.warnings)


def test_histograms_carry_the_origin_of_the_data_and_are_the_same_each_time() -> None:
    frame = references.data("pmq18").assign(slider=np.linspace(0, 100, 500), none=np.nan)
    found = describe(items_of(frame))
    first, again = (
        svg(found.plot("simulated, nothing planted")),
        svg(found.plot("simulated, nothing planted")),
    )
    assert first == again
    assert first != svg(found.plot())
