import pytest

from studyapp.chat import turns
from studyapp.chat.models import Message
from studyapp.participation import passage, progress
from studyapp.participation.models import Session, Visit
from surveys.models import Administration, Response
from tests import cast
from tests.participation.racing import at_once


@pytest.mark.django_db
def test_a_reload_at_every_step_finds_the_same_page() -> None:
    session = cast.arrives(cast.study())
    visit = progress.current(session)
    while visit.step_kind != "code":
        again = progress.current(Session.objects.get(pk=session.pk))
        assert (again.pk, again.administration_id, again.conversation_id, again.started_at) == (
            visit.pk,
            visit.administration_id,
            visit.conversation_id,
            visit.started_at,
        )
        cast.take_step(session, visit)
        visit = progress.current(session)
    assert visit.step_key == "code"


@pytest.mark.django_db
def test_a_stale_page_moves_nobody_and_overwrites_nothing() -> None:
    session = cast.arrives(cast.study())
    visit = cast.walk(session, to="lonely_before")
    progress.submit(session=session, position=visit.position, data={"i-lonely": "20"})
    position = session.position
    again = progress.submit(session=session, position=visit.position, data={"i-lonely": "90"})
    assert (again.kind, again.position) == ("stale", position)
    assert Response.objects.get(administration=visit.administration).number == 20


@pytest.mark.django_db
def test_a_page_from_ahead_is_stale_too() -> None:
    session = cast.arrives(cast.study())
    assert progress.submit(session=session, position=9, data={}).kind == "stale"
    assert session.position == 0


@pytest.mark.django_db(transaction=True)
def test_a_page_handed_in_many_times_at_once_moves_once() -> None:
    session = cast.arrives(cast.study())
    visit = cast.walk(session, to="lonely_before")
    results = at_once(
        lambda number: progress.submit(
            session=Session.objects.get(pk=session.pk),
            position=visit.position,
            data={"i-lonely": str(10 + number)},
        ),
        times=8,
        threads=8,
    )
    assert sorted(result.kind for result in results) == ["moved"] + ["stale"] * 7
    session.refresh_from_db()
    assert session.position == visit.position + 1
    assert Response.objects.filter(administration=visit.administration).count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_tabs_arriving_at_once_make_one_visit_and_one_conversation() -> None:
    session = cast.arrives(cast.study())
    visit = cast.walk(session, to="ratings_before")
    progress.submit(session=session, position=visit.position, data=cast.answers_to(session, visit))
    visits = at_once(lambda _: progress.current(Session.objects.get(pk=session.pk)), times=6, threads=6)
    assert len({visit.conversation_id for visit in visits}) == 1
    assert Visit.objects.filter(session=session, step_key="talk").count() == 1


@pytest.mark.django_db
def test_missing_answers_are_asked_for_once_then_let_go() -> None:
    session = cast.arrives(cast.study())
    visit = cast.walk(session, to="ratings_before")
    first = progress.submit(session=session, position=visit.position, data={})
    assert first.kind == "missing"
    assert len(first.missing) == 6
    second = progress.submit(session=session, position=visit.position, data={})
    assert second.kind == "moved"
    assert set(visit.administration.responses.values_list("state", flat=True)) == {"missing"}


@pytest.mark.django_db
def test_an_answer_saved_on_the_way_is_there_after_a_reload() -> None:
    session = cast.arrives(cast.study())
    visit = cast.walk(session, to="lonely_before")
    body = {"answers": [{"item": "lonely", "value": 33, "state": "answered", "revision": 5}]}
    assert progress.autosave(session=session, position=visit.position, payload=body) == []
    administration = Administration.objects.get(visit=progress.current(session))
    assert administration.responses.get().number == 33


@pytest.mark.django_db
def test_saving_from_a_stale_page_is_told_so_and_changes_nothing() -> None:
    session = cast.arrives(cast.study())
    visit = cast.walk(session, to="lonely_before")
    progress.submit(session=session, position=visit.position, data={"i-lonely": "20"})
    body = {"answers": [{"item": "lonely", "value": 80, "state": "answered", "revision": 9}]}
    assert progress.autosave(session=session, position=visit.position, payload=body) is None
    assert visit.administration.responses.get().number == 20


@pytest.mark.django_db
def test_a_conversation_is_not_over_before_its_turns_are_had() -> None:
    session = cast.arrives(cast.study())
    visit = cast.walk(session, to="talk")
    cast.talk(visit, times=1)
    result = progress.submit(session=session, position=visit.position, data={})
    assert (result.kind, result.code) == ("refused", "too_few")
    cast.talk(visit, times=2)
    assert progress.submit(session=session, position=visit.position, data={}).kind == "moved"
    visit.conversation.refresh_from_db()
    assert (visit.conversation.state, visit.conversation.end_reason) == ("ended", "finished")


@pytest.mark.django_db
def test_a_reply_on_its_way_is_waited_for() -> None:
    session = cast.arrives(cast.study())
    visit = cast.walk(session, to="talk")
    cast.talk(visit, times=2)
    turns.post(conversation=visit.conversation, client_key="last", text="one more")
    result = progress.submit(session=session, position=visit.position, data={})
    assert (result.kind, result.code) == ("refused", "busy")


@pytest.mark.django_db
def test_when_the_partner_breaks_down_the_session_ends_kindly_with_debrief_and_code() -> None:
    session = cast.arrives(cast.study())
    visit = cast.walk(session, to="talk")
    posted = turns.post(conversation=visit.conversation, client_key="only", text="hello")
    Message.objects.filter(pk=posted.reply.pk).update(state="failed", failure="broken")
    assert progress.submit(session=session, position=visit.position, data={}).kind == "moved"
    assert session.status == Session.Status.TECHNICAL
    assert progress.current(session).step_kind == "debrief"
    assert cast.walk(session, to="code").step_kind == "code"
    session.refresh_from_db()
    assert session.completion_code


@pytest.mark.django_db
def test_cards_are_done_when_each_was_asked() -> None:
    session = cast.arrives(cast.study())
    visit = cast.walk(session, to="live_cards")
    first = visit.conversation.tasks.first()
    turns.say(conversation=visit.conversation, client_key=f"tap-{first.key}", task_key=first.key)
    result = progress.submit(session=session, position=visit.position, data={})
    assert (result.kind, result.code, len(result.missing)) == ("refused", "too_few", 2)
    assert cast.walk(session, to="ratings_after").step_key == "ratings_after"


@pytest.mark.django_db
def test_the_code_page_is_the_last() -> None:
    session = cast.arrives(cast.study())
    visit = cast.walk(session, to="code")
    assert progress.submit(session=session, position=visit.position, data={}).code == "last_step"


@pytest.mark.django_db
def test_the_code_is_committed_before_it_is_shown_and_the_same_ever_after() -> None:
    session = cast.arrives(cast.study(recruitment={"codes": {"complete": "DONE-1234"}}))
    visit = cast.walk(session, to="debrief")
    assert session.completion_code == ""
    progress.submit(session=session, position=visit.position, data={})
    # Before anything of the code page was asked for.
    assert Session.objects.get(pk=session.pk).completion_code == "DONE-1234"
    for _ in range(3):
        progress.current(session)
        assert session.completion_code == "DONE-1234"
    assert list(session.events.filter(kind="status").values_list("detail__to", flat=True)) == [
        "active",
        "complete",
    ]


@pytest.mark.django_db
def test_text_that_no_database_can_hold_is_cleaned_and_the_cleaning_is_an_event() -> None:
    steps = passage.steps(cast.arrives(cast.study()))
    words = {"key": "about", "kind": "scale", "scale": "about"}
    study = cast.study(slug="with-words", steps=[steps[0], words, *steps[1:]])
    session = cast.arrives(study)
    visit = cast.walk(session, to="about")
    item = visit.administration.rendered["items"][0]["key"]
    progress.submit(session=session, position=visit.position, data={f"i-{item}": "before\x00after"})
    assert visit.administration.responses.get(item=item).text == "beforeafter"
    assert session.events.get(kind="text_cleaned").detail == {"step": "about", "items": [item]}
