"""The last page: what it says for each way a session can end."""

from dataclasses import dataclass

from studyapp.participation import withdrawal
from studyapp.participation.models import Session

Status = Session.Status

_HEADINGS = {
    Status.COMPLETE: "Thank you",
    Status.DECLINED: "You did not take part",
    Status.STUDY_FULL: "The study is full",
    Status.SCREENED_OUT: "This study is not for you this time",
    Status.FAILED_CHECKS: "The study ends here",
    Status.WITHDRAWN: "You have stopped taking part",
    Status.TIMED_OUT: "The time for this study is over",
    Status.TECHNICAL: "Something broke, and it was not you",
}

# The study's own text for an outcome; where it has none, a sentence of ours.
_TEXTS = {
    Status.COMPLETE: "thanks",
    Status.DECLINED: "declined",
    Status.STUDY_FULL: "full",
    Status.WITHDRAWN: "withdrawn",
}
_OWN_WORDS = {
    Status.TECHNICAL: "The conversation partner stopped working, so the study ends here for you. "
    "This was our fault. Please keep the code: it says what happened.",
    Status.FAILED_CHECKS: "Some answers did not fit the instructions, so the study ends here.",
    Status.TIMED_OUT: "The study was open for you for a limited time, which is over.",
    Status.SCREENED_OUT: "This study looks for people in another situation than yours. Thank you for asking.",
}


@dataclass(frozen=True)
class Ending:
    """What the last page shows. ``return_url`` is "" where the study names none."""

    heading: str
    text: str
    code: str
    return_url: str
    erasure_asked: bool


def ending(session: Session) -> Ending:
    """The ending of a session that has its code."""
    status, document = Status(session.status), session.version.document
    text = document["texts"][_TEXTS[status]] if status in _TEXTS else _OWN_WORDS[status]
    template = document["recruitment"].get("return_url") or ""
    return Ending(
        heading=_HEADINGS[status],
        text=text,
        code=session.completion_code,
        return_url=template.replace("{code}", session.completion_code),
        erasure_asked=withdrawal.erasure_asked(session),
    )
