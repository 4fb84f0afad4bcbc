"""Answers saved on the way, handed in, asked for once; what is older never wins."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.http import QueryDict
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from surveys.answers import Answer, AnswerRefused, autosave, from_json, submit, values
from surveys.models import Response
from tests.surveys.cast import HOSTILE, ask, complete_form

pytestmark = pytest.mark.django_db


def row(administration, item):
    return Response.objects.get(administration=administration, item=item)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_come_back_equal_from_save_and_from_form(text):
    saved = ask()
    autosave(
        administration=saved,
        answers=from_json(
            json.loads(
                json.dumps(
                    {
                        "answers": [
                            {"item": "long", "value": text, "state": "answered", "revision": 5, "changes": 1}
                        ]
                    }
                )
            )
        ),
    )
    assert values(saved)["long"] == text
    sent = ask()
    submit(administration=sent, data=complete_form() | {"i-long": text})
    assert values(sent)["long"] == text


class AnyText(TestCase):
    @settings(max_examples=60, deadline=None)
    @given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=300))
    def test_any_text_comes_back_equal(self, text):
        administration = ask()
        autosave(administration=administration, answers=[Answer("long", text, changes=1, revision=1)])
        assert values(administration)["long"] == (text if text.strip() else None)


def test_a_form_sends_newlines_as_cr_lf_and_they_are_kept_as_typed():
    administration = ask()
    submit(administration=administration, data=complete_form() | {"i-long": "one\r\ntwo\rthree"})
    assert values(administration)["long"] == "one\ntwo\rthree"


def test_nul_and_half_characters_are_removed_and_said():
    administration = ask()
    saved = autosave(
        administration=administration,
        answers=[
            Answer("long", "a\x00b\ud83dc", changes=1, revision=1),
            Answer("short", "fine", changes=1, revision=1),
        ],
    )
    assert saved.cleaned == ["long"]
    assert values(administration)["long"] == "ab\N{REPLACEMENT CHARACTER}c"
    assert submit(administration=ask(), data=complete_form() | {"i-short": "\x00x"}).cleaned == ["short"]


def test_an_older_save_never_overwrites_a_newer_one():
    administration = ask()
    autosave(administration=administration, answers=[Answer("likert", 4, revision=2000, changes=1)])
    autosave(administration=administration, answers=[Answer("likert", 1, revision=1000, changes=1)])
    assert values(administration)["likert"] == 4
    autosave(administration=administration, answers=[Answer("likert", 2, revision=3000, changes=2)])
    assert values(administration)["likert"] == 2
    assert Response.objects.filter(administration=administration).count() == 1


def test_a_stale_tab_handed_in_keeps_the_newer_answer_of_the_other_tab():
    administration = ask()
    autosave(administration=administration, answers=[Answer("likert", 4, revision=9000, changes=1)])
    stale = complete_form() | {"i-likert": "1", "t-likert": "10,10,1,10"}
    assert submit(administration=administration, data=stale).done
    assert values(administration)["likert"] == 4


def test_without_a_script_a_changed_page_wins_once_and_a_stale_one_loses():
    administration = ask()
    first = {"i-likert": "2", "t-likert": ",,0,0"}
    submit(administration=administration, data=first)
    assert row(administration, "likert").revision == 1
    submit(administration=administration, data=complete_form() | {"i-likert": "5", "t-likert": ",,0,1"})
    assert values(administration)["likert"] == 5
    again = ask()
    submit(administration=again, data=first)
    autosave(administration=again, answers=[Answer("likert", 3, revision=0)])
    assert values(again)["likert"] == 2


def test_missing_answers_are_asked_for_once_then_stored_as_missing():
    administration = ask()
    data = complete_form()
    del data["i-line"], data["i-long"]
    first = submit(administration=administration, data=data)
    assert (first.done, first.missing) == (False, ["line"])
    assert administration.reminded_at and not administration.completed_at
    second = submit(administration=administration, data=data)
    assert (second.done, second.missing) == (True, ["line"])
    states = {r.item: r.state for r in administration.responses.all()}
    assert states["line"] == "missing" and states["long"] == "missing" and states["one"] == "answered"
    assert len(states) == 8
    assert values(administration)["line"] is None and values(administration)["one"] == 0


def test_zero_is_an_answer():
    administration = ask()
    assert submit(administration=administration, data=complete_form()).done
    got = values(administration)
    assert (got["line"], got["one"], got["count"]) == (0, 0, 0)


def test_several_choices_are_kept_in_rising_order_from_forms_and_saves():
    sent = ask()
    form = QueryDict(mutable=True)
    form.update(complete_form())
    form.setlist("i-many", ["10", "2"])
    submit(administration=sent, data=form)
    assert values(sent)["many"] == "2,10"
    saved = ask()
    autosave(administration=saved, answers=[Answer("many", [10, 1], changes=1, revision=1)])
    assert values(saved)["many"] == "1,10"
    autosave(administration=saved, answers=[Answer("many", [], changes=2, revision=2)])
    assert row(saved, "many").state == "missing"


def test_boxes_that_were_all_unticked_again_are_missing():
    administration = ask()
    autosave(administration=administration, answers=[Answer("many", [1], changes=1, revision=10)])
    data = complete_form() | {"t-many": "5,20,2,20"}
    del data["i-many"]
    assert submit(administration=administration, data=data).missing == ["many"]
    assert row(administration, "many").state == "missing"


def test_prefer_not_and_does_not_fit_are_states_of_their_own():
    administration = ask()
    data = complete_form() | {"i-likert": "prefer_not", "s-short": "prefer_not", "s-line": "prefer_not"}
    assert submit(administration=administration, data=data).done
    for item in ("likert", "short", "line"):
        assert row(administration, item).state == "prefer_not"
        assert values(administration)[item] is None
    mdmt = ask("mdmt_sincere_capable")
    autosave(administration=mdmt, answers=[Answer("sincere_1", None, "does_not_fit", revision=1, changes=1)])
    assert row(mdmt, "sincere_1").state == "does_not_fit"


def test_a_text_that_reads_prefer_not_is_a_text():
    administration = ask()
    submit(administration=administration, data=complete_form() | {"i-short": "prefer_not"})
    assert values(administration)["short"] == "prefer_not"


@pytest.mark.parametrize(
    ("item", "value", "complaint"),
    [
        ("likert", 6, "choose among"),
        ("likert", 2.5, "choose among"),
        ("pair", 0, "choose among"),
        ("line", 101, "from 0 up to 100"),
        ("line", -1, "from 0 up to 100"),
        ("line", float("nan"), "enter a number"),
        ("count", 121, "from 0 up to 120"),
        ("count", "1e999", "enter a number"),
        ("count", "twelve", "enter a number"),
        ("count", "1_0", "enter a number"),
        ("one", 2, "choose among"),
        ("many", [3], "choose among"),
        ("long", "a" * 8001, "8,001 characters; please shorten it to 8,000"),
        ("long", 5, "expected a text"),
        ("nothing", 1, "not a question of this page"),
    ],
)
def test_a_value_that_cannot_be_is_refused_and_the_others_are_kept(item, value, complaint):
    administration = ask()
    saved = autosave(
        administration=administration,
        answers=[Answer(item, value, changes=1, revision=1), Answer("short", "kept", changes=1, revision=1)],
    )
    assert [error.item for error in saved.refused] == [item]
    assert complaint in saved.refused[0].message
    assert values(administration)["short"] == "kept"
    assert not Response.objects.filter(administration=administration, item=item).exists()


def test_a_refused_value_keeps_the_page_open():
    administration = ask()
    data = complete_form() | {"i-count": "500"}
    for _ in range(2):
        result = submit(administration=administration, data=data)
        assert not result.done and [error.item for error in result.refused] == ["count"]
    assert submit(administration=administration, data=data | {"i-count": "5"}).done


def test_states_that_are_not_offered_are_refused():
    pmq = ask("pmq")
    saved = autosave(
        administration=pmq,
        answers=[
            Answer("warm", None, "does_not_fit", revision=1),
            Answer("social", None, "invented", revision=1),
        ],
    )
    assert [error.item for error in saved.refused] == ["warm", "social"]


def test_handing_in_twice_and_saving_late_change_nothing():
    administration = ask()
    assert submit(administration=administration, data=complete_form()).done
    before = list(Response.objects.filter(administration=administration).order_by("item").values())
    completed = administration.completed_at
    assert submit(administration=administration, data=complete_form() | {"i-likert": "5"}).done
    autosave(administration=administration, answers=[Answer("likert", 5, revision=10**6, changes=9)])
    assert list(Response.objects.filter(administration=administration).order_by("item").values()) == before
    administration.refresh_from_db()
    assert administration.completed_at == completed


def test_times_and_changes_are_kept_and_the_first_touch_stays():
    administration = ask()
    autosave(administration=administration, answers=[Answer("likert", 4, "answered", 800, 900, 1, 900)])
    data = complete_form() | {
        "i-likert": "5",
        "t-likert": "2000,2500,3,2500",
        "t-line": "x,y",
        "t-one": "-1,1e9,2",
    }
    submit(administration=administration, data=data)
    kept = row(administration, "likert")
    assert (kept.first_ms, kept.last_ms, kept.changes, kept.revision) == (800, 2500, 3, 2500)
    assert row(administration, "line").first_ms is None


def test_a_field_emptied_again_is_missing_and_remembered_as_touched():
    administration = ask()
    autosave(administration=administration, answers=[Answer("short", "x", "answered", 1, 1, 1, 1)])
    autosave(administration=administration, answers=[Answer("short", None, "missing", 1, 5, 2, 5)])
    kept = row(administration, "short")
    assert (kept.state, kept.text, kept.changes) == ("missing", None, 2)


@pytest.mark.parametrize(
    "payload",
    [
        None,
        [],
        {},
        {"answers": 1},
        {"answers": [1]},
        {"answers": [{"value": 1}]},
        {"answers": [{"item": "likert", "value": True}]},
        {"answers": [{"item": "likert", "value": {}}]},
    ],
)
def test_a_body_of_another_shape_is_refused(payload):
    with pytest.raises(AnswerRefused):
        from_json(payload)


def test_odd_counts_in_a_body_are_bounded():
    [answer] = from_json(
        {
            "answers": [
                {
                    "item": "likert",
                    "value": 3,
                    "first_ms": -5,
                    "last_ms": 1e300,
                    "changes": "many",
                    "revision": 2**80,
                }
            ]
        }
    )
    assert (answer.first_ms, answer.last_ms, answer.changes, answer.revision) == (0, 2**31 - 1, 0, 2**31 - 1)
    administration = ask()
    autosave(administration=administration, answers=[answer])
    autosave(administration=administration, answers=[Answer("likert", 4, revision=2**31 - 1)])
    assert values(administration)["likert"] == 4


@pytest.mark.django_db(transaction=True)
def test_tabs_that_race_leave_one_row_with_the_newest_answer():
    administration = ask()

    def save(revision):
        try:
            autosave(
                administration=administration,
                answers=[Answer("line", float(revision), changes=1, revision=revision)],
            )
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(save, [5, 1, 40, 2, 39, 3, 38, 4, 12, 30]))
    [kept] = Response.objects.filter(administration=administration)
    assert (kept.number, kept.revision) == (40, 40)
