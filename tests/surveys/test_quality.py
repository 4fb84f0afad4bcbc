"""Indices of care, counted over places as shown."""

from surveys.quality import Asking, Given, indices
from surveys.rendering import render
from surveys.scale_file import load, parse
from tests.surveys.cast import MIXED

WORDS = {"agent": "Juno"}


def pmq(places, times=None):
    """A PMQ page with the n-th item ticked at the n-th place (0 = leftmost)."""
    rendered = render(load("pmq"), seed=5, words=WORDS)
    given = {}
    for number, (item, place) in enumerate(zip(rendered["items"], places, strict=False)):
        ms = times[number] if times else None
        given[item["key"]] = Given("answered", float(item["options"][place]["value"]), ms)
    return Asking(rendered, given)


def test_one_place_all_the_way_down_is_a_long_string_whatever_the_sides():
    assert indices([pmq([0] * 18)])["longstring_max"] == 18
    assert indices([pmq([0] * 6 + [1] * 7 + [0] * 5)])["longstring_max"] == 7


def test_runs_do_not_reach_over_pages_or_gaps():
    assert indices([pmq([3] * 18), pmq([3] * 18)])["longstring_max"] == 18
    asking = pmq([3] * 18)
    gone = asking.rendered["items"][9]["key"]
    asking.given[gone] = Given("missing")
    assert indices([asking])["longstring_max"] == 9


def test_item_times_are_between_first_touches():
    times = [1000 * n * n for n in range(1, 19)]
    # Spans 1, 3, 5, .. 35 seconds: median 18.
    assert indices([pmq([0] * 18, times)])["median_item_ms"] == 18000


def test_missing_counts_what_wanted_an_answer():
    rendered = render(parse(MIXED), seed=1, words=WORDS)
    given = {"pair": Given("answered", 3.0), "likert": Given("prefer_not"), "line": Given("missing")}
    # Open: line, one, many, count, short; the long text is optional.
    assert indices([Asking(rendered, given)])["missing_items"] == 5


def test_a_session_without_rows_of_points_has_no_long_string():
    rendered = render(load("loneliness_state"), seed=1, words=WORDS)
    got = indices([Asking(rendered, {"lonely": Given("answered", 0.0)})])
    assert got == {"missing_items": 0, "longstring_max": None, "median_item_ms": None}
    assert indices([]) == {"missing_items": 0, "longstring_max": None, "median_item_ms": None}
