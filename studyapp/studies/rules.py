"""Rules about how the parts of a study fit each other, each naming the sections it reads.

So a file that is broken in one place is still checked in the others.
"""

from collections.abc import Callable, Iterable, Iterator

from studyapp.studies.complaints import Complaint
from studyapp.studies.whole import StudyFile

Check = Callable[[StudyFile], Iterator[Complaint]]


class Rule:
    """A check and the sections it reads; calling it runs the check."""

    def __init__(self, check: Check, sections: Iterable[str]) -> None:
        self.check = check
        self.sections = frozenset(sections)

    def __call__(self, study: StudyFile) -> Iterator[Complaint]:
        return self.check(study)


def reads(*sections: str) -> Callable[[Check], Rule]:
    """Make a rule of a check that reads these sections only."""
    return lambda check: Rule(check, sections)
