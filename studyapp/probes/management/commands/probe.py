"""manage.py probe SLUG --forks"""

from typing import Any

from django.core.management.base import CommandParser
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from studyapp.probes import owed
from studyapp.probes.models import Fork
from studyapp.studies import selectors
from studyapp.studies.management.plain_command import PlainCommand
from studyapp.studies.models import Study
from studyapp.work.models import Work
from studyapp.work.queue import put_back
from studyapp.work.runner import run_due


class Command(PlainCommand):
    help = (
        "Run the probes a study owes: forks of its ended conversations and its agents' private stances. "
        "A worker does the same by itself; this does it now, and tries again what failed for good."
    )
    example = """
Example:
  python manage.py probe warm-and-plain --forks
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the slug of a study")
        parser.add_argument(
            "--forks", action="store_true", required=True, help="forks of conversations, and private stances"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            study = selectors.study_by_slug(options["slug"])
        except selectors.StudyNotFound as refusal:
            self.refuse(refusal)
        rows = owed.work_of(study)
        put_back(rows=[row.pk for row in rows if row.state == Work.State.FAILED])
        open_rows = [row.pk for row in rows if row.state != Work.State.DONE]
        if not open_rows:
            self.stdout.write(f"{study.slug}: nothing to do. {_standing(study, len(rows))}")
            return
        before = _forks(study)
        self._run(open_rows)
        left = Work.objects.filter(pk__in=open_rows).exclude(state=Work.State.DONE)
        self.stdout.write(
            f"{study.slug}: {_forks(study) - before:,} probes put. {_standing(study, len(rows))} "
            "Their replies are coded by the worker."
        )
        if problem := left.exclude(error="").first():
            self.refuse(
                f"{left.count()} of {len(open_rows)} pieces of work did not get done: {problem.error}"
            )
        if left:
            self.refuse(f"{left.count()} of {len(open_rows)} pieces of work are with a worker or wait.")

    def _run(self, rows: list[int]) -> None:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=Console(file=self.stdout), transient=True) as bar:
            task = bar.add_task("Putting probes", total=len(rows))
            while run_due(kinds=owed.KINDS, limit=1, among=rows):
                bar.advance(task)


def _forks(study: Study) -> int:
    forks: int = Fork.objects.filter(version__study=study).count()
    return forks


def _standing(study: Study, asked: int) -> str:
    if asked == 0:
        return "No conversation with a reply has ended yet, or the study probes nothing."
    of_conversations = Fork.objects.filter(version__study=study, origin__isnull=False)
    return (
        f"There are {of_conversations.count():,} forks of "
        f"{of_conversations.values('origin').distinct().count():,} conversations and "
        f"{_forks(study) - of_conversations.count():,} private replies."
    )
