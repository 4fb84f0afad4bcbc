"""A study's status: which moves there are, and what a move takes. Each move leaves one audit row."""

from collections.abc import Sequence

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from studyapp.studies import audit, checks, drafts, versions
from studyapp.studies.models import Study, StudyVersion

Status = Study.Status

# (verb, from) -> to. What is not here is refused.
MOVES: dict[tuple[str, str], str] = {
    ("pilot", Status.DRAFT): Status.PILOTING,
    ("pilot", Status.PILOTING): Status.PILOTING,
    ("pilot", Status.PAUSED): Status.PILOTING,
    ("launch", Status.DRAFT): Status.LIVE,
    ("launch", Status.PILOTING): Status.LIVE,
    ("launch", Status.PAUSED): Status.LIVE,
    ("pause", Status.PILOTING): Status.PAUSED,
    ("pause", Status.LIVE): Status.PAUSED,
    ("close", Status.DRAFT): Status.CLOSED,
    ("close", Status.PILOTING): Status.CLOSED,
    ("close", Status.LIVE): Status.CLOSED,
    ("close", Status.PAUSED): Status.CLOSED,
}


class Refused(Exception):
    """A move that is not made. ``problems`` are the checks that refused; empty when the status did."""

    def __init__(self, message: str, problems: Sequence[checks.Problem] = ()) -> None:
        self.problems = list(problems)
        super().__init__("\n".join([message, *(f"- {problem}" for problem in problems)]))


def pilot(*, study: Study, user: AbstractBaseUser | None = None) -> Study:
    """Open the study for pilot sessions; the demo agent is welcome. Raises Refused, StudyFileError."""
    return _move(study, "pilot", user)


def launch(*, study: Study, user: AbstractBaseUser | None = None) -> Study:
    """Freeze the draft as a live version and open the study. Raises Refused, StudyFileError."""
    return _move(study, "launch", user)


def pause(*, study: Study, user: AbstractBaseUser | None = None) -> Study:
    """Let nobody new in; sessions under way go on. Raises Refused."""
    return _move(study, "pause", user)


def close(*, study: Study, user: AbstractBaseUser | None = None) -> Study:
    """End the study for good. Raises Refused."""
    return _move(study, "close", user)


@transaction.atomic
def _move(study: Study, verb: str, user: AbstractBaseUser | None) -> Study:
    # The row as it is now, not as the caller read it.
    locked = Study.objects.select_for_update().get(pk=study.pk)
    before = locked.status
    after = MOVES.get((verb, before))
    if after is None:
        possible = sorted(name for name, status in MOVES if status == before)
        way_out = f"from here it can: {', '.join(possible)}" if possible else "it is closed for good"
        raise Refused(f"study {locked.slug} is {before}, so it cannot {verb}; {way_out}")
    detail: dict[str, object] = {"from": before, "to": after}
    if verb in {"pilot", "launch"}:
        purpose: checks.Purpose = "live" if verb == "launch" else "pilot"
        _check(locked, verb, purpose)
    if verb == "launch":
        version = versions.freeze(study=locked, kind=StudyVersion.Kind.LIVE)
        detail |= {"version": version.number, "sha256": version.sha256}
    locked.status = after
    locked.save(update_fields=["status", "updated_at"])
    audit.record(action=f"study_{verb}", study_slug=locked.slug, user=user, detail=detail)
    study.status = after
    return locked


def _check(study: Study, verb: str, purpose: checks.Purpose) -> None:
    found = checks.run(drafts.dump(study), purpose=purpose)
    refusing = [problem for problem in found if problem.level == "refuses"]
    if refusing:
        raise Refused(f"study {study.slug} cannot {verb} yet:", refusing)
