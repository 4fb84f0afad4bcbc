"""manage.py probe SLUG --forks"""

import io
import subprocess
import sys

import pytest
from django.core.management import CommandError, call_command

from studyapp.probes import forking
from studyapp.probes.models import Fork
from studyapp.work.models import Work
from tests import cast
from tests.probes.conftest import FORKS_OF_A_SESSION, PRIVATE_REPLIES, PROBES

pytestmark = pytest.mark.django_db


def probe(slug: str) -> tuple[int, str, str]:
    """Exit code, what was said, what was complained of."""
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("probe", slug, "--forks", stdout=out, stderr=err)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def test_it_runs_what_the_study_owes_and_says_how_much(talked, study):
    talked()
    code, said, _ = probe(study.slug)
    assert code == 0
    assert f"{FORKS_OF_A_SESSION + PRIVATE_REPLIES} probes put" in said
    assert Fork.objects.count() == FORKS_OF_A_SESSION + PRIVATE_REPLIES


def test_with_nothing_to_do_it_says_so(talked, study):
    assert "nothing to do. No conversation with a reply has ended yet" in probe(study.slug)[1]
    talked()
    probe(study.slug)
    code, said, _ = probe(study.slug)
    assert code == 0
    assert f"nothing to do. There are {FORKS_OF_A_SESSION} forks of 1 conversations" in said


def test_other_studies_are_left_alone(talked, study):
    talked()
    other = cast.study(slug="another", probes=PROBES)
    talked(of=other)
    probe(study.slug)
    assert not Fork.objects.exclude(version__study=study).exists()


def test_what_failed_for_good_is_tried_again(talked, study):
    talked()
    Work.objects.filter(kind="probes.forks").update(state="failed", attempts=5, error="no network")
    code, _, _ = probe(study.slug)
    assert code == 0 and Fork.objects.exclude(origin=None).count() == FORKS_OF_A_SESSION


def test_work_that_does_not_get_done_is_exit_1_with_the_reason(talked, study, monkeypatch):
    talked()

    def breaks(specs, *, parallel):
        raise ConnectionError("the model server is away")

    monkeypatch.setattr(forking, "run_exchanges", breaks)
    code, _, complained = probe(study.slug)
    assert code == 1
    assert "3 of 4 pieces of work did not get done: ConnectionError: the model server is away" in complained


def test_an_unknown_study_is_exit_1_and_names_a_near_one(study):
    code, _, complained = probe(study.slug + "x")
    assert code == 1
    assert study.slug in complained


def test_wrong_usage_is_refused():
    with pytest.raises(CommandError, match="--forks"):
        call_command("probe", "some-study")


def test_help_shows_an_example():
    done = subprocess.run(
        [sys.executable, "manage.py", "probe", "--help"], capture_output=True, text=True, check=True
    )
    assert "manage.py probe warm-and-plain --forks" in done.stdout
