"""Simulated participants: the same from the same seed, marked as such everywhere, in nobody's way."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import CommandError, call_command

from studyapp.chat.models import Conversation, Message
from studyapp.exports.data_set import write
from studyapp.exports.selection import Selection
from studyapp.participation import allocating, entry, erasure, invariants, progress
from studyapp.participation.models import Allocation, Session
from studyapp.probes.models import Fork
from studyapp.studies import drafts, lifecycle, study_file
from studyapp.studies.models import AuditEntry, Study
from studyapp.verdicts.models import Verdict
from studyapp.work.models import Work
from tests import cast
from tests.exports import small_data

STUDIES = Path(__file__).resolve().parents[2] / "studies"
# Made anew for every person, row or run.
VOLATILE = {
    "session", "participant", "conversation", "message", "fork", "arrived_at", "consented_at", "finished_at",
    "minutes", "created_at", "completed_at", "at", "app_commit",
}  # fmt: skip


def simulate(slug: str, *, participants: int = 6, seed: int = 1, truth: Path | None = None) -> str:
    out = StringIO()
    more = [] if truth is None else ["--truth", str(truth)]
    call_command(
        "simulate", slug, "--participants", str(participants), "--seed", str(seed), *more, stdout=out
    )
    return out.getvalue()


def refusal(*arguments: str) -> CommandError:
    with pytest.raises(CommandError) as caught:
        call_command("simulate", *arguments, stdout=StringIO())
    assert "\n" not in str(caught.value)
    return caught.value


def lasting(study: Study, out: Path) -> dict[str, list[tuple[tuple[str, str], ...]]]:
    """The data set of the simulated sessions without what is new every time, rows of a table in order."""
    written = write(Selection(study=study, kinds=("simulated",), with_text=True), out)
    return {
        name: [
            tuple((column, value) for column, value in row.items() if column not in VOLATILE)
            for row in small_data.table(out, name)
        ]
        for name in written.rows
    }


def run_anew(out: Path, *, seed: int) -> dict[str, Any]:
    study = cast.study()
    simulate("cast", seed=seed)
    found = lasting(study, out)
    erasure.erase_study(study=study)
    return found


@pytest.mark.django_db(transaction=True)
def test_a_seed_gives_the_same_people_twice_and_another_seed_others(tmp_path: Path) -> None:
    first = run_anew(tmp_path / "first", seed=1)
    again = run_anew(tmp_path / "again", seed=1)
    other = run_anew(tmp_path / "other", seed=2)
    for name, rows in first.items():
        assert len(rows) > 5, name
        assert rows == again[name], name
    for name in ("wide", "responses", "messages", "cards", "probes"):
        assert first[name] != other[name], name
    # Erased with everything: what is compared above was not left over.
    assert not Conversation.objects.exists()
    assert not Fork.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_simulated_people_are_marked_and_everything_owed_for_them_is_done() -> None:
    study = cast.study()
    said = simulate("cast", participants=8)
    assert "8 simulated participants (truth: planted)" in said
    sessions = Session.objects.filter(study=study)
    assert sessions.count() == 8
    assert set(sessions.values_list("kind", flat=True)) == {"simulated"}
    assert set(sessions.values_list("status", flat=True)) <= {"complete", "declined", "withdrawn"}
    assert not Work.objects.filter(kind__in=small_data.WORK).exclude(state="done").exists()
    forks = Fork.objects.exclude(origin=None)
    assert forks.exists()
    assert Verdict.objects.filter(message__conversation__fork__in=forks).count() == forks.count()
    detail = AuditEntry.objects.get(action="simulate").detail
    assert (detail["participants"], detail["seed"]) == (8, 1)
    for session in sessions:
        planted = session.events.get(kind="simulated").detail
        assert (planted["label"], planted["seed"], planted["sha256"]) == ("planted", 1, detail["truth"])
    assert invariants.broken() == []


@pytest.mark.django_db(transaction=True)
def test_they_leave_the_allocation_of_others_as_it_would_be() -> None:
    study = cast.study()
    pilots = [_allocated(entry.enter(study=study, source="plain", seed=seed)) for seed in (11, 12)]
    log = list(Allocation.objects.filter(kind="pilot").order_by("position").values_list("counts", "seed"))
    simulate("cast", participants=5)
    assert (
        list(Allocation.objects.filter(kind="pilot").order_by("position").values_list("counts", "seed"))
        == log
    )
    third = _allocated(entry.enter(study=study, source="plain", seed=13))
    row = Allocation.objects.get(session=third)
    assert (row.kind, row.position) == ("pilot", 3)
    assert sum(row.counts.values()) == 2
    tally = {each.condition: each.allocated for each in allocating.tallies(study=study, kind="pilot")}
    assert sum(tally.values()) == len(pilots) + 1
    assert allocating.verify(study=study) == []


def _allocated(session: Session) -> Session:
    cast.walk(session, to="talk")
    return session


@pytest.mark.django_db(transaction=True)
def test_the_quick_look_can_be_simulated() -> None:
    study = lifecycle.pilot(study=drafts.load(file=study_file.read(STUDIES / "quick-look.yaml")))
    simulate("quick-look", participants=4)
    assert Session.objects.filter(study=study, kind="simulated").count() == 4
    assert Message.objects.filter(conversation__kind="main").exists()


@pytest.mark.django_db(transaction=True)
def test_a_study_without_chat_and_cards_can_be_simulated() -> None:
    file = study_file.read(STUDIES / "warm-and-plain.yaml")
    document = file.model_dump(mode="json", by_alias=True)
    talking = {"conversation", "cards", "ratings", "right", "allocation"}
    document |= {
        "slug": "only-asking",
        "steps": [step for step in document["steps"] if step["kind"] not in talking],
        "cards": None,
        "probes": None,
        "draws": {},
        "analysis": {},
    }
    study = drafts.load(file=study_file.parse(document, name="only-asking"))
    simulate("only-asking", participants=3)
    sessions = Session.objects.filter(study=study)
    assert sessions.count() == 3
    assert not Conversation.objects.exists()
    complete = sessions.filter(status="complete").first()
    answered = complete.visits.get(step_key="support").administration.responses.filter(state="answered")
    assert answered.count() >= 4


@pytest.mark.django_db(transaction=True)
def test_a_scale_that_the_truth_does_not_know_is_answered_alike_in_all_conditions() -> None:
    study = small_data.study(more=[{"key": "closeness", "kind": "scale", "scale": "godspeed"}])
    simulate("cast", participants=4)
    done = Session.objects.filter(study=study, status="complete")
    assert done.exists()
    for session in done:
        responses = session.visits.get(step_key="closeness").administration.responses
        assert responses.filter(state="answered").count() > 3


@pytest.mark.django_db(transaction=True)
def test_long_conversations_do_not_run_out_of_lines() -> None:
    steps = yaml.safe_load(cast.STUDY_FILE.read_text(encoding="utf-8"))["steps"]
    for step in steps:
        if step["kind"] == "conversation":
            step.update(min_turns=13, max_turns=14)
    cast.study(steps=steps)
    simulate("cast", participants=2)
    for conversation in Conversation.objects.filter(kind="main", end_reason="finished"):
        assert conversation.messages.filter(role="participant").count() >= 13


@pytest.mark.django_db(transaction=True)
def test_a_draft_is_simulated_without_being_opened() -> None:
    study = cast.study(status=Study.Status.DRAFT)
    simulate("cast", participants=1)
    study.refresh_from_db()
    assert study.status == Study.Status.DRAFT
    assert Session.objects.get().kind == "simulated"


# what cannot be simulated


@pytest.mark.django_db(transaction=True)
def test_unknown_studies_truths_and_numbers_are_refused_in_one_line(tmp_path: Path) -> None:
    cast.study()
    seeded = ("--seed", "1")
    assert "there is no study 'cats' (studies: cast)" in str(refusal("cats", "--participants", "1", *seeded))
    nobody = refusal("cast", "--participants", "0", *seeded)
    assert ("--participants must be 1 or more" in str(nobody), nobody.returncode) == (True, 2)
    absent = tmp_path / "absent.yaml"
    asked = ("cast", "--participants", "1", *seeded, "--truth")
    assert f"{absent}: cannot be read" in str(refusal(*asked, str(absent)))
    assert not Session.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("way", "value", "complaint"),
    [
        (("participants", "declines"), 2, "participants.declines must be a number from 0 to 1, not 2"),
        (("agent", "intercept"), 40, "agent: demo truth: 'intercept' must be a number from -5 to 5, not 40"),
        (("agent", "steadiness"), 1, "agent: demo truth: 'steadiness' must be a share"),
        (
            ("agent", "private"),
            {"honey": "perhaps"},
            "'private.honey' must be one of asserts, denies, unknown",
        ),
        (
            ("scales", "session_support", "shifts"),
            {"suport": {"warmth": {"warm": 1}}},
            "study 'cast': scales.session_support.shifts.suport: the scale has no such item or score",
        ),
        (
            ("scales", "session_support", "loadings", "estem"),
            {"general": 0.5},
            "scales.session_support.loadings.estem: the scale has no such item",
        ),
    ],
)
def test_a_damaged_truth_is_refused_with_its_place(
    tmp_path: Path, way: tuple[str, ...], value: Any, complaint: str
) -> None:
    cast.study()
    document = yaml.safe_load((STUDIES / "truths" / "planted.yaml").read_text(encoding="utf-8"))
    here = document
    for step in way[:-1]:
        here = here[step]
    here[way[-1]] = value
    file = tmp_path / "damaged.yaml"
    file.write_text(yaml.safe_dump(document), encoding="utf-8")
    refused = refusal("cast", "--participants", "1", "--seed", "1", "--truth", str(file))
    assert complaint in str(refused)
    assert refused.returncode == 1
    assert not Session.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_weights_for_choices_that_are_not_there_are_refused(tmp_path: Path) -> None:
    small_data.study(more=[{"key": "you", "kind": "scale", "scale": "demographics"}])
    document = yaml.safe_load((STUDIES / "truths" / "planted.yaml").read_text(encoding="utf-8"))
    document["choices"]["demographics"]["gender"] = [1, 1]
    file = tmp_path / "damaged.yaml"
    file.write_text(yaml.safe_dump(document), encoding="utf-8")
    refused = refusal("cast", "--participants", "1", "--seed", "1", "--truth", str(file))
    assert "choices.demographics.gender: 2 weights for 4 choices" in str(refused)


@pytest.mark.django_db(transaction=True)
def test_nobody_pays_a_model_to_hear_simulated_people(settings: Any) -> None:
    settings.PROVIDERS = {
        **settings.PROVIDERS,
        "hosted": {"kind": "openai", "base_url": "http://127.0.0.1:9"},
    }
    study = cast.study(status=Study.Status.DRAFT)
    study.conditions.filter(slug="warm").update(provider="hosted")
    refused = refusal("cast", "--participants", "1", "--seed", "1")
    assert "asks provider 'hosted'; simulate runs with the demo provider only" in str(refused)
    assert not Session.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_who_leaves_answers_out_is_asked_once_and_goes_on() -> None:
    study = cast.study()
    simulate("cast", participants=6)
    missing = [
        response
        for session in Session.objects.filter(study=study)
        for visit in session.visits.exclude(administration=None)
        for response in visit.administration.responses.filter(state="missing")
    ]
    for response in missing:
        assert response.administration.reminded_at is not None
    complete = Session.objects.filter(status="complete").first()
    assert progress.current(complete).step_kind == "code"
    assert complete.completion_code
