"""Where a session stands and how it moves: the only two things a page asks.

The position lives in the session's row. A page says which position it was made for; one that the
session has left since moves nobody and overwrites nothing.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from django.db import transaction

from studyapp.chat import conversations
from studyapp.chat.models import Conversation, Message
from studyapp.participation import arrivals, consent, events, passage, withdrawal
from studyapp.participation.models import Session, Visit
from surveys import answers
from surveys.answers import AnswerRefused, Submission

Kind = Literal["moved", "missing", "stale", "refused"]


@dataclass(frozen=True)
class Result:
    """What came of a page handed in.

    Attributes
    ----------
    kind: ``moved`` on; ``missing`` answers, asked for this once; ``stale``, the session stands
        elsewhere by now; ``refused``, with ``code`` and a ``message`` for the participant.
    position: where the session stands now.
    missing: keys of items (or, at consent, indices of statements) left open.
    submission: at a scale, what surveys made of it (refused values with their reasons).
    """

    kind: Kind
    position: int
    missing: tuple[str, ...] = ()
    code: str = ""
    message: str = ""
    submission: Submission | None = None


@dataclass(frozen=True)
class _Stay:
    """Why a session does not go on."""

    kind: Kind
    missing: tuple[str, ...] = ()
    code: str = ""
    message: str = ""
    submission: Submission | None = None


@transaction.atomic
def current(session: Session, *, truth: Mapping[str, Any] | None = None) -> Visit:
    """The visit to the step a session stands at; makes what the step needs on first arrival.

    ``session`` is brought up to date. ``truth``: plain data for the demo agent (simulation).
    """
    here = passage.locked(session)
    passage.settle(here)
    visit = arrivals.arrive(here, truth=truth)
    passage.bring_up_to_date(session, here)
    return visit


@transaction.atomic
def submit(*, session: Session, position: int, data: Mapping[str, str]) -> Result:
    """Hand in the page made for ``position``; what each kind of step reads of ``data``:

    - ``consent``: ``decline``, or ``statement-<index>`` per statement ticked and ``share_words`` = "yes".
    - ``scale``, ``ratings``, ``right``: ``i-<item>``, ``t-<item>`` and so on, see surveys.answers.
    - ``conversation``, ``cards``: nothing; the conversation ends.
    - ``debrief``: ``keep`` = "no" asks for erasure.
    """
    here = passage.locked(session)
    passage.settle(here)
    if position != here.position:
        return Result("stale", here.position)
    visit = arrivals.arrive(here)
    stay = _HANDLERS[visit.step_kind](here, visit, data)
    passage.bring_up_to_date(session, here)
    if stay is None:
        return Result("moved", session.position)
    return Result(
        stay.kind,
        session.position,
        missing=stay.missing,
        code=stay.code,
        message=stay.message,
        submission=stay.submission,
    )


@transaction.atomic
def autosave(*, session: Session, position: int, payload: object) -> list[AnswerRefused] | None:
    """Keep answers while a page is being filled in; None where the session stands elsewhere by now.

    ``payload`` is the autosave's JSON body. Returns the answers that could not be kept.
    Raises surveys.answers.AnswerRefused when the body has another shape.
    """
    batch = answers.from_json(payload)
    here = passage.locked(session)
    if position != here.position:
        return None
    visit = arrivals.arrive(here)
    if visit.administration is None:
        return None
    saved = answers.autosave(administration=visit.administration, answers=batch)
    _record_cleaned(here, visit, saved.cleaned)
    return saved.refused


def _consent(session: Session, visit: Visit, data: Mapping[str, str]) -> _Stay | None:
    if "decline" in data:
        consent.decline(session=session)
        return None
    ticked = {index for index in range(_statements(session)) if f"statement-{index}" in data}
    try:
        consent.give(session=session, statements=ticked, share_words=data.get("share_words") == "yes")
    except consent.ConsentIncomplete as refusal:
        return _Stay("missing", missing=tuple(map(str, refusal.missing)), message=str(refusal))
    return None


def _scale(session: Session, visit: Visit, data: Mapping[str, str]) -> _Stay | None:
    submission = answers.submit(administration=visit.administration, data=data)
    _record_cleaned(session, visit, submission.cleaned)
    if not submission.done:
        return _Stay("missing", missing=tuple(submission.missing), submission=submission)
    passage.onward(session)
    return None


def _conversation(session: Session, visit: Visit, data: Mapping[str, str]) -> _Stay | None:
    conversation = visit.conversation
    if busy := _busy(conversation):
        return busy
    if not conversations.may_leave(conversation):
        wanted = conversations.brief_of(conversation).min_turns
        done = conversations.turns_done(conversation)
        return _Stay(
            "refused", code="too_few", message=f"{done} of {wanted} messages so far. Please go on a little."
        )
    enough = conversations.turns_done(conversation) >= conversations.brief_of(conversation).min_turns
    if not enough and _failed(conversation):
        # The partner broke down: nobody is made to rate what did not take place.
        passage.leave(session, Session.Status.TECHNICAL)
        return None
    conversations.end(conversation=conversation, reason="finished")
    passage.onward(session)
    return None


def _cards(session: Session, visit: Visit, data: Mapping[str, str]) -> _Stay | None:
    conversation = visit.conversation
    if busy := _busy(conversation):
        return busy
    open_ = conversation.tasks.filter(raised_at=None).values_list("key", flat=True)
    if open_ and conversation.state == Conversation.State.OPEN:
        return _Stay("refused", missing=tuple(open_), code="too_few", message="Some are still to be asked.")
    conversations.end(conversation=conversation, reason="finished")
    passage.onward(session)
    return None


def _debrief(session: Session, visit: Visit, data: Mapping[str, str]) -> _Stay | None:
    if data.get("keep") == "no":
        events.record(session=session, kind="asked_for_erasure", detail={"step": visit.step_key})
        withdrawal.ask_for_erasure(session)
    passage.onward(session)
    return None


def _code(session: Session, visit: Visit, data: Mapping[str, str]) -> _Stay | None:
    return _Stay("refused", code="last_step", message="This was the last page.")


_HANDLERS: dict[str, Callable[[Session, Visit, Mapping[str, str]], _Stay | None]] = {
    "consent": _consent,
    "scale": _scale,
    "ratings": _scale,
    "right": _scale,
    "conversation": _conversation,
    "cards": _cards,
    "debrief": _debrief,
    "code": _code,
}


def _statements(session: Session) -> int:
    return len(session.version.document["consent"]["statements"])


def _busy(conversation: Conversation) -> _Stay | None:
    in_flight = conversations.replies(conversation).filter(
        state__in=[Message.State.PENDING, Message.State.STREAMING]
    )
    if not in_flight.exists():
        return None
    return _Stay("refused", code="busy", message="The reply is still on its way. Please wait for it.")


def _failed(conversation: Conversation) -> bool:
    last = conversations.replies(conversation).order_by("position").last()
    return last is not None and last.state == Message.State.FAILED


def _record_cleaned(session: Session, visit: Visit, items: list[str]) -> None:
    if items:
        events.record(session=session, kind="text_cleaned", detail={"step": visit.step_key, "items": items})
