"""A small study with people in it, and their data set read back as plain rows."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from studyapp.exports.data_set import Written, write
from studyapp.exports.selection import Selection
from studyapp.participation import progress, withdrawal
from studyapp.participation.models import Session, Visit
from studyapp.studies.models import Study
from studyapp.work.runner import run_due
from tests import cast

GUESS = "Perhaps about how Ottoline talks with machines"
SHARED_GUESS = "Something with Quendolin, I guess"
SHARED_WORDS = "the Winklhuber lamp keeps flickering"
WORK = ["probes.private", "probes.forks", "verdicts.code"]

ASKED = (
    {"key": "heard", "kind": "scale", "scale": "fhs7"},
    {"key": "sincerity", "kind": "scale", "scale": "mdmt_sincere_capable"},
    {"key": "about", "kind": "scale", "scale": "about"},
)


def study(*, more: Sequence[Mapping[str, Any]] = ()) -> Study:
    """The cast's study, asking also a scale with reversed items, one with "does not fit" and one in words;
    and what ``more`` steps ask."""
    steps = yaml.safe_load(cast.STUDY_FILE.read_text(encoding="utf-8"))["steps"]
    place = next(index for index, step in enumerate(steps) if step["key"] == "debrief")
    return cast.study(steps=[*steps[:place], *ASKED, *more, *steps[place:]])


def goes_through(
    session: Session,
    *,
    to: str = "code",
    share: bool = False,
    words: str = cast.ADAS_WORDS,
    answers: Mapping[str, str] | None = None,
) -> Session:
    """Take a session forward; ``answers`` replace or, empty, remove what would be ticked (``i-<item>``)."""
    visit = progress.current(session)
    while visit.step_key != to:
        if visit.step_kind in {"conversation", "cards"}:
            result = cast.take_step(session, visit, words=words)
        else:
            data = _given(session, visit, share, answers or {})
            result = progress.submit(session=session, position=visit.position, data=data)
            if result.kind == "missing":
                result = progress.submit(session=session, position=visit.position, data=data)
        assert result.kind == "moved", f"at {visit.step_key}: {result}"
        visit = progress.current(session)
    return session


def _given(session: Session, visit: Visit, share: bool, answers: Mapping[str, str]) -> dict[str, str]:
    if visit.step_kind == "consent":
        return {**cast.answers_to(session, visit), "share_words": "yes" if share else "no"}
    if visit.administration is None:
        return {}
    data = {}
    for item in visit.administration.rendered["items"]:
        usual = str(int(item["maximum"])) if item["maximum"] is not None else ""
        if value := answers.get(f"i-{item['key']}", usual):
            data[f"i-{item['key']}"] = value
    return data


def everybody(made: Study) -> dict[str, Session]:
    """Ada shares her words, Ben does not; Cyd stops on the way, Dan declines, Eve just arrived."""
    ada = cast.arrives(made, recruitment_id=cast.ADA)
    goes_through(ada, share=True, words=SHARED_WORDS, answers={"i-guess": SHARED_GUESS})
    ben = cast.arrives(made, recruitment_id=cast.BEN)
    goes_through(ben, answers={"i-guess": GUESS})
    cyd = goes_through(cast.arrives(made), to="support")
    withdrawal.withdraw(session=cyd, keep=True)
    dan = cast.arrives(made)
    progress.submit(session=dan, position=progress.current(dan).position, data={"decline": "yes"})
    eve = cast.arrives(made)
    progress.current(eve)
    run_due(kinds=WORK)
    return {"ada": ada, "ben": ben, "cyd": cyd, "dan": dan, "eve": eve}


def export(made: Study, out: Path, *, kinds: tuple[str, ...] = ("pilot",), **more: bool) -> Written:
    return write(Selection(study=made, kinds=kinds, **more), out)


def table(folder: Path, name: str) -> list[dict[str, str]]:
    """The rows of a table as text."""
    with path_of(folder, name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def path_of(folder: Path, name: str) -> Path:
    (found,) = folder.glob(f"data/*_description-{name}_data.csv")
    return found


def header(folder: Path, name: str) -> list[str]:
    with path_of(folder, name).open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file))


def all_bytes(folder: Path) -> dict[str, bytes]:
    """Every file of the folder by its path in it."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
