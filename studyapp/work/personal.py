from studyapp.personal import PersonalRows
from studyapp.work.models import Work

PERSONAL = [
    PersonalRows(
        model=Work,
        by="subject",
        path="subject",
        what="That something remained to be done with your session (numbers only)",
        why="So that nothing asked for is forgotten",
    )
]
