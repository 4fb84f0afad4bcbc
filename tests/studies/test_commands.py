"""load_study, check_study and launch as a shell meets them: words, streams and exit codes."""

from pathlib import Path

import pytest
from django.core.management import ManagementUtility
from django.db import connections

from studyapp.studies import drafts, study_file
from studyapp.studies.models import Study
from tests.studies.small_study import CHAT

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Run a command line; gives (exit code, stdout, stderr)."""
    # A command line closes its connections at the end; the test's transaction lives in this one.
    monkeypatch.setattr(connections, "close_all", lambda: None)

    def run_line(*line: object) -> tuple[int, str, str]:
        code = 0
        try:
            ManagementUtility(["manage.py", *map(str, line), "--no-color"]).execute()
        except SystemExit as ended:
            code = int(ended.code or 0)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run_line


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.yaml"
    path.write_text(CHAT)
    return path


def test_loading_with_pilot_opens_the_study(run, small: Path) -> None:
    code, out, err = run("load_study", small, "--pilot")
    assert (code, err) == (0, "")
    assert "Loaded small: 12 steps, 2 conditions, 4 claims. It is piloting." in out
    assert Study.objects.get().status == "piloting"


def test_a_broken_file_is_refused_on_stderr_and_changes_nothing(run, small: Path) -> None:
    run("load_study", small)
    small.write_text(CHAT.replace("warmth: 1\n", "warmth: 3\n").replace("Say hello.", "Other."))
    code, out, err = run("load_study", small)
    assert (code, out) == (1, "")
    assert err.startswith("small.yaml:") and "Traceback" not in err
    assert drafts.dump(Study.objects.get()) == study_file.parse_text(CHAT, name="small")


def test_a_study_that_cannot_be_piloted_is_not_loaded_either(run, small: Path) -> None:
    small.write_text(CHAT.replace("provider: demo", "provider: nobody"))
    code, _, err = run("load_study", small, "--pilot")
    assert code == 1 and "name no provider 'nobody'" in err
    assert not Study.objects.exists()


@pytest.mark.parametrize("command", ["load_study", "check_study", "launch"])
def test_help_shows_an_example_and_the_exit_codes(run, command: str) -> None:
    code, out, _ = run(command, "--help")
    assert code == 0
    assert f"python manage.py {command} " in out and "Exit code: 0 done, 1 refused" in out


@pytest.mark.parametrize("command", ["load_study", "check_study", "launch"])
def test_wrong_usage_is_two(run, command: str) -> None:
    code, _, err = run(command)
    assert code == 2 and "required" in err


def test_a_file_that_is_not_there_is_one_line(run, tmp_path: Path) -> None:
    for command in ("load_study", "check_study"):
        code, _, err = run(command, tmp_path / "nowhere.yaml")
        assert code == 1
        assert err.count("\n") == 1 and "there is no such file" in err


def test_checking_a_file_tells_what_a_launch_would_refuse(run, small: Path) -> None:
    code, out, _ = run("check_study", small)
    assert code == 0
    assert "small may be piloted" in out
    assert "A launch would refuse it:" in out and "no study with a chat goes live yet" in out
    assert not Study.objects.exists(), "checking loads nothing"


def test_checking_a_slug_reads_the_draft(run, small: Path) -> None:
    run("load_study", small)
    assert run("check_study", "small")[0] == 0
    Study.objects.get().conditions.filter(slug="warm").update(warmth=0)
    code, _, err = run("check_study", "small")
    assert code == 1 and "is just like condition 'default'" in err


def test_an_unknown_slug_names_the_near_one(run, small: Path) -> None:
    run("load_study", small)
    for command in ("check_study", "launch"):
        code, _, err = run(command, "smal")
        assert code == 1 and "did you mean 'small'?" in err


def test_launch_refuses_with_every_reason(run, small: Path) -> None:
    run("load_study", small)
    code, out, err = run("launch", "small")
    assert (code, out) == (1, "")
    assert "the demo agent is a script" in err and "no study with a chat goes live yet" in err
