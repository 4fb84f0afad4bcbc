"""How a session gets from step to step, and by which way it leaves.

Every function here works on a session that ``locked`` returned, inside the caller's transaction.
"""

from typing import Any

from django.utils import timezone

from studyapp.chat import conversations
from studyapp.participation import allocating, cards, completion, draws, events, transitions
from studyapp.participation.allocation import StudyFull
from studyapp.participation.models import Session, Visit

Status = Session.Status

# Those who stopped on the way may have heard something false from the agent: they see the debrief.
DEBRIEFED = frozenset({Status.WITHDRAWN, Status.TECHNICAL, Status.FAILED_CHECKS, Status.TIMED_OUT})

_FROZEN = frozenset({"version", "condition"})


class NoStepLeft(Exception):
    """A version's steps end without a code; ``check_study`` refuses such a study."""


def locked(session: Session) -> Session:
    """The session as committed, its row locked until the transaction ends.

    A version and a condition that the caller has read are taken over: they are frozen, and a version's
    document is far larger than all else that is read here.
    """
    known = {name for name in _FROZEN if Session._meta.get_field(name).is_cached(session)}
    rows = Session.objects.select_for_update(of=("self",))
    here = rows.select_related("participant", "study", *(_FROZEN - known)).get(pk=session.pk)
    for name in known:
        if getattr(here, f"{name}_id") == getattr(session, f"{name}_id"):
            setattr(here, name, getattr(session, name))
    return here


def bring_up_to_date(session: Session, here: Session) -> None:
    """Let a caller's ``session`` say what ``here``, the locked one, says, without asking again."""
    for field in Session._meta.concrete_fields:
        setattr(session, field.attname, getattr(here, field.attname))
    for name in ("participant", "study", "version", "condition"):
        setattr(session, name, getattr(here, name))


def steps(session: Session) -> list[dict[str, Any]]:
    """The steps of the session's version, in order."""
    return session.version.document["steps"]


def step_here(session: Session) -> dict[str, Any]:
    """The step the session stands at."""
    return steps(session)[session.position]


def settle(session: Session) -> None:
    """Bring a session to a step somebody can see: from where it stands, past what it skips.

    Allocation is drawn in passing; where no place is left the session leaves as ``study_full``.
    Arriving at the code ends the session.
    """
    _go(session, session.position)


def onward(session: Session) -> None:
    """Complete the step the session stands at and go to the next that is for it."""
    now = timezone.now()
    session.visits.filter(position=session.position, completed_at=None).update(completed_at=now)
    events.record(
        session=session,
        kind="step_done",
        detail={"step": step_here(session)["key"], "position": session.position},
    )
    _go(session, session.position + 1)


def leave(session: Session, status: str) -> None:
    """End a session early: its conversation ends, and only debrief and code are left of its steps."""
    for visit in session.visits.filter(conversation__isnull=False).select_related("conversation"):
        conversations.end(conversation=visit.conversation, reason=status)
    step = step_here(session)["key"]
    transitions.move(session=session, to=status, detail={"step": step, "position": session.position})
    settle(session)


def skipped(session: Session, step: dict[str, Any]) -> bool:
    """Whether a session passes a step by."""
    kind = step["kind"]
    if session.status not in transitions.UNDER_WAY and session.status != Status.COMPLETE:
        debriefed = session.status in DEBRIEFED and session.consented_at is not None
        return kind != "code" and not (kind == "debrief" and debriefed)
    if step.get("unless") == draws.SOLOMON and draws.solomon(session):
        return True
    if kind == "ratings":
        return not cards.rated(session)
    if kind == "cards":
        return not cards.discussed(session)
    if kind == "right":
        return not cards.raised(session)
    return False


def _go(session: Session, position: int) -> None:
    every = steps(session)
    while position < len(every):
        step = every[position]
        if not skipped(session, step):
            if step["kind"] != "allocation":
                break
            if not _allocated(session, step, position):
                return
        position += 1
    else:
        raise NoStepLeft(
            f"the steps of {session.version} end without a step of kind 'code'; add one at the end"
        )
    if position != session.position:
        session.position = position
        session.save(update_fields=["position"])
    if every[position]["kind"] == "code" and not session.completion_code:
        completion.finish(session)


def _allocated(session: Session, step: dict[str, Any], position: int) -> bool:
    """Pass through an allocation step; False where the study was full and the session has left."""
    session.position = position
    session.save(update_fields=["position"])
    now = timezone.now()
    visit, _ = Visit.objects.get_or_create(
        session=session,
        position=position,
        defaults={"step_key": step["key"], "step_kind": step["kind"], "started_at": now},
    )
    try:
        allocating.allocate(session=session)
    except StudyFull:
        leave(session, Status.STUDY_FULL)
        return False
    visit.completed_at = now
    visit.save(update_fields=["completed_at"])
    return True
