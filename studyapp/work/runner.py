"""Run work that is due: claim a row, run its handler, write down what came of it."""

import logging
import time
from collections.abc import Collection
from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from studyapp.work.models import Work
from studyapp.work.registry import handler
from studyapp.work.registry import kinds as known_kinds

log = logging.getLogger(__name__)

# How long a claimed row stays its worker's; past it the worker is taken for dead.
LEASE = timedelta(minutes=15)


class RetryLater(Exception):
    """Raised by a handler that cannot do its work now; does not count as a failed attempt."""

    def __init__(self, seconds: float, reason: str = "") -> None:
        super().__init__(reason or f"again in {seconds:g} s")
        self.seconds = seconds


def due(kinds: list[str] | None = None, among: Collection[int] | None = None):
    """Rows that may be claimed now: waiting ones whose time has come, running ones whose lease ran out.

    ``among`` leaves only the rows with these primary keys.
    """
    now = timezone.now()
    rows = Work.objects.filter(
        Q(state=Work.State.WAITING, run_after__lte=now) | Q(state=Work.State.RUNNING, lease_until__lte=now)
    )
    if among is not None:
        rows = rows.filter(pk__in=among)
    return rows.filter(kind__in=kinds if kinds is not None else known_kinds())


def run_due(
    *,
    kinds: list[str] | None = None,
    limit: int | None = None,
    deadline_s: float | None = None,
    among: Collection[int] | None = None,
) -> int:
    """Run due work one row at a time until none is left, ``limit`` ran or ``deadline_s`` seconds passed.

    ``kinds`` and ``among`` (primary keys) leave other work to others.

    Returns how many rows ran. Several processes may run it at once: rows are claimed with SKIP LOCKED.
    """
    began, ran = time.monotonic(), 0
    while limit is None or ran < limit:
        if deadline_s is not None and time.monotonic() - began >= deadline_s:
            break
        row = _claim(kinds, among)
        if row is None:
            break
        _run(row)
        ran += 1
    return ran


def _claim(kinds: list[str] | None, among: Collection[int] | None) -> Work | None:
    with transaction.atomic():
        row = due(kinds, among).select_for_update(skip_locked=True).order_by("run_after", "id").first()
        if row is None:
            return None
        row.state = Work.State.RUNNING
        row.lease_until = timezone.now() + LEASE
        row.attempts += 1
        row.save(update_fields=["state", "lease_until", "attempts"])
    return row


def _run(row: Work) -> None:
    run = handler(row.kind)
    if run is None:
        raise LookupError(f"no handler for work of kind '{row.kind}'")
    try:
        run(row.payload)
    except RetryLater as later:
        _settle(
            row,
            state=Work.State.WAITING,
            run_after=timezone.now() + timedelta(seconds=later.seconds),
            attempts=F("attempts") - 1,
            error=str(later)[:500],
        )
    except Exception as error:
        log.exception("Work %s %s failed (attempt %s)", row.kind, row.key, row.attempts)
        last = row.attempts >= row.max_attempts
        _settle(
            row,
            state=Work.State.FAILED if last else Work.State.WAITING,
            run_after=timezone.now() + timedelta(seconds=min(600, 5 * 2**row.attempts)),
            finished_at=timezone.now() if last else None,
            error=f"{type(error).__name__}: {error}"[:500],
        )
    else:
        _settle(row, state=Work.State.DONE, finished_at=timezone.now(), error="")


def _settle(row: Work, **changes: object) -> None:
    # Only while the row is still this run's: a lease that ran out may have given it to another.
    Work.objects.filter(pk=row.pk, state=Work.State.RUNNING, lease_until=row.lease_until).update(
        lease_until=None, **changes
    )
