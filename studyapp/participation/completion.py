"""The completion code: fixed when a session has ended, committed before anybody sees it."""

import secrets

from studyapp.participation import transitions
from studyapp.participation.models import Session

CODE_LETTERS = "23456789BCDFGHJKMNPQRSTVWXZ"
GENERATED_LENGTH = 10


def finish(session: Session) -> None:
    """Give a session, locked by the caller, its code, and complete it where it was under way.

    The code is the study's for the way the session ended (``recruitment.codes``), else one made up
    for this session. A session that has a code keeps it.
    """
    outcome = Session.Status.COMPLETE if session.status in transitions.UNDER_WAY else session.status
    if not session.completion_code:
        codes = session.version.document["recruitment"]["codes"]
        session.completion_code = codes.get(outcome) or _made_up()
        session.save(update_fields=["completion_code"])
    if session.status in transitions.UNDER_WAY:
        transitions.move(session=session, to=Session.Status.COMPLETE)


def _made_up() -> str:
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(GENERATED_LENGTH))
