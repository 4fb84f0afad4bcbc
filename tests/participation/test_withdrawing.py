import pytest
from django.utils import timezone

from studyapp.participation import invariants, progress, withdrawal
from studyapp.participation.models import Participant, Session, Tombstone
from studyapp.work.models import Work
from studyapp.work.runner import run_due
from tests import cast

STEPS = (
    "lonely_before",
    "ratings_before",
    "talk",
    "lonely_after",
    "support",
    "live_cards",
    "ratings_after",
    "right",
    "debrief",
)


@pytest.mark.django_db
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("keep", [True, False])
def test_who_stops_at_any_step_sees_the_debrief_and_then_their_code(step: str, keep: bool) -> None:
    session = cast.arrives(cast.study())
    cast.walk(session, to=step)
    withdrawal.withdraw(session=session, keep=keep)
    assert session.status == Session.Status.WITHDRAWN
    visit = progress.current(session)
    assert visit.step_kind == "debrief"
    assert progress.submit(session=session, position=visit.position, data={}).kind == "moved"
    assert progress.current(session).step_kind == "code"
    assert session.completion_code
    assert withdrawal.erasure_asked(session) is not keep
    assert invariants.broken() == []


@pytest.mark.django_db
def test_who_stops_before_consenting_has_nothing_to_be_told_and_gets_a_code() -> None:
    session = cast.arrives(cast.study())
    progress.current(session)
    withdrawal.withdraw(session=session, keep=True)
    assert progress.current(session).step_kind == "code"
    assert session.completion_code


@pytest.mark.django_db
def test_the_conversation_ends_with_the_withdrawal() -> None:
    session = cast.arrives(cast.study())
    visit = cast.walk(session, to="talk")
    cast.talk(visit, times=1)
    withdrawal.withdraw(session=session, keep=True)
    visit.conversation.refresh_from_db()
    assert (visit.conversation.state, visit.conversation.end_reason) == ("ended", "withdrawn")


@pytest.mark.django_db
def test_a_page_that_was_open_when_they_stopped_takes_them_nowhere() -> None:
    session = cast.arrives(cast.study())
    visit = cast.walk(session, to="support")
    withdrawal.withdraw(session=session, keep=True)
    result = progress.submit(session=session, position=visit.position, data=cast.answers_to(session, visit))
    assert result.kind == "stale"
    assert not visit.administration.responses.exists()


@pytest.mark.django_db
def test_keeping_keeps_everything_given_so_far() -> None:
    session = cast.arrives(cast.study())
    cast.walk(session, to="support")
    withdrawal.withdraw(session=session, keep=True)
    withdrawal.leave_code_page(session=session)
    assert session.visits.get(step_key="talk").conversation.messages.count() == 5
    assert not Work.objects.filter(kind=withdrawal.ERASE).exists()


@pytest.mark.django_db
def test_the_code_can_be_read_until_they_leave_its_page_and_then_all_is_erased() -> None:
    session = cast.arrives(cast.study(), recruitment_id=cast.ADA)
    cast.walk(session, to="support")
    withdrawal.withdraw(session=session, keep=False)
    visit = cast.walk(session, to="code")
    code = session.completion_code
    assert progress.current(Session.objects.get(pk=session.pk)) == visit
    assert Session.objects.get(pk=session.pk).completion_code == code
    assert withdrawal.leave_code_page(session=session)
    assert not Participant.objects.exists()
    assert Tombstone.objects.count() == 1
    assert invariants.broken() == []


@pytest.mark.django_db
def test_leaving_before_the_code_was_shown_erases_nothing_yet() -> None:
    session = cast.arrives(cast.study())
    cast.walk(session, to="support")
    withdrawal.withdraw(session=session, keep=False)
    assert not withdrawal.leave_code_page(session=session)
    assert Participant.objects.exists()


@pytest.mark.django_db
def test_who_never_leaves_the_code_page_is_erased_after_a_day() -> None:
    session = cast.arrives(cast.study())
    cast.walk(session, to="support")
    withdrawal.withdraw(session=session, keep=False)
    row = Work.objects.get(kind=withdrawal.ERASE)
    assert abs(row.run_after - timezone.now() - withdrawal.GRACE).total_seconds() < 60
    run_due(kinds=[withdrawal.ERASE])
    assert Participant.objects.exists()
    Work.objects.filter(pk=row.pk).update(run_after=timezone.now())
    assert run_due(kinds=[withdrawal.ERASE]) == 1
    assert not Participant.objects.exists()
    assert not Work.objects.filter(kind=withdrawal.ERASE).exists()
    assert invariants.broken() == []


@pytest.mark.django_db
def test_who_has_finished_may_still_have_everything_erased() -> None:
    session = cast.arrives(cast.study())
    cast.walk(session, to="code")
    withdrawal.withdraw(session=session, keep=False)
    assert (session.status, session.completion_code) == (Session.Status.COMPLETE, "CASTDONE")
    assert withdrawal.leave_code_page(session=session)


@pytest.mark.django_db
def test_at_the_debrief_one_may_ask_for_erasure_and_still_completes() -> None:
    session = cast.arrives(cast.study())
    visit = cast.walk(session, to="debrief")
    progress.submit(session=session, position=visit.position, data={"keep": "no"})
    assert session.status == Session.Status.COMPLETE
    assert withdrawal.erasure_asked(session)


@pytest.mark.django_db
def test_stopping_twice_is_stopping_once() -> None:
    session = cast.arrives(cast.study())
    cast.walk(session, to="support")
    withdrawal.withdraw(session=session, keep=True)
    withdrawal.withdraw(session=session, keep=True)
    assert session.events.filter(kind="withdrew").count() == 1
