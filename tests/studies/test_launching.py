"""What a study must be before people meet it, and the moves of its status."""

import pytest
from pytest_django.fixtures import Settings

from studyapp.studies import checks, drafts, lifecycle, selectors, study_file
from studyapp.studies.models import AuditEntry, Study, StudyVersion
from tests.studies.small_study import CHAT, WITHOUT_CHAT

pytestmark = pytest.mark.django_db


def draft(text: str) -> Study:
    return drafts.load(file=study_file.parse_text(text, name="small"))


@pytest.fixture
def sound(monkeypatch: pytest.MonkeyPatch) -> Study:
    """A study nothing stands against: no chat, and its places of help were looked up by somebody."""
    monkeypatch.setattr(checks, "resources", lambda countries: [])
    return draft(WITHOUT_CHAT + "countries: [GB]\n")


def codes(study: Study, purpose: checks.Purpose) -> dict[str, str]:
    return {problem.code: problem.level for problem in checks.run(drafts.dump(study), purpose=purpose)}


def test_a_sound_study_goes_live_with_a_version_of_its_own(sound: Study) -> None:
    study = lifecycle.launch(study=sound)
    assert study.status == sound.status == "live"
    version = selectors.live_version(study)
    assert version is not None and version.kind == StudyVersion.Kind.LIVE
    entry = AuditEntry.objects.get(action="study_launch")
    assert entry.detail == {"from": "draft", "to": "live", "version": 1, "sha256": version.sha256}


def test_a_launch_refuses_the_demo_agent_and_every_chat_and_says_so() -> None:
    study = draft(CHAT)
    with pytest.raises(lifecycle.Refused) as refused:
        lifecycle.launch(study=study)
    assert {"demo_provider", "chat_not_guarded", "claims_unverified"} <= {
        p.code for p in refused.value.problems
    }
    message = str(refused.value)
    assert "until" not in message and "pilot it instead" in message
    for key in ("ice", "moon", "bats", "sun"):
        assert key in message, "each claim that nobody confirmed is listed"
    study.refresh_from_db()
    assert study.status == "draft"
    assert not study.versions.exists() and not AuditEntry.objects.filter(action="study_launch").exists()


def test_a_chat_is_refused_with_a_real_provider_too(settings: Settings) -> None:
    settings.PROVIDERS = {"local": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1"}}
    found = codes(draft(CHAT.replace("provider: demo", "provider: local")), "live")
    assert "chat_not_guarded" in found and "demo_provider" not in found


def test_a_pilot_welcomes_the_demo_agent() -> None:
    study = draft(CHAT)
    assert lifecycle.pilot(study=study).status == "piloting"
    assert codes(study, "pilot")["claims_unverified"] == "note"
    assert AuditEntry.objects.get(action="study_pilot").detail == {"from": "draft", "to": "piloting"}


def test_a_provider_without_its_key_is_refused_by_pilot_and_launch(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PROVIDERS = {
        "hosted": {"kind": "openai", "base_url": "https://models.example/v1", "key_env": "HOSTED_KEY"}
    }
    monkeypatch.delenv("HOSTED_KEY", raising=False)
    study = draft(CHAT.replace("provider: demo", "provider: hosted"))
    for move in (lifecycle.pilot, lifecycle.launch):
        with pytest.raises(lifecycle.Refused, match="needs the key in HOSTED_KEY, which is not set"):
            move(study=study)
    monkeypatch.setenv("HOSTED_KEY", "secret")
    assert lifecycle.pilot(study=study).status == "piloting"


def test_a_provider_the_server_does_not_name_is_refused_with_the_near_one() -> None:
    text = CHAT.replace("    warmth: 1\n", "    warmth: 1\n    provider: dem\n")
    with pytest.raises(lifecycle.Refused, match=r"conditions\[warm\]\.provider.*did you mean 'demo'"):
        lifecycle.pilot(study=draft(text))


def test_a_scale_without_wording_is_refused() -> None:
    text = WITHOUT_CHAT.replace("scale: affect", "scale: wai_sr")
    with pytest.raises(lifecycle.Refused, match="scale 'wai_sr'"):
        lifecycle.pilot(study=draft(text))


def test_a_draft_broken_by_hand_is_refused_by_its_design() -> None:
    study = draft(CHAT)
    study.conditions.filter(slug="warm").update(warmth=0)
    with pytest.raises(lifecycle.Refused, match="is just like condition 'default'"):
        lifecycle.pilot(study=study)


def test_a_live_study_needs_approval_a_contact_and_confirmed_help() -> None:
    text = WITHOUT_CHAT.replace("body: Ethics board, reference: R-1, ", "").replace(
        "university.example", "example.org"
    )
    found = codes(draft(text), "live")
    assert set(found) == {
        "no_ethics_approval",
        "contact_is_an_example",
        "no_countries",
        "resources_unverified",
    }
    assert set(found.values()) == {"refuses"}


def test_other_rooms_add_checks_of_their_own(sound: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "_CHECKS", [*checks._CHECKS])

    def never(study: study_file.StudyFile, purpose: checks.Purpose) -> list[checks.Problem]:
        return [checks.Problem("never", "not today")]

    checks.register(never)
    checks.register(never)
    with pytest.raises(lifecycle.Refused, match="not today") as refused:
        lifecycle.launch(study=sound)
    assert len(refused.value.problems) == 1


ALL = {"pilot", "launch", "pause", "close"}


@pytest.mark.parametrize(
    ("status", "possible"),
    [
        ("draft", {"pilot", "launch", "close"}),
        ("piloting", ALL),
        ("live", {"pause", "close"}),
        ("paused", {"pilot", "launch", "close"}),
        ("closed", set()),
    ],
)
def test_only_the_moves_of_the_table_are_made(sound: Study, status: str, possible: set[str]) -> None:
    for verb in sorted(ALL):
        Study.objects.filter(pk=sound.pk).update(status=status)
        move = getattr(lifecycle, verb)
        if verb in possible:
            assert move(study=sound).status == lifecycle.MOVES[(verb, status)]
        else:
            with pytest.raises(lifecycle.Refused, match=f"is {status}, so it cannot {verb}"):
                move(study=sound)
