"""The states of a session: every allowed move, and the one function that moves."""

from typing import Any

from django.utils import timezone

from studyapp.participation import events
from studyapp.participation.models import Session

Status = Session.Status

MOVES: dict[str, frozenset[str]] = {
    Status.ARRIVED: frozenset(
        {
            Status.ACTIVE,
            Status.DECLINED,
            Status.SCREENED_OUT,
            Status.STUDY_FULL,
            Status.WITHDRAWN,
            Status.TIMED_OUT,
            Status.TECHNICAL,
        }
    ),
    Status.ACTIVE: frozenset(
        {
            Status.COMPLETE,
            Status.SCREENED_OUT,
            Status.STUDY_FULL,
            Status.FAILED_CHECKS,
            Status.WITHDRAWN,
            Status.TIMED_OUT,
            Status.TECHNICAL,
        }
    ),
    Status.COMPLETE: frozenset(),
    Status.DECLINED: frozenset(),
    Status.SCREENED_OUT: frozenset(),
    Status.STUDY_FULL: frozenset(),
    Status.FAILED_CHECKS: frozenset(),
    Status.WITHDRAWN: frozenset(),
    Status.TIMED_OUT: frozenset(),
    Status.TECHNICAL: frozenset(),
}

UNDER_WAY = frozenset(status for status, moves in MOVES.items() if moves)


class MoveRefused(Exception):
    """A session cannot go from the status it has to the one asked for."""

    def __init__(self, session: Session, to: str) -> None:
        super().__init__(f"session {session.pk} is {session.status} and cannot become {to}")


def move(*, session: Session, to: str, detail: dict[str, Any] | None = None) -> None:
    """Move a session, locked by the caller, to status ``to`` and record the move as an event.

    ``finished_at`` is set when nothing can follow. Raises MoveRefused.
    """
    before = str(session.status)
    if to not in MOVES[before]:
        raise MoveRefused(session, to)
    session.status = to
    if to not in UNDER_WAY:
        session.finished_at = timezone.now()
    session.save(update_fields=["status", "finished_at"])
    events.record(session=session, kind="status", detail={"from": before, "to": to, **(detail or {})})
