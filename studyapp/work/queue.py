"""Put work in the queue."""

import logging
from collections.abc import Collection
from datetime import datetime
from functools import partial
from typing import Any

import redis
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from studyapp.work.models import Work

log = logging.getLogger(__name__)


def enqueue(
    *, kind: str, key: str, payload: dict[str, Any], subject: str = "", run_after: datetime | None = None
) -> Work:
    """Write a Work row in the caller's transaction and nudge a worker once that is committed.

    The same ``(kind, key)`` again returns the first row and changes nothing. ``payload`` holds
    identifiers and numbers only; ``subject`` names what erasure would find it by.
    """
    row, _ = Work.objects.get_or_create(
        kind=kind,
        key=key,
        defaults={"payload": payload, "subject": subject, "run_after": run_after or timezone.now()},
    )
    transaction.on_commit(partial(nudge, kind))
    return row


def put_back(*, rows: Collection[int]) -> int:
    """Make the failed ones among these rows (primary keys) due again, as if never tried; returns how many."""
    return Work.objects.filter(pk__in=rows, state=Work.State.FAILED).update(
        state=Work.State.WAITING, attempts=0, run_after=timezone.now(), finished_at=None
    )


def nudge(kind: str) -> None:
    """Tell a worker that there is work. Losing the nudge loses time, never work: beat looks every minute."""
    from studyapp.work.tasks import run_due_work

    if getattr(settings, "WORK_NUDGES", True):
        try:
            run_due_work.apply_async(kwargs={"kinds": [kind]}, retry=False)
        except (OperationalError, redis.RedisError, OSError) as error:
            log.warning("Could not nudge a worker for %s (%s); beat will find the work.", kind, error)
