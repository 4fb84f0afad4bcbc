"""What one person is shown, drawn from a seed."""

import json

import pytest

from surveys.rendering import POSITIVE_LEFT, POSITIVE_RIGHT, CannotRender, render
from surveys.scale_file import load, parse
from tests.surveys.cast import MIXED

WORDS = {"agent": "Juno"}


def keys(rendered):
    return [item["key"] for item in rendered["items"]]


def test_one_seed_gives_one_page_and_another_seed_another():
    pmq = load("pmq")
    assert render(pmq, seed=7, words=WORDS) == render(pmq, seed=7, words=WORDS)
    orders = {tuple(keys(render(pmq, seed=seed, words=WORDS))) for seed in range(20)}
    assert len(orders) == 20
    assert all(sorted(order) == sorted(item.key for item in pmq.items) for order in orders)


def test_the_same_page_today_as_when_it_was_first_drawn():
    # A change here would redraw the orders of sessions under way.
    assert keys(render(load("presence"), seed=1, words=WORDS)) == [
        "personalness",
        "sociability",
        "human_warmth",
        "human_contact",
        "human_sensitivity",
    ]


def test_half_of_the_pairs_are_shown_each_way_round_and_the_positive_pole_is_always_seven():
    rendered = render(load("pmq"), seed=3, words=WORDS)
    sides = [item["side"] for item in rendered["items"]]
    assert sides.count(POSITIVE_LEFT) == sides.count(POSITIVE_RIGHT) == 9
    for item in rendered["items"]:
        values = [option["value"] for option in item["options"]]
        positive_first = item["side"] == POSITIVE_LEFT
        assert values == ([7, 6, 5, 4, 3, 2, 1] if positive_first else [1, 2, 3, 4, 5, 6, 7])
        assert item["left"] == item["poles"]["positive" if positive_first else "negative"]
        assert item["right"] == item["poles"]["negative" if positive_first else "positive"]


def test_the_side_of_a_pair_does_not_depend_on_its_place():
    left = {item["key"]: 0 for item in render(load("pmq"), seed=0, words=WORDS)["items"]}
    for seed in range(200):
        for item in render(load("pmq"), seed=seed, words=WORDS)["items"]:
            left[item["key"]] += item["side"] == POSITIVE_LEFT
    # 200 draws with probability one half: five standard deviations either way.
    assert all(65 <= count <= 135 for count in left.values()), left


def test_blocks_stay_together_with_one_item_of_each_dimension():
    for seed in range(10):
        shown = keys(render(load("mdmt"), seed=seed, words=WORDS))
        for start in range(0, 16, 4):
            block = shown[start : start + 4]
            assert len({key[-1] for key in block}) == 1
            assert sorted(key[:-2] for key in block) == ["capable", "ethical", "reliable", "sincere"]


def test_words_are_piped_and_a_word_not_given_is_an_error():
    rendered = render(load("presence"), seed=1, words=WORDS)
    assert {"There is a sense of human warmth in Juno"} <= {item["text"] for item in rendered["items"]}
    assert rendered["words"] == WORDS
    with pytest.raises(CannotRender, match=r"scale 'presence' says \{agent\}, but no word 'agent' was given"):
        render(load("presence"), seed=1, words={"name": "x"})


def test_claims_of_a_study_are_shown_as_given():
    claims = [{"key": "c1", "text": "Sets like {a, b} have {agent} order"}, {"key": "c2", "text": "Two"}]
    rendered = render(load("ratings"), seed=1, words={}, items=claims)
    texts = {item["key"]: item["text"] for item in rendered["items"]}
    assert texts["c1"] == "Sets like {a, b} have {agent} order"
    assert all(item["kind"] == "slider" and item["maximum"] == 100 for item in rendered["items"])
    assert rendered["items"][0]["left"] == "Certainly false"


def test_items_are_asked_for_where_they_are_needed_and_refused_where_not():
    with pytest.raises(CannotRender, match="'ratings' has no items of its own"):
        render(load("ratings"), seed=1, words={})
    with pytest.raises(CannotRender, match="'pmq' has its own items"):
        render(load("pmq"), seed=1, words=WORDS, items=[{"key": "a", "text": "b"}])
    with pytest.raises(CannotRender, match="two items with one key"):
        render(load("ratings"), seed=1, words={}, items=[{"key": "a", "text": "b"}] * 2)


def test_a_scale_without_its_wording_is_never_shown():
    with pytest.raises(CannotRender, match="'wai_sr' comes without its wording"):
        render(load("wai_sr"), seed=1, words=WORDS)


def test_everything_an_export_needs_is_in_the_rendered_items():
    rendered = json.loads(json.dumps(render(parse(MIXED), seed=1, words=WORDS)))
    assert [item["position"] for item in rendered["items"]] == list(range(8))
    by_key = {item["key"]: item for item in rendered["items"]}
    assert by_key["likert"]["text"] == "Juno listens"
    assert by_key["likert"]["anchors"] == {"1": "Never", "5": "Always"}
    assert by_key["likert"]["options"][0] == {"value": 1, "label": "1", "end": "Never"}
    assert by_key["line"]["side"] == "" and by_key["line"]["right"] == "All"
    assert by_key["count"]["minimum"] == 0 and by_key["count"]["maximum"] == 120
    assert by_key["long"]["max_characters"] == 8000 and by_key["long"]["optional"]
    assert by_key["pair"]["text"] in {"Warm – Cold", "Cold – Warm"}
