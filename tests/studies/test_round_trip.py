"""A study goes from file to rows and back, and out as a file, without losing anything."""

from pathlib import Path

import pytest
import yaml

from studyapp.studies import drafts, study_file, yaml_writer
from studyapp.studies.complaints import StudyFileError
from studyapp.studies.models import AuditEntry, Membership, Study
from studyapp.studies.study_file import StudyFile
from tests.studies.small_study import CHAT, WITHOUT_CHAT

SHIPPED = sorted((Path(__file__).resolve().parents[2] / "studies").glob("*.yaml"))
SECOND = """
    warmth: 0.5
    cap: 30
    model: other-1
    provider: local
"""
FIRST = """
    warmth: 0
    prompt_mode: text
    prompt_text: |
      Be brief.

      Be clear.
    parameters: {temperature: 0}
"""
EVERY_FIELD = (
    CHAT.replace("\n    warmth: 1\n", SECOND)
    .replace("\n    warmth: 0\n", FIRST)
    .replace("title: A small study", "title: \"Schön: 'no' — #1, \U0001f642 <b>\"")
    .replace("domain: sky,", "domain: sky, refusal: correct,", 1)
)


def texts() -> dict[str, str]:
    return {
        **{path.stem: path.read_text() for path in SHIPPED},
        "small": CHAT,
        "without chat": WITHOUT_CHAT,
        "every field": EVERY_FIELD,
    }


@pytest.mark.parametrize("name", texts())
def test_a_study_written_as_yaml_is_the_same_study(name: str) -> None:
    study = study_file.parse_text(texts()[name], name=name)
    written = yaml_writer.write(study)
    assert study_file.parse_text(written, name=name) == study
    assert max(map(len, written.splitlines())) <= 130


@pytest.mark.parametrize("name", texts())
def test_other_yaml_readers_understand_the_written_file_alike(name: str) -> None:
    study = study_file.parse_text(texts()[name], name=name)
    assert StudyFile.model_validate(yaml.safe_load(yaml_writer.write(study))) == study


@pytest.mark.django_db
@pytest.mark.parametrize("name", texts())
def test_a_loaded_study_dumps_to_the_same_study(name: str) -> None:
    study = study_file.parse_text(texts()[name], name=name)
    assert drafts.dump(drafts.load(file=study)) == study


@pytest.mark.django_db
def test_loading_again_brings_the_draft_to_the_file_and_keeps_rows_that_stay() -> None:
    first = study_file.parse_text(CHAT, name="small")
    study = drafts.load(file=first)
    kept = study.steps.get(key="support").pk
    changed = study_file.parse_text(
        CHAT.replace("  - {key: mood_after, kind: scale, scale: affect}\n", "")
        .replace("  - {key: support, kind: scale, scale: session_support}\n", "")
        .replace(
            "  - {key: debrief,",
            "  - {key: support, kind: scale, scale: session_support}\n  - {key: debrief,",
        )
        .replace("label: Warm style", "label: Very warm style"),
        name="small",
    )
    drafts.load(file=changed)
    assert Study.objects.count() == 1
    assert drafts.dump(study) == changed
    assert study.steps.get(key="support").pk == kept
    assert not study.steps.filter(key="mood_after").exists()


@pytest.mark.django_db
def test_a_study_that_lost_its_chat_loses_its_rows() -> None:
    study = drafts.load(file=study_file.parse_text(CHAT, name="small"))
    bare = study_file.parse_text(WITHOUT_CHAT.replace("questions-only", "small"), name="small")
    study = drafts.load(file=bare)
    assert drafts.dump(study) == bare
    assert not study.cards.exists() and not study.conditions.exists() and not study.factors.exists()


@pytest.mark.django_db
def test_who_loads_a_new_study_owns_it_and_the_audit_log_says_so(django_user_model: type) -> None:
    user = django_user_model.objects.create_user("ada")
    file = study_file.parse_text(CHAT, name="small")
    study = drafts.load(file=file, user=user)
    drafts.load(file=file, user=user)
    assert study.memberships.get().role == Membership.Role.OWNER
    entries = AuditEntry.objects.filter(action="study_loaded", study_slug="small").order_by("at")
    assert [entry.detail["made"] for entry in entries] == [True, False]
    assert entries[0].user == user


@pytest.mark.django_db
def test_a_draft_whose_rows_lost_their_shape_says_where() -> None:
    study = drafts.load(file=study_file.parse_text(CHAT, name="small"))
    study.steps.filter(key="talk").update(config={"min_turns": "many"})
    study.contact = {"name": "Ada"}
    study.save()
    with pytest.raises(StudyFileError) as refused:
        drafts.dump(study)
    message = str(refused.value)
    assert "study small: contact.email: is missing" in message
    assert "steps[talk].min_turns: 'many' is not a whole number" in message
    assert "steps[talk].prompt: is missing" in message
