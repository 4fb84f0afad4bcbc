"""The one object for items: chosen by name, taken by row, never mixed up by position."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.errors import UnknownName, UnusableColumn
from analysis.items import ItemData, items_of, matching
from analysis.validation import faults


def small() -> ItemData:
    frame = pd.DataFrame(
        {"pmq_warm": [1, 2, np.nan], "pmq_social": [4, 5, 6], "trust": [7, 7, 1], "arm": ["a", "b", "b"]}
    )
    return items_of(frame, condition="arm", bounds=(1, 7))


def test_patterns_keep_the_order_they_are_asked_in() -> None:
    assert small().select("trust,pmq_*").names == ("trust", "pmq_warm", "pmq_social")
    assert small().select(["pmq_s*", "trust"]).values.tolist() == [[4, 7], [5, 7], [6, 1]]


def test_a_name_asked_twice_is_there_once() -> None:
    assert small().select("trust,t*,trust").names == ("trust",)


def test_a_name_with_signs_of_patterns_is_taken_as_it_stands() -> None:
    assert matching("Q1[2]", ["Q1[1]", "Q1[2]", "Q12"], "data") == [1]


def test_patterns_tell_capitals_apart() -> None:
    with pytest.raises(UnknownName, match="PMQ"):
        small().select("PMQ_*")


def test_complete_rows_keep_their_groups_and_places() -> None:
    found = small().complete()
    assert (found.n, found.groups, found.rows) == (2, ("a", "b"), ("row 0", "row 1"))


def test_rows_can_be_drawn_again_and_again() -> None:
    found = small().take(np.array([2, 2, 0]))
    assert found.groups == ("b", "b", "a")
    assert found.values[:, 1].tolist() == [6, 6, 4]


def test_two_items_of_one_name_are_refused() -> None:
    with pytest.raises(UnusableColumn, match="more than one column is named x"):
        ItemData(("x", "x"), np.zeros((3, 2)))


def test_lists_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="2 groups for 3 rows"):
        ItemData(("x",), np.zeros((3, 1)), groups=("a", "b"))


def test_a_value_labelled_as_no_answer_is_told() -> None:
    labels = ({1.0: "never", 5.0: "Don't know"},)
    found = faults(ItemData(("x",), np.array([[1.0], [5.0], [2.0]]), labels=labels))
    assert [fault.name for fault in found] == ["label of no answer"]
    assert "row 2" in found[0].message


@given(st.permutations(["pmq_warm", "pmq_social", "trust"]))
@settings(deadline=None)
def test_values_follow_their_names(order: list[str]) -> None:
    items = small()
    again = items.select(order)
    for name in order:
        column, there = again.values[:, order.index(name)], items.values[:, items.names.index(name)]
        assert np.array_equal(column, there, equal_nan=True)
