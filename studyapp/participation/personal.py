"""What this room keeps about a person."""

from studyapp.participation.models import Draw, Event, Participant, ProblemReport, Session, Visit
from studyapp.personal import PersonalRows

PERSONAL = [
    PersonalRows(
        model=Participant,
        by="participant",
        path="pk",
        what="Your id at the recruitment site (encrypted), a keyed fingerprint of it, and a random code",
        why="So that you take part once, and can be paid or found when you ask for erasure",
    ),
    PersonalRows(
        model=Session,
        by="session",
        path="pk",
        what="When you came, agreed and finished, how it ended, and which version of the study you saw",
        why="To know who took part in what",
    ),
    PersonalRows(
        model=Visit,
        by="session",
        path="session_id",
        what="When you began and finished each page",
        why="To see how long the pages take and where people stop",
    ),
    PersonalRows(
        model=Draw,
        by="session",
        path="session_id",
        what="Which statements were drawn for you",
        why="So that every draw can be checked",
    ),
    PersonalRows(
        model=Event,
        by="session",
        path="session_id",
        what="What happened in your session, such as a page finished or help offered, without your words",
        why="To find and mend what goes wrong",
    ),
    PersonalRows(
        model=ProblemReport,
        by="session",
        path="session_id",
        what="What you wrote under 'Report a problem'",
        why="So that the researchers can help",
    ),
]
