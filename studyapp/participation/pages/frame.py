"""What every participant page carries: where one is, how long it takes, and the ways out."""

from dataclasses import dataclass
from typing import Any

from studyapp.participation.models import Kind, Session
from studyapp.studies.document import Document

_REHEARSAL = {
    Kind.PREVIEW: "Preview: you see this study as a participant would. Nothing here counts.",
    Kind.PILOT: "Pilot: this study is being tried out. Your answers are kept apart from the real data.",
}

# A conversation takes as long as several questionnaires; the rest are taken as equal. Minutes are
# the study's own estimate, shared out by these weights.
_WEIGHTS = {"conversation": 5.0, "cards": 2.0, "allocation": 0.0, "code": 0.0}


@dataclass(frozen=True)
class Part:
    """Where a session stands: part ``number`` of ``total``, about ``minutes_left`` to go."""

    number: int
    total: int
    minutes_left: int

    @property
    def minutes_text(self) -> str:
        if self.minutes_left < 1:
            return "almost done"
        return f"about {self.minutes_left} minute{'s' if self.minutes_left != 1 else ''} left"


def part(session: Session, position: int, document: Document) -> Part:
    """Count the steps this session will see; steps it skips (see ``unless``) do not count."""
    from studyapp.participation.progress import skipped

    seen = [
        index
        for index, step in enumerate(document.steps)
        if step["kind"] != "allocation" and not skipped(session, step)
    ]
    weights = {index: _WEIGHTS.get(document.steps[index]["kind"], 1.0) for index in seen}
    left = sum(weight for index, weight in weights.items() if index >= position)
    whole = sum(weights.values()) or 1.0
    return Part(
        number=max(1, sum(index <= position for index in seen)),
        total=max(1, len(seen)),
        minutes_left=round(document["duration_minutes"] * left / whole),
    )


def frame(session: Session, *, position: int | None = None, **extra: Any) -> dict[str, Any]:
    """Template context of a page within ``session``; ``position`` is the step shown, if it is one."""
    document = Document(session.version.document)
    unfinished = session.status in {Session.Status.ARRIVED, Session.Status.ACTIVE}
    return {
        "slug": session.study.slug,
        "study_title": document["title"],
        "language": document["language"],
        "document": document,
        "session": session,
        "has_session": True,
        "may_stop": unfinished,
        "rehearsal": _REHEARSAL.get(session.kind),
        "part": part(session, position, document) if position is not None and unfinished else None,
        "position": position,
        **extra,
    }
