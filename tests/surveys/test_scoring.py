"""Scores against sums done by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.scale_file import load
from surveys.scoring import reversed_value, score


def test_pmq_subscales_are_means_of_their_items():
    pmq = load("pmq")
    values = {item.key: 4.0 for item in pmq.items} | {
        "competent": 7.0,
        "vague": 1.0,
        "warm": 1.0,
        "flexible": 7.0,
    }
    scores = score(pmq, values)
    assert scores["competence"] == pytest.approx((7 + 8 * 4) / 9)
    assert scores["human_likeness"] == pytest.approx((1 + 5 * 4) / 6)
    assert scores["flexibility"] == pytest.approx((7 + 4 + 4) / 3)


def test_reversed_items_are_turned_before_the_mean():
    fhs = load("fhs7")
    values = {
        "voice": 7,
        "self_concern": 1,
        "listened": 6,
        "empathy": 5,
        "insensitive": 2,
        "respect": 7,
        "understood": 4,
    }
    # Turned: self_concern 7, insensitive 6; (7+7+6+5+6+7+4)/7 = 6.
    assert score(fhs, values) == {"heard": 6.0, "attention": pytest.approx((7 + 7 + 6 + 7) / 4)}
    assert reversed_value(fhs, "self_concern", 1) == 7
    assert reversed_value(fhs, "voice", 1) == 1


def test_a_mean_needs_its_minimum_of_answers():
    fhs = load("fhs7")
    five = {"voice": 7, "self_concern": 1, "listened": 7, "empathy": 7, "insensitive": 1}
    assert score(fhs, five)["heard"] == 7
    four = {key: value for key, value in five.items() if key != "empathy"}
    assert score(fhs, four) == {"heard": None, "attention": 7}
    assert score(fhs, {}) == {"heard": None, "attention": None}


def test_does_not_fit_is_missing_and_zero_is_a_value():
    mdmt = load("mdmt")
    values = {"sincere_1": 0, "sincere_2": 0, "sincere_3": None, "sincere_4": None}
    assert score(mdmt, values)["sincere"] == 0
    assert score(mdmt, {"sincere_1": 7, "sincere_2": None})["sincere"] is None
    full = {
        f"{d}_{i}": v
        for d, v in {"reliable": 2, "capable": 4, "ethical": 6, "sincere": 7}.items()
        for i in range(1, 5)
    }
    assert score(mdmt, full) == {
        "reliable": 2,
        "capable": 4,
        "ethical": 6,
        "sincere": 7,
        "capacity": 3,
        "moral": 6.5,
    }


def test_sums_need_every_item():
    ucla = load("ucla3")
    assert score(ucla, {"companionship": 1, "left_out": 2, "isolated": 3}) == {"loneliness": 6}
    assert score(ucla, {"companionship": 1, "left_out": 2, "isolated": None}) == {"loneliness": None}


def test_a_percent_score_is_over_the_possible_range():
    mos = load("mos_es")
    # 0-100 = (mean - 1) / 4 * 100; mean of 4 threes and 4 fours is 3.5.
    values = {f"i{i}": 3 if i <= 4 else 4 for i in range(1, 9)}
    assert score(mos, values) == {"emotional_support": pytest.approx(62.5)}


def test_texts_never_count_as_numbers():
    assert score(load("loneliness_state"), {"lonely": "50"}) == {"loneliness": None}
    assert score(load("loneliness_state"), {"lonely": 50.0}) == {"loneliness": 50}


@given(st.lists(st.integers(1, 7), min_size=7, max_size=7))
def test_turning_twice_changes_nothing_and_means_stay_in_range(numbers):
    fhs = load("fhs7")
    values = dict(zip([item.key for item in fhs.items], numbers, strict=True))
    assert 1 <= score(fhs, values)["heard"] <= 7
    for key, value in values.items():
        assert reversed_value(fhs, key, reversed_value(fhs, key, value)) == value


def test_an_unknown_item_is_named():
    with pytest.raises(KeyError, match="scale 'fhs7' has no item 'voise'"):
        reversed_value(load("fhs7"), "voise", 3)
