"""A version holds the whole text of what sessions need, and never changes."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import DatabaseError, connection, transaction

from studyapp.agents.prompt import compose
from studyapp.canonical import canonical_json, sha256
from studyapp.studies import briefs, drafts, study_file, versions
from studyapp.studies.document import Document
from studyapp.studies.models import Study, StudyVersion
from tests.studies.small_study import CHAT

pytestmark = pytest.mark.django_db
REHEARSAL = StudyVersion.Kind.REHEARSAL


@pytest.fixture
def study() -> Study:
    return drafts.load(file=study_file.parse_text(CHAT, name="small"))


def test_the_document_holds_the_file_the_scales_the_persona_and_the_help(study: Study) -> None:
    document = versions.freeze(study=study, kind=REHEARSAL).document
    assert document["title"] == "A small study"
    assert document["agent"]["max_characters"] == 2000, "defaults are frozen too"
    assert set(document["scales"]) == {"affect", "ratings", "session_support", "right"}
    assert document["scales"]["affect"]["items"]
    assert document["persona_parts"]["base"]["plain"]["text"]
    assert {resource["country"] for resource in document["resources"]} >= {"GB", "international"}


def test_the_hash_is_of_the_canonical_document_as_the_database_gives_it_back(study: Study) -> None:
    version = versions.freeze(study=study, kind=REHEARSAL)
    version.refresh_from_db()
    assert sha256(canonical_json(version.document)) == version.sha256


def test_the_same_draft_gives_the_same_version(study: Study) -> None:
    first = versions.freeze(study=study, kind=REHEARSAL)
    drafts.load(file=study_file.parse_text(CHAT, name="small"))
    assert versions.freeze(study=study, kind=REHEARSAL).pk == first.pk
    live = versions.freeze(study=study, kind=StudyVersion.Kind.LIVE)
    assert live.pk != first.pk and live.sha256 == first.sha256


def test_a_changed_draft_gives_the_next_version_and_leaves_the_first(study: Study) -> None:
    first = versions.freeze(study=study, kind=REHEARSAL)
    drafts.load(file=study_file.parse_text(CHAT.replace("Say hello.", "Say more."), name="small"))
    second = versions.freeze(study=study, kind=REHEARSAL)
    assert (first.number, second.number) == (1, 2)
    first.refresh_from_db()
    assert Document.of(first).step(4).model_dump()["prompt"] == "Say hello."
    assert Document.of(second).step(4).model_dump()["prompt"] == "Say more."


def test_conditions_are_frozen_as_rows_in_their_order(study: Study) -> None:
    rows = versions.freeze(study=study, kind=REHEARSAL).conditions.all()
    assert [(row.slug, row.factors, row.weight, row.cap) for row in rows] == [
        ("default", {"warmth": "default"}, 1, None),
        ("warm", {"warmth": "warm"}, 1, None),
    ]


def test_a_version_cannot_be_rewritten(study: Study) -> None:
    version = versions.freeze(study=study, kind=REHEARSAL)
    with pytest.raises(DatabaseError, match="write-once"), transaction.atomic():
        StudyVersion.objects.filter(pk=version.pk).update(document={})


def test_the_document_is_read_by_name(study: Study) -> None:
    document = Document.of(versions.freeze(study=study, kind=REHEARSAL))
    assert document.condition("warm").warmth == 1
    assert document.card("bats").truth is False
    assert document.ask("bats", "against") == "I doubt that bats are blind. Is it true?"
    assert document.text("thanks") == "Thank you."
    with pytest.raises(KeyError, match="small has no 'hot'"):
        document.condition("hot")


def test_an_agent_is_the_studys_unless_the_condition_has_its_own() -> None:
    text = CHAT.replace(
        "    warmth: 1\n", "    warmth: 1\n    model: other-1\n    parameters: {temperature: 0}\n"
    )
    text = text.replace(
        "  provider: demo\n", "  provider: demo\n  model: demo-1\n  parameters: {temperature: 1}\n"
    )
    study = drafts.load(file=study_file.parse_text(text, name="small"))
    document = Document.of(versions.freeze(study=study, kind=REHEARSAL))
    default, warm = document.agent_for("default"), document.agent_for("warm")
    assert (default["model"], default["parameters"]) == ("demo-1", {"temperature": 1})
    assert (warm["model"], warm["parameters"], warm["provider"]) == ("other-1", {"temperature": 0}, "demo")


def test_a_brief_is_the_condition_made_plain_data(study: Study) -> None:
    version = versions.freeze(study=study, kind=REHEARSAL)
    document = Document.of(version)
    brief = briefs.brief_for(document, "warm", step=document.step(4), truth={"intercept": 2.0})
    assert (brief.min_turns, brief.max_turns, brief.opening) == (1, 3, "Hello, I am an AI.")
    assert brief.context == {
        "dose": 1.0,
        "persona": True,
        "history": True,
        "origin": {"version": version.pk, "condition": "warm"},
        "truth": {"intercept": 2.0},
    }
    warm = compose(brief.persona).system
    default = compose(briefs.brief_for(document, "default", step=document.step(4)).persona).system
    assert warm.startswith(default) and len(warm) > len(default), "warmth adds style and changes nothing else"


def test_a_brief_for_cards_takes_a_turn_per_claim_and_no_opening(study: Study) -> None:
    document = Document.of(versions.freeze(study=study, kind=REHEARSAL))
    brief = briefs.brief_for(document, "warm", step=document.step(7))
    assert (brief.min_turns, brief.max_turns, brief.opening) == (2, 2, "")


def test_a_shadow_without_persona_has_nothing_of_the_condition(study: Study) -> None:
    document = Document.of(versions.freeze(study=study, kind=REHEARSAL))
    brief = briefs.brief_for(document, "warm", step=document.step(4), persona=False, history=False)
    assert compose(brief.persona).system == ""
    assert (brief.context["dose"], brief.context["persona"], brief.context["history"]) == (0.0, False, False)


def test_a_persona_comes_from_the_frozen_parts_whatever_the_files_say_later(study: Study) -> None:
    version = versions.freeze(study=study, kind=REHEARSAL)
    document = dict(version.document)
    document["persona_parts"] = {
        "base": {"plain": {"text": "You are {agent_name} of old."}},
        "warmth": {"bands": [{"from": 1.0, "to": 1.0, "text": "Old warmth."}]},
    }
    old = Document(document, version.pk)
    brief = briefs.brief_for(old, "warm", step=old.step(4))
    assert compose(brief.persona).system == "You are Ari of old.\n\nOld warmth."


def test_a_brief_needs_to_know_its_version(study: Study) -> None:
    document = Document(versions.freeze(study=study, kind=REHEARSAL).document)
    with pytest.raises(ValueError, match=r"Document\.of"):
        briefs.brief_for(document, "warm", step=document.step(4))


@pytest.mark.django_db(transaction=True)
def test_two_freezes_at_once_make_one_version(study: Study) -> None:
    together = threading.Barrier(4, timeout=10)

    def freeze(_: int) -> int:
        try:
            together.wait()
            return versions.freeze(study=study, kind=REHEARSAL).pk
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        made = set(pool.map(freeze, range(4)))
    assert len(made) == 1
    assert StudyVersion.objects.count() == 1
