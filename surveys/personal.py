"""What this room keeps about a person."""

from studyapp.personal import PersonalRows
from surveys.models import Administration, Response

PERSONAL = [
    PersonalRows(
        model=Response,
        by="administration",
        path="administration_id",
        what="Your answers to questions, and when you gave and changed them",
        why="They are what the study is about.",
    ),
    PersonalRows(
        model=Administration,
        by="administration",
        path="id",
        what="Which questions you were shown, in which order and when",
        why="Answers can only be understood together with the questions as they were shown.",
    ),
]
