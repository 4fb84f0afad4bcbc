"""A participant's words about a problem."""

from django.utils import timezone

from studyapp.chat.storable import storable
from studyapp.participation import events, passage
from studyapp.participation.models import ProblemReport, Session

LONGEST = 4000


class ReportRefused(Exception):
    """The report was not taken; the message is for the participant. ``code``: "empty" | "too_long"."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def report(*, session: Session, text: str) -> ProblemReport:
    """Keep what a participant reports, with the step they were at. Raises ReportRefused."""
    text, removed = storable(text)
    text = text.strip()
    if not text:
        raise ReportRefused("empty", "Please write a few words about the problem.")
    if len(text) > LONGEST:
        raise ReportRefused(
            "too_long",
            f"This report has {len(text):,} characters; please keep it to {LONGEST:,}. Nothing is lost.",
        )
    step = passage.step_here(session)["key"]
    kept = ProblemReport.objects.create(session=session, step_key=step, text=text, at=timezone.now())
    events.record(session=session, kind="problem_reported", detail={"step": step, "characters": len(text)})
    if removed:
        events.record(session=session, kind="text_cleaned", detail={"step": step, "removed": removed})
    return kept
