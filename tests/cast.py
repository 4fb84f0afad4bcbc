"""A fixed cast: one small study with every kind of step, people who take it, and how they walk through.

Everybody acts through the services pages use; nothing here writes rows of its own.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from studyapp.chat import turns
from studyapp.participation import entry, passage, progress
from studyapp.participation.models import Session, Visit
from studyapp.studies import drafts, lifecycle, study_file
from studyapp.studies.models import Study

STUDY_FILE = Path(__file__).with_name("cast_study.yaml")

# Recruitment ids as a platform gives them out, and what is said; erasure is tested by looking for both.
ADA = "5f1a0c9d8e7b6a5f4e3d2c1b"
BEN = "60b1c2d3e4f5a6b7c8d9e0f1"
ADAS_WORDS = "my aunt Ottoline keeps ringing about the curtains"

# Seeds by what is drawn from them for the cast's study: in the Solomon share or not.
SEED = 2
SOLOMON_SEED = 1


def study(*, status: str = Study.Status.PILOTING, **changes: object) -> Study:
    """The cast's study, open for pilots; ``changes`` replace whole sections of its file."""
    file = study_file.read(STUDY_FILE)
    if changes:
        document = file.model_dump(mode="json", by_alias=True) | changes
        file = study_file.parse(document, name=STUDY_FILE.name)
    made = drafts.load(file=file)
    if status == Study.Status.PILOTING:
        return lifecycle.pilot(study=made)
    # A study with a chat cannot be launched yet; tests about other doors set the status itself.
    made.status = status
    made.save(update_fields=["status"])
    return made


def arrives(study: Study, *, recruitment_id: str | None = None, seed: int | None = SEED) -> Session:
    """Somebody comes in, by default outside the Solomon share."""
    source = "plain" if recruitment_id is None else "prolific"
    return entry.enter(study=study, source=source, recruitment_id=recruitment_id, seed=seed)


def walk(session: Session, *, to: str) -> Visit:
    """Take a session forward until it stands at the step of key ``to``, answering everything on the way."""
    visit = progress.current(session)
    while visit.step_key != to:
        assert visit.step_kind != "code", f"the session ended before it came to {to}"
        result = take_step(session, visit)
        assert result.kind == "moved", f"at {visit.step_key}: {result}"
        visit = progress.current(session)
    return visit


def take_step(session: Session, visit: Visit, *, words: str = ADAS_WORDS) -> progress.Result:
    """Do what the step asks and hand its page in."""
    if visit.step_kind == "conversation":
        talk(visit, times=passage.step_here(session)["min_turns"], words=words)
    elif visit.step_kind == "cards":
        for task in visit.conversation.tasks.order_by("position"):
            turns.say(conversation=visit.conversation, client_key=f"tap-{task.key}", task_key=task.key)
    return progress.submit(session=session, position=visit.position, data=answers_to(session, visit))


def talk(visit: Visit, *, times: int, words: str = ADAS_WORDS) -> None:
    """Say something ``times`` times and get each reply."""
    for number in range(times):
        turns.say(conversation=visit.conversation, client_key=f"say-{number}", text=f"{words} ({number})")


def answers_to(session: Session, visit: Visit) -> Mapping[str, str]:
    """What a browser would send from the visit's page, every item answered."""
    if visit.step_kind == "consent":
        statements = session.version.document["consent"]["statements"]
        return {f"statement-{index}": "on" for index in range(len(statements))} | {"share_words": "no"}
    if visit.administration is None:
        return {}
    return {f"i-{item['key']}": _answer(item) for item in visit.administration.rendered["items"]}


def _answer(item: Mapping[str, Any]) -> str:
    if item["options"]:
        return str(item["options"][0]["value"])
    if item["maximum"] is not None:
        return str(int(item["maximum"]))
    return "3" if item["kind"] == "number" else "a few words"
