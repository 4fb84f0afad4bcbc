import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from studyapp.chat.models import Conversation
from studyapp.participation import invariants
from studyapp.participation.models import Allocation, Participant, Session, Tombstone
from studyapp.work import queue
from surveys.administration import administer
from surveys.scale_file import load
from tests import cast

pytestmark = pytest.mark.django_db


def names() -> list[str]:
    return [broken.name for broken in invariants.broken()]


def test_a_whole_session_breaks_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    cast.walk(cast.arrives(cast.study()), to="code")
    call_command("check_invariants")
    assert capsys.readouterr().out == "0 broken.\n"


def test_orphans_are_found() -> None:
    administer(scale=load("loneliness_state").document(), seed=1, words={})
    Conversation.objects.create(kind="main", brief={}, seed=1, created_at=timezone.now())
    assert set(names()) == {"administration of no visit", "conversation of nobody"}
    with pytest.raises(CommandError, match="2 invariants are broken"):
        call_command("check_invariants")


def test_a_gap_in_the_log_is_found() -> None:
    study = cast.study()
    Allocation.objects.create(
        study=study,
        kind="live",
        position=2,
        rule={"name": "preview"},
        seed="0",
        counts={},
        draw={},
        condition_slug="warm",
        at=timezone.now(),
    )
    assert names() == ["allocation log with a gap"]


def test_a_condition_the_log_did_not_give_is_found() -> None:
    session = cast.arrives(cast.study())
    session.condition = session.version.conditions.first()
    session.save()
    assert names() == ["session with a condition that the log does not give it"]


def test_a_condition_that_was_lost_is_found() -> None:
    session = cast.arrives(cast.study())
    cast.walk(session, to="talk")
    Session.objects.update(condition=None)
    assert names() == ["allocated session without its condition"]


def test_work_about_somebody_who_is_gone_is_found() -> None:
    queue.enqueue(kind="tests.k", key="1", payload={}, subject="session:00000000-0000-4000-8000-000000000000")
    queue.enqueue(kind="tests.k", key="2", payload={}, subject="session:not-an-id")
    found = invariants.broken()
    assert [(broken.name, broken.count) for broken in found] == [("work about something that is gone", 2)]


def test_an_open_conversation_of_somebody_finished_is_found() -> None:
    session = cast.arrives(cast.study())
    visit = cast.walk(session, to="code")
    assert visit.step_kind == "code"
    Conversation.objects.filter(kind="main").update(state="open", ended_at=None)
    assert names() == ["open conversation of a finished session"]


def test_a_visit_ahead_of_its_session_is_found() -> None:
    session = cast.arrives(cast.study())
    cast.walk(session, to="support")
    Session.objects.update(position=1)
    assert names() == ["visit ahead of its session's position"]


def test_an_erased_person_who_is_here_and_one_without_a_session_are_found() -> None:
    study = cast.study()
    session = cast.arrives(study, recruitment_id=cast.ADA)
    Tombstone.objects.create(
        study=study,
        kind="pilot",
        recruitment_hash=session.participant.recruitment_hash,
        at=timezone.now(),
    )
    Participant.objects.create(study=study, code="ALONE", source="plain", created_at=timezone.now())
    assert set(names()) == {"erased person still here", "participant without a session"}
