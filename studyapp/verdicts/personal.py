"""What this room keeps about a person."""

from studyapp.personal import PersonalRows
from studyapp.verdicts.models import Code, Verdict

PERSONAL = [
    PersonalRows(
        model=Code,
        by="message",
        path="message_id",
        what="How a reply of the AI to one of the study's statements was judged, and the words it rests on",
        why="The study looks at how the AI answers",
    ),
    PersonalRows(
        model=Verdict,
        by="message",
        path="message_id",
        what="What the judgements of a reply of the AI add up to",
        why="The study looks at how the AI answers",
    ),
]
