"""``manage.py simulate STUDY --participants N --seed S [--truth FILE]``"""

import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from studyapp.agents import demo_truth
from studyapp.simulation.running import NotSimulable, simulate
from studyapp.studies.audit import record
from studyapp.studies.complaints import StudyFileError
from studyapp.studies.models import Study
from studyapp.work.models import Work
from studyapp.work.runner import due, run_due
from surveys.scale_file import ScaleFileError

_DEFAULT = settings.BASE_DIR / "studies" / "truths" / "planted.yaml"
_KINDS = ["probes.private", "probes.forks", "verdicts.code"]
# Rows of work between two looks at how many are left.
_AT_ONCE = 20
_BARS = (TextColumn("{task.description:<14}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())


class Command(BaseCommand):
    help = (
        "Send simulated participants through a study: the same services as the browser, answers and the demo "
        "agent's honesty from a truth file. Their sessions are of kind 'simulated' and enter no other data.\n"
        "Example: manage.py simulate warm-and-plain --participants 400 --seed 1"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("--participants", type=int, required=True, help="how many")
        parser.add_argument("--seed", type=int, required=True, help="the same seed gives the same people")
        parser.add_argument("--truth", type=Path, default=_DEFAULT, help="truth file (default: %(default)s)")

    def handle(self, *args: Any, **options: Any) -> None:
        from analysis.truth import TruthError, read

        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            known = ", ".join(Study.objects.order_by("slug").values_list("slug", flat=True)) or "none yet"
            raise CommandError(f"there is no study '{options['study']}' (studies: {known})")
        if options["participants"] < 1:
            raise CommandError("--participants must be 1 or more", returncode=2)
        try:
            truth = read(_found(options["truth"]))
        except TruthError as error:
            raise CommandError(str(error))
        try:
            demo_truth.check(truth.agent)
        except ValueError as error:
            raise CommandError(f"{options['truth']}: agent: {error}")
        _refuse_hosted(study)
        _hurry()
        with Progress(*_BARS, console=Console(stderr=True)) as bar:
            people = bar.add_task("Participants", total=options["participants"])
            try:
                sessions = simulate(
                    study=study,
                    participants=options["participants"],
                    seed=options["seed"],
                    truth=truth,
                    progress_made=lambda: bar.advance(people),
                )
            except (NotSimulable, StudyFileError, ScaleFileError) as error:
                raise CommandError(str(error))
            _run_work(bar)
        record(
            action="simulate",
            study_slug=study.slug,
            detail={"participants": len(sessions), "seed": options["seed"], "truth": truth.sha256},
        )
        self.stdout.write(
            f"{len(sessions)} simulated participants (truth: {truth.label}). "
            f"Next: manage.py export {study.slug} --out out/{study.slug} --only simulated"
        )


def _found(truth: Path) -> Path:
    """A truth file by its path, or by its bare name among those that come with the platform."""
    shipped = _DEFAULT.parent / truth.name
    return shipped if not truth.exists() and truth.parent == Path() and shipped.exists() else truth


def _refuse_hosted(study: Study) -> None:
    """Simulated people talk to the demo agent only: nobody should pay a model to hear them."""
    providers = {study.agent.get("provider")} | {condition.provider for condition in study.conditions.all()}
    for name in sorted(filter(None, providers)):
        if settings.PROVIDERS.get(name, {}).get("kind") != "demo":
            raise CommandError(
                f"study '{study.slug}' asks provider '{name}'; simulate runs with the demo provider only"
            )


def _hurry() -> None:
    """Do not wait for the disk at every commit: what a crash of the machine loses can be simulated again."""
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit TO off")


def _run_work(bar: Progress) -> None:
    """Probe and code what the conversations left to do, beside any worker that runs already."""
    waiting = Work.objects.filter(kind__in=_KINDS, state__in=[Work.State.WAITING, Work.State.RUNNING])
    if not waiting.exists():
        # A worker beside us has kept up.
        return
    task = bar.add_task("Probes, codes", total=waiting.count())
    done = 0
    while True:
        ran = run_due(kinds=_KINDS, limit=_AT_ONCE)
        done += ran
        left = waiting.count()
        bar.update(task, completed=done, total=done + left)
        if ran:
            continue
        if not left:
            return
        if not due(_KINDS).exists():
            failing = waiting.filter(state=Work.State.WAITING).exclude(error="").first()
            if failing is not None:
                raise CommandError(f"{failing.kind} fails: {failing.error}. It is tried again by the worker.")
            # The rest is in another worker's hands; look again shortly.
            time.sleep(0.2)
