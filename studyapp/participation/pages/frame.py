"""What every participant page carries: where one is, how long it takes, and the ways out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from studyapp.participation import cards, passage, transitions
from studyapp.participation.models import Kind, Session

_REHEARSAL = {
    Kind.PREVIEW: "Preview: you see this study as a participant would. Nothing here counts.",
    Kind.PILOT: "Pilot: this study is being tried out. Your answers are kept apart from the real data.",
}

# A conversation takes as long as several questionnaires; the rest are taken as equal. The minutes
# are the study's own estimate, shared out by these weights.
_WEIGHTS = {"conversation": 5.0, "cards": 2.0, "allocation": 0.0, "code": 0.0}


@dataclass(frozen=True)
class Part:
    """Where a session stands: part ``number`` of ``total``, about ``minutes_left`` to go."""

    number: int
    total: int
    minutes_left: int

    @property
    def minutes_text(self) -> str:
        if self.number == self.total:
            return "all done"
        if self.minutes_left < 1:
            return "almost done"
        return f"about {self.minutes_left} minute{'s' if self.minutes_left != 1 else ''} left"


def part_of(kinds: Sequence[str | None], position: int, minutes: float) -> Part:
    """The part that a step is. Pure.

    Parameters
    ----------
    kinds: the kind of every step, None for those this session passes by.
    position: index of the step shown.
    minutes: the study's estimate for the whole.
    """
    weights = [0.0 if kind is None else _WEIGHTS.get(kind, 1.0) for kind in kinds]
    seen = [index for index, kind in enumerate(kinds) if kind not in {None, "allocation"}]
    whole = sum(weights) or 1.0
    return Part(
        number=max(1, sum(index <= position for index in seen)),
        total=max(1, len(seen)),
        minutes_left=round(minutes * sum(weights[position:]) / whole),
    )


def planned(session: Session) -> list[str | None]:
    """The kind of every step, None for those this session passes by.

    Questions about what a card brought count for everybody who was dealt cards, before any is asked:
    the number of parts that a page shows must not change on the way.
    """
    asked = bool(cards.discussed(session))
    return [
        step["kind"] if (asked if step["kind"] == "right" else not passage.skipped(session, step)) else None
        for step in passage.steps(session)
    ]


def frame(session: Session, **extra: Any) -> dict[str, Any]:
    """Template context of a page within ``session``.

    Who has left early is told no part: what is left of the study is no longer the one they counted in.
    """
    document = session.version.document
    under_way = session.status in transitions.UNDER_WAY
    part = None
    if under_way or session.status == Session.Status.COMPLETE:
        part = part_of(planned(session), session.position, document["duration_minutes"])
    return {
        "slug": session.study.slug,
        "study_title": document["texts"].get("title") or document["title"],
        "language": document["language"],
        "document": document,
        "session": session,
        "has_session": True,
        "may_stop": under_way,
        "rehearsal": _REHEARSAL.get(session.kind),
        "part": part,
        "position": session.position,
        **extra,
    }
