"""``manage.py export STUDY --out DIR``"""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from studyapp.exports.data_set import ExportRefused, write
from studyapp.exports.selection import Selection
from studyapp.participation.models import Kind
from studyapp.studies.audit import record
from studyapp.studies.models import Study


class Command(BaseCommand):
    help = (
        "Write a study's data set to a new folder (Psych-DS); only live sessions without --include.\n"
        "Example: manage.py export warm-and-plain --out out/warm --include simulated"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="the study's slug")
        parser.add_argument("--out", required=True, type=Path, help="a new or empty folder")
        kinds = parser.add_mutually_exclusive_group()
        kinds.add_argument("--include", default="", help="further kinds: pilot, preview, simulated (commas)")
        kinds.add_argument("--only", help="these kinds and no others (commas)")
        parser.add_argument("--with-text", action="store_true", help="words of sessions that opted in")
        parser.add_argument("--identified", action="store_true", help="recruitment ids")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            known = ", ".join(Study.objects.order_by("slug").values_list("slug", flat=True)) or "none yet"
            raise CommandError(f"there is no study '{options['study']}' (studies: {known})")
        selection = Selection(
            study=study,
            kinds=_kinds(options["include"], options["only"]),
            with_text=options["with_text"],
            identified=options["identified"],
        )
        console = Console(stderr=True)
        columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        try:
            with Progress(*columns, console=console, transient=True) as bar:
                task = bar.add_task("Reading")
                written = write(
                    selection,
                    options["out"],
                    progress=lambda table, rows: bar.update(task, description=f"{table}: {rows:,} rows"),
                )
        except ExportRefused as refusal:
            raise CommandError(str(refusal))
        record(
            action="export",
            study_slug=study.slug,
            detail={
                "kinds": list(selection.kinds),
                "rows": written.rows,
                "with_text": selection.with_text,
                "identified": selection.identified,
            },
        )
        for table, rows in written.rows.items():
            self.stdout.write(f"{table:<10} {rows:>9,} rows")
        self.stdout.write(f"Written to {written.folder}")


def _kinds(include: str, only: str | None) -> tuple[str, ...]:
    known = ", ".join(Kind.values)
    named = [kind.strip() for kind in (include if only is None else only).split(",") if kind.strip()]
    unknown = sorted(set(named) - set(Kind.values))
    if unknown:
        raise CommandError(f"unknown kind '{unknown[0]}'; kinds are {known}", returncode=2)
    if only is not None and not named:
        raise CommandError(f"--only names no kind; kinds are {known}", returncode=2)
    wanted = set(named) if only is not None else {Kind.LIVE.value, *named}
    return tuple(kind for kind in Kind.values if kind in wanted)
