"""Who generates a reply: leases by process.

A turn belongs to the process of its newest attempt, as long as that process beats and has not let go
of it. Any other process may take over what is owed by nobody; the loser's writes find that a newer
attempt exists and do nothing.
"""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from studyapp.agents.protocol import ReplyRequest

from . import beating, signals
from .asking import attempt_at, question_for
from .brief import Brief
from .conversations import brief_of
from .models import Attempt, Message

# The failure kind of an attempt whose process died or let go of it.
LOST = "lost"
# A turn that kills every process that takes it must end too.
MOST_LOSSES = 3
IN_FLIGHT = (Message.State.PENDING, Message.State.STREAMING)


@dataclass(frozen=True)
class Claim:
    """One attempt at one reply, held by this process. ``calls_left`` counts the ones after this."""

    message_id: int
    attempt_id: int
    number: int
    calls_left: int
    brief: Brief
    request: ReplyRequest


@transaction.atomic
def claim(message_id: int, process_id: UUID) -> Claim | None:
    """Take the next attempt at a reply, or None when it is finished, gone, or held by another process.

    An attempt of ``process_id`` itself counts as let go: call this only for turns that this process has
    not in hand.
    """
    message = (
        Message.objects.select_for_update(of=("self",))
        .select_related("conversation", "task")
        .filter(pk=message_id, role=Message.Role.AGENT, state__in=IN_FLIGHT)
        .first()
    )
    if message is None:
        return None
    now = timezone.now()
    attempts = list(message.attempts.order_by("number"))
    newest = attempts[-1] if attempts else None
    if newest is not None and newest.failure != LOST:
        if newest.process != process_id and newest.process in beating.living():
            return None
        if newest.ended_at is None:
            _lose(newest)
    losses = sum(attempt.failure == LOST for attempt in attempts)
    calls = len(attempts) - losses
    brief = brief_of(message.conversation)
    if newest is not None and (losses >= MOST_LOSSES or calls >= brief.attempts):
        give_up(message, failure=newest.failure)
        return None
    asked = question_for(message)
    attempt = attempt_at(
        asked,
        brief=brief,
        message=message,
        number=newest.number + 1 if newest else 1,
        process=process_id,
        started_at=now,
    )
    attempt.save()
    message.state = Message.State.STREAMING
    message.text = ""
    message.save(update_fields=["state", "text"])
    return Claim(
        message_id=message.pk,
        attempt_id=attempt.pk,
        number=attempt.number,
        calls_left=brief.attempts - calls - 1,
        brief=brief,
        request=asked.request,
    )


@transaction.atomic
def release(held: Claim) -> None:
    """Let go of a turn, so that another process need not wait for our beat to grow old."""
    attempt = Attempt.objects.select_for_update().filter(pk=held.attempt_id, ended_at__isnull=True).first()
    if attempt is not None:
        _lose(attempt)


def give_up(message: Message, *, failure: str) -> None:
    """No attempt is left: the reply has failed. Call with the message's row locked."""
    message.state = Message.State.FAILED
    message.failure = failure
    message.completed_at = timezone.now()
    message.save(update_fields=["state", "failure", "text", "completed_at"])
    signals.turn_finished.send(sender=Message, messages=[message])


def unowned(*, older_than: timedelta = timedelta(0)) -> QuerySet[Message]:
    """Replies owed by nobody: never claimed (for that long), let go of, or held by a process that died."""
    newest = Attempt.objects.filter(message=OuterRef("pk")).order_by("-number")
    never = Q(holder__isnull=True, newest_failure__isnull=True)
    return (
        Message.objects.filter(role=Message.Role.AGENT, state__in=IN_FLIGHT)
        .annotate(
            holder=Subquery(newest.values("process")[:1]),
            newest_failure=Subquery(newest.values("failure")[:1]),
        )
        .filter(
            (never & Q(created_at__lte=timezone.now() - older_than))
            | Q(newest_failure=LOST)
            | (Q(newest_failure__isnull=False) & ~Q(holder__in=beating.living()))
        )
    )


def _lose(attempt: Attempt) -> None:
    attempt.failure = LOST
    attempt.ended_at = timezone.now()
    attempt.save(update_fields=["failure", "ended_at"])
    signals.spend_recorded.send(sender=Attempt, attempts=[attempt])
