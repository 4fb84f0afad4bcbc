"""Erasing a person: the only place that deletes people."""

from collections import Counter
from datetime import timedelta
from typing import Any

import redis
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import connection, transaction
from django.utils import timezone

from studyapp.chat.models import Message
from studyapp.participation import reach
from studyapp.participation.models import Participant, Tombstone
from studyapp.studies import audit
from studyapp.studies.models import Study
from studyapp.work import queue
from studyapp.work.runner import RetryLater

FORGET = "participation.forget_turns"

# A reply that was being written when its message went may leave a last piece in Valkey.
AFTER_THE_LAST_PIECE = timedelta(minutes=5)


@transaction.atomic
def erase(*, participant: Participant, user: AbstractBaseUser | None = None) -> Tombstone:
    """Delete all that is kept about a person, in every room, database and Valkey.

    What remains: a Tombstone (study, kind, time, and until the study closes the keyed hash, so that
    they cannot come in twice), their rows of the allocation log without the pointer, an AuditEntry.

    Raises
    ------
    Participant.DoesNotExist: they are gone already.
    """
    gone = Participant.objects.select_for_update().select_related("study").get(pk=participant.pk)
    sessions = list(gone.sessions.select_for_update().order_by("wave"))
    _let_logs_be_erased()
    found = reach.reached(gone)
    in_flight = Message.objects.filter(
        pk__in=found.message, state__in=[Message.State.PENDING, Message.State.STREAMING]
    ).exists()
    rows: Counter[str] = Counter()
    for declared in reach.in_deletion_order():
        _, by_model = found.rows(declared).delete()
        rows.update(by_model)
    tombstone = Tombstone.objects.create(
        study=gone.study,
        kind=sessions[0].kind if sessions else "preview",
        recruitment_hash=None if gone.study.status == Study.Status.CLOSED else gone.recruitment_hash,
        at=timezone.now(),
    )
    audit.record(
        action="erase",
        study_slug=gone.study.slug,
        user=user,
        detail={"tombstone": tombstone.pk, "sessions": len(sessions), "rows": sum(rows.values())},
    )
    _forget_turns(sorted(found.message), again=in_flight)
    return tombstone


@transaction.atomic
def erase_study(*, study: Study, user: AbstractBaseUser | None = None) -> int:
    """Delete a study with everything attached: its people first, each as ``erase`` does, then the rest.

    Returns how many participants it had. What remains are audit entries.
    """
    participants = list(study.participants.order_by("created_at"))
    for participant in participants:
        erase(participant=participant, user=user)
    _let_logs_be_erased()
    slug = study.slug
    _, by_model = study.delete()
    audit.record(
        action="erase_study",
        study_slug=slug,
        user=user,
        detail={"participants": len(participants), "rows": sum(by_model.values())},
    )
    return len(participants)


def forget_hashes(study: Study) -> int:
    """A closed study lets nobody in, so its tombstones need no hash any more. Returns how many lost it."""
    return Tombstone.objects.filter(study=study, recruitment_hash__isnull=False).update(recruitment_hash=None)


def run_forget_turns(payload: dict[str, Any]) -> None:
    """Work handler: delete what Valkey holds of erased replies."""
    try:
        _delete_turns(payload["messages"])
    except redis.RedisError as error:
        raise RetryLater(60, f"Valkey did not answer: {error}")


def _forget_turns(messages: list[int], *, again: bool) -> None:
    """Delete replies from Valkey now; once more later where one was being written or Valkey is away."""
    if not messages:
        return
    try:
        _delete_turns(messages)
    except redis.RedisError:
        again = True
    if again:
        queue.enqueue(
            kind=FORGET,
            key=f"{messages[0]}-{messages[-1]}",
            payload={"messages": messages},
            run_after=timezone.now() + AFTER_THE_LAST_PIECE,
        )


def _delete_turns(messages: list[int]) -> None:
    wanted = {str(message) for message in messages}
    with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=5, socket_connect_timeout=5) as store:
        keys = [
            key
            for key in store.scan_iter(match="turn:*", count=1000)
            if key.split(b":")[1].decode() in wanted
        ]
        if keys:
            store.delete(*keys)


def _let_logs_be_erased() -> None:
    # For this transaction only: the triggers that keep events, draws and allocations append-only
    # look for it (studyapp/database.py).
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL plainheart.erasing = 'on'")
