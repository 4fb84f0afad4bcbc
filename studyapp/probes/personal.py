"""What this room keeps about a person."""

from studyapp.personal import PersonalRows
from studyapp.probes.models import Fork

PERSONAL = [
    PersonalRows(
        model=Fork,
        by="conversation",
        path="origin_id",
        what="That copies of your conversation were continued with fixed questions, and which",
        why="The study looks at how the AI answers the same questions after different conversations",
    )
]
