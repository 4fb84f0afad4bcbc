import json

import pytest

from studyapp.chat import turns
from studyapp.participation import problem_reports
from tests import cast

pytestmark = pytest.mark.django_db

DISTRESS = "I want to kill myself"


def test_noticed_distress_is_an_event_with_rules_and_no_words() -> None:
    session = cast.arrives(cast.study())
    visit = cast.walk(session, to="talk")
    posted = turns.post(conversation=visit.conversation, client_key="k", text=DISTRESS)
    assert posted.distress
    event = session.events.get(kind="distress_noticed")
    assert event.detail["rules"] == sorted({hit.rule for hit in posted.distress})
    assert event.detail["step"] == "talk"
    assert all(DISTRESS not in json.dumps(each.detail) for each in session.events.all())


def test_ordinary_words_are_no_event() -> None:
    session = cast.arrives(cast.study())
    visit = cast.walk(session, to="talk")
    cast.talk(visit, times=1)
    assert not session.events.filter(kind="distress_noticed").exists()


def test_a_message_that_lost_a_character_is_an_event() -> None:
    session = cast.arrives(cast.study())
    visit = cast.walk(session, to="talk")
    turns.post(conversation=visit.conversation, client_key="k", text="a\x00b")
    assert session.events.get(kind="text_cleaned").detail == {"step": "talk", "removed": 1}


def test_a_problem_is_kept_with_its_step_and_the_event_has_no_words() -> None:
    session = cast.arrives(cast.study())
    cast.walk(session, to="support")
    kept = problem_reports.report(session=session, text="  the button is\x00 grey ")
    assert (kept.step_key, kept.text) == ("support", "the button is grey")
    assert session.events.get(kind="problem_reported").detail == {"step": "support", "characters": 18}
    assert session.events.filter(kind="text_cleaned").exists()


@pytest.mark.parametrize(
    ("text", "code"), [("", "empty"), (" \n", "empty"), ("\x00", "empty"), ("x" * 4001, "too_long")]
)
def test_a_report_of_nothing_or_of_a_book_is_refused(text: str, code: str) -> None:
    session = cast.arrives(cast.study())
    with pytest.raises(problem_reports.ReportRefused) as refused:
        problem_reports.report(session=session, text=text)
    assert refused.value.code == code
    assert not session.problem_reports.exists()
