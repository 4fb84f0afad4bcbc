"""What must always hold between rows, and is not held by a constraint."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Count, F, Max, Min, Q

from studyapp.chat.models import Conversation
from studyapp.participation.models import Allocation, Participant, Session, Tombstone, Visit
from studyapp.work.models import Work
from surveys.models import Administration


@dataclass(frozen=True)
class Broken:
    """An invariant that does not hold, how many rows break it, and one of them."""

    name: str
    count: int
    example: str


def broken() -> list[Broken]:
    """Every invariant that does not hold; an empty list when all is well."""
    return [each for check in _CHECKS for each in check()]


def _rows(name: str, rows) -> Iterator[Broken]:
    if count := rows.count():
        yield Broken(name, count, str(rows.values_list("pk", flat=True).first()))


def _orphaned_administrations() -> Iterator[Broken]:
    yield from _rows("administration of no visit", Administration.objects.filter(visit=None))


def _orphaned_conversations() -> Iterator[Broken]:
    """Conversations that no row of any room points to (a visit, a fork)."""
    nobody = Q()
    for relation in Conversation._meta.related_objects:
        if relation.one_to_one:
            nobody &= Q(**{relation.get_accessor_name(): None})
    yield from _rows("conversation of nobody", Conversation.objects.filter(nobody))


def _participants_without_session() -> Iterator[Broken]:
    yield from _rows("participant without a session", Participant.objects.filter(sessions=None))


def _logs_with_gaps() -> Iterator[Broken]:
    logs = (
        Allocation.objects.order_by()
        .values("study__slug", "kind")
        .annotate(rows=Count("pk"), first=Min("position"), last=Max("position"))
    )
    gaps = [log for log in logs if log["first"] != 1 or log["last"] != log["rows"]]
    if gaps:
        yield Broken("allocation log with a gap", len(gaps), f"{gaps[0]['study__slug']} {gaps[0]['kind']}")


def _conditions_off_the_log() -> Iterator[Broken]:
    yield from _rows(
        "session with a condition that the log does not give it",
        Session.objects.filter(condition__isnull=False).exclude(
            allocation__condition_slug=F("condition__slug")
        ),
    )
    yield from _rows(
        "allocated session without its condition",
        Session.objects.filter(allocation__isnull=False, condition=None),
    )


def _visits_ahead() -> Iterator[Broken]:
    yield from _rows(
        "visit ahead of its session's position", Visit.objects.filter(position__gt=F("session__position"))
    )


def _open_conversations_of_the_gone() -> Iterator[Broken]:
    yield from _rows(
        "open conversation of a finished session",
        Conversation.objects.filter(state=Conversation.State.OPEN, visit__session__finished_at__isnull=False),
    )


def _erased_but_here() -> Iterator[Broken]:
    hashes = Tombstone.objects.filter(recruitment_hash__isnull=False).values("recruitment_hash")
    yield from _rows("erased person still here", Participant.objects.filter(recruitment_hash__in=hashes))


def _work_about_nothing() -> Iterator[Broken]:
    """Work whose subject is gone: erasure should have taken it along."""
    models = {"participant": Participant, "session": Session, "conversation": Conversation}
    lost = []
    for name, model in models.items():
        subjects = Work.objects.filter(subject__startswith=f"{name}:").values_list("subject", flat=True)
        by_key = {subject.partition(":")[2]: subject for subject in subjects.distinct()}
        sound = {key for key in by_key if re.fullmatch(r"[0-9a-f-]{36}", key)}
        here = {str(pk) for pk in model.objects.filter(pk__in=sound).values_list("pk", flat=True)}
        lost += [by_key[key] for key in by_key.keys() - here]
    if lost:
        yield Broken("work about something that is gone", len(lost), min(lost))


_CHECKS = (
    _orphaned_administrations,
    _orphaned_conversations,
    _participants_without_session,
    _logs_with_gaps,
    _conditions_off_the_log,
    _visits_ahead,
    _open_conversations_of_the_gone,
    _erased_but_here,
    _work_about_nothing,
)
