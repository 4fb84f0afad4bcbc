"""Stopping: at any time, keeping what was given or having it erased, and never without debrief and code."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from studyapp.participation import erasure, events, passage, transitions
from studyapp.participation.models import Session
from studyapp.studies.models import Study
from studyapp.work import queue
from studyapp.work.models import Work

ERASE = "participation.erase"

# How long somebody who asked for erasure can still read their debrief and copy their code.
GRACE = timedelta(hours=24)


@transaction.atomic
def withdraw(*, session: Session, keep: bool) -> None:
    """End a session at its participant's wish; debrief and code are what is left of it.

    ``keep=False`` asks for erasure: it happens when they leave the code page (``leave_code_page``),
    else after GRACE. Withdrawing again, or after the end, changes nothing but may add that wish.
    """
    here = passage.locked(session)
    under_way = here.status in transitions.UNDER_WAY
    if under_way:
        passage.leave(here, Session.Status.WITHDRAWN)
    if under_way or not keep:
        events.record(session=here, kind="withdrew", detail={"keep": keep, "under_way": under_way})
    if not keep:
        ask_for_erasure(here)
    passage.bring_up_to_date(session, here)


def ask_for_erasure(session: Session) -> None:
    """Put the erasure of a locked session's participant in the queue, once."""
    queue.enqueue(
        kind=ERASE,
        key=str(session.pk),
        payload={"session": str(session.pk)},
        subject=f"session:{session.pk}",
        run_after=timezone.now() + GRACE,
    )


def erasure_asked(session: Session) -> bool:
    """Whether the participant asked that everything be erased."""
    return Work.objects.filter(kind=ERASE, key=str(session.pk)).exists()


def erasures_asked(study: Study) -> list[UUID]:
    """The sessions of a study whose participants asked for erasure and are still there."""
    asked = Work.objects.filter(kind=ERASE).exclude(state=Work.State.DONE).values_list("key", flat=True)
    found = Session.objects.filter(study=study, pk__in=[UUID(key) for key in asked])
    return list(found.values_list("pk", flat=True))


@transaction.atomic
def leave_code_page(*, session: Session) -> bool:
    """The participant has their code and leaves. True where they had asked for erasure: it is done now."""
    here = passage.locked(session)
    if not here.completion_code or not erasure_asked(here):
        return False
    erasure.erase(participant=here.participant)
    return True


def run_erasure(payload: dict[str, Any]) -> None:
    """Work handler: the grace has passed. Somebody erased since is done."""
    session = Session.objects.filter(pk=payload["session"]).select_related("participant").first()
    if session is not None:
        erasure.erase(participant=session.participant)
