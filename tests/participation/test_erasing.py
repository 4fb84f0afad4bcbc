import uuid

import pytest
import redis
from django.conf import settings as live_settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import IntegrityError, transaction
from django.utils import timezone

from studyapp.chat.models import Conversation, Message
from studyapp.participation import allocating, entry, erasure, invariants, problem_reports, reach
from studyapp.participation.models import Allocation, Event, Participant, Session, Tombstone
from studyapp.personal import declared
from studyapp.studies.models import AuditEntry
from studyapp.work import queue
from studyapp.work.models import Work
from studyapp.work.runner import run_due
from surveys.models import Administration, Response
from tests import cast
from tests.participation.searching import everywhere

PROBLEM = "the Zwiebelfisch button does nothing"


def ada_leaves_traces(study) -> Session:
    """Ada goes all the way and leaves something of herself wherever one can."""
    session = cast.arrives(study, recruitment_id=cast.ADA)
    cast.walk(session, to="lonely_after")
    problem_reports.report(session=session, text=PROBLEM)
    cast.walk(session, to="code")
    conversation = session.visits.get(step_key="talk").conversation
    queue.enqueue(kind="tests.about_ada", key="1", payload={}, subject=f"conversation:{conversation.pk}")
    return session


def traces(session: Session) -> list[str]:
    participant = session.participant
    keys = [participant.pk, session.pk]
    keys += list(session.visits.exclude(conversation=None).values_list("conversation_id", flat=True))
    keys += list(session.visits.exclude(administration=None).values_list("administration_id", flat=True))
    return [
        cast.ADA,
        cast.ADAS_WORDS,
        PROBLEM,
        participant.code,
        participant.recruitment_id,
        *map(str, keys),
    ]


@pytest.mark.django_db(transaction=True)
def test_nothing_of_an_erased_person_is_found_anywhere() -> None:
    study = cast.study()
    ben = cast.arrives(study, recruitment_id=cast.BEN)
    cast.walk(ben, to="code")
    session = ada_leaves_traces(study)
    needles = traces(session)
    assert len(everywhere(*needles)) > 10
    with redis.Redis.from_url(live_settings.REDIS_URL) as store:
        message = Message.objects.filter(conversation__visit__session=session).last()
        store.set(f"turn:{message.pk}:1", cast.ADAS_WORDS)
        bens = Message.objects.filter(conversation__visit__session=ben).last()
        store.set(f"turn:{bens.pk}:1", "for Ben")

    erasure.erase(participant=session.participant)

    needles.remove(cast.ADAS_WORDS)
    assert everywhere(*needles) == []
    # Ben, who says the same words in this cast, is still whole.
    assert Participant.objects.get() == ben.participant
    assert Message.objects.filter(text__contains=cast.ADAS_WORDS).count() == 2
    with redis.Redis.from_url(live_settings.REDIS_URL) as store:
        assert store.get(f"turn:{message.pk}:1") is None
        assert store.get(f"turn:{bens.pk}:1") == b"for Ben"
        store.delete(f"turn:{bens.pk}:1")
    assert invariants.broken() == []


@pytest.mark.django_db
def test_with_nobody_left_every_personal_table_is_empty() -> None:
    session = ada_leaves_traces(cast.study())
    erasure.erase(participant=session.participant)
    # Work of the study's own (a model's private stances) is about nobody.
    Work.objects.filter(subject="").delete()
    left = {rows.model.__name__: rows.model._default_manager.count() for rows in declared()}
    assert {name for name, count in left.items() if count} == set()


@pytest.mark.django_db
def test_what_remains_is_a_tombstone_the_draw_and_an_audit_entry() -> None:
    study = cast.study()
    session = ada_leaves_traces(study)
    hashed = session.participant.recruitment_hash
    drawn = session.allocation.condition_slug
    tombstone = erasure.erase(participant=session.participant)
    assert (tombstone.study, tombstone.kind, tombstone.recruitment_hash) == (study, "pilot", hashed)
    row = Allocation.objects.get()
    assert (row.session, row.condition_slug) == (None, drawn)
    assert AuditEntry.objects.get(action="erase").detail["sessions"] == 1
    assert allocating.verify(study=study) == []
    with pytest.raises(entry.EntryRefused):
        cast.arrives(study, recruitment_id=cast.ADA)


@pytest.mark.django_db
def test_closing_the_study_takes_the_hash_from_its_tombstones() -> None:
    study = cast.study()
    session = ada_leaves_traces(study)
    erasure.erase(participant=session.participant)
    study.refresh_from_db()
    study.status = study.Status.CLOSED
    study.save()
    assert Tombstone.objects.get().recruitment_hash is None


@pytest.mark.django_db
def test_a_fork_of_the_conversation_and_its_exchange_go_too() -> None:
    from studyapp.probes.models import Fork

    session = ada_leaves_traces(cast.study())
    origin = session.visits.get(step_key="talk").conversation
    exchange = Conversation.objects.create(
        kind="fork", brief={}, seed=1, continues=origin, continues_until=1, created_at=timezone.now()
    )
    Message.objects.create(
        conversation=exchange,
        position=0,
        role="agent",
        state="complete",
        text=f"you said {cast.ADAS_WORDS}",
        created_at=timezone.now(),
    )
    Fork.objects.create(
        version=session.version,
        origin=origin,
        turn=1,
        point="first",
        probe="honey",
        stated="none",
        persona=True,
        history=True,
        draw=0,
        exchange=exchange,
        created_at=timezone.now(),
    )
    erasure.erase(participant=session.participant)
    assert not Conversation.objects.exists()
    assert not Message.objects.exists()
    assert invariants.broken() == []


@pytest.mark.django_db
def test_a_reply_being_written_is_forgotten_in_valkey_once_more_later() -> None:
    session = cast.arrives(cast.study())
    visit = cast.walk(session, to="talk")
    cast.talk(visit, times=1)
    late = Message.objects.filter(conversation=visit.conversation).last()
    Message.objects.filter(pk=late.pk).update(state="streaming")
    erasure.erase(participant=session.participant)
    with redis.Redis.from_url(live_settings.REDIS_URL) as store:
        store.set(f"turn:{late.pk}:1", "the last piece")
        Work.objects.filter(kind=erasure.FORGET).update(run_after=timezone.now())
        run_due(kinds=[erasure.FORGET])
        assert store.get(f"turn:{late.pk}:1") is None


@pytest.mark.django_db
def test_when_valkey_is_away_the_person_is_erased_and_the_rest_is_in_the_queue(settings) -> None:
    session = ada_leaves_traces(cast.study())
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    erasure.erase(participant=session.participant)
    assert not Participant.objects.exists()
    assert Work.objects.filter(kind=erasure.FORGET).count() == 1


@pytest.mark.django_db
def test_logs_stay_append_only_for_everybody_else() -> None:
    session = ada_leaves_traces(cast.study())
    for attempt in (
        lambda: Event.objects.all().delete(),
        lambda: session.draws.all().delete(),
        lambda: Allocation.objects.update(session=None),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            attempt()


@pytest.mark.django_db
def test_deleting_a_visit_takes_what_it_pointed_to() -> None:
    session = cast.arrives(cast.study())
    cast.walk(session, to="lonely_after")
    session.visits.get(step_key="lonely_before").delete()
    assert Administration.objects.filter(visit=None).count() == 0
    session.visits.get(step_key="talk").delete()
    assert not Conversation.objects.exists()
    assert not Message.objects.exists()


@pytest.mark.django_db
def test_erase_by_the_command_takes_the_code_as_it_is_read_out() -> None:
    session = ada_leaves_traces(cast.study())
    call_command("erase", "cast", session.participant.code.lower())
    assert not Participant.objects.exists()
    assert not Response.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("slug", "code", "says"),
    [
        ("nowhere", "7KXQ2MZP", "no study 'nowhere'. Studies here: cast"),
        ("cast", "7KXQ", "no participant '7KXQ'"),
    ],
)
def test_erase_says_what_it_does_not_find(slug: str, code: str, says: str) -> None:
    cast.study()
    with pytest.raises(CommandError, match=says):
        call_command("erase", slug, code)


@pytest.mark.django_db
def test_erasing_somebody_who_is_gone_is_an_error() -> None:
    with pytest.raises(Participant.DoesNotExist):
        erasure.erase(participant=Participant(pk=uuid.uuid4()))


@pytest.mark.django_db
def test_the_deletion_order_puts_what_points_before_what_it_points_to() -> None:
    order = [rows.model.__name__ for rows in reach.in_deletion_order()]
    assert order.index("Visit") < order.index("Conversation")
    assert order.index("Response") < order.index("Administration")
    assert order.index("Event") < order.index("Session") < order.index("Participant")
    assert order.index("Attempt") < order.index("Message") < order.index("Conversation")
