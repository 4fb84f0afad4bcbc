"""Draw a study's allocation log again and compare."""

from django.core.management.base import BaseCommand, CommandError, CommandParser

from studyapp.participation import allocating
from studyapp.participation.models import Allocation
from studyapp.studies.models import Study


class Command(BaseCommand):
    help = (
        "Replay every draw of a study's allocation logs from the stored seeds and compare. "
        "Exit 1 when a row does not follow from those above it. "
        "Example: python manage.py verify_allocation warm-and-plain"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the study")

    def handle(self, *args: object, slug: str, **options: object) -> None:
        study = Study.objects.filter(slug=slug).first()
        if study is None:
            known = ", ".join(Study.objects.order_by("slug").values_list("slug", flat=True)) or "none"
            raise CommandError(f"There is no study '{slug}'. Studies here: {known}.")
        log = Allocation.objects.filter(study=study)
        for kind in sorted(set(log.values_list("kind", flat=True))):
            self.stdout.write(f"{kind}: {log.filter(kind=kind).count()} allocations")
            for tally in allocating.tallies(study=study, kind=kind):
                self.stdout.write(
                    f"  {tally.condition}: {tally.allocated} allocated, {tally.completed} completed"
                )
        wrong = allocating.verify(study=study)
        for each in wrong:
            self.stdout.write(f"{each.kind} {each.position}: {each.what}")
        if wrong:
            raise CommandError(f"{len(wrong)} rows do not follow from the rows above them.")
        self.stdout.write("Every draw comes out again as stored.")
