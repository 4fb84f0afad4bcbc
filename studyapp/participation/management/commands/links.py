"""Print where people enter a study."""

from django.core.management.base import BaseCommand, CommandError, CommandParser

from studyapp.participation import links
from studyapp.studies.models import Study


class Command(BaseCommand):
    help = (
        "Print a study's participant link, the address for Prolific, and a preview link per condition. "
        "Example: python manage.py links warm-and-plain"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the study")

    def handle(self, *args: object, slug: str, **options: object) -> None:
        study = Study.objects.filter(slug=slug).first()
        if study is None:
            known = ", ".join(Study.objects.order_by("slug").values_list("slug", flat=True)) or "none"
            raise CommandError(f"There is no study '{slug}'. Studies here: {known}.")
        self.stdout.write(f"Participants  {links.participant_link(study)}")
        self.stdout.write(f"Prolific      {links.prolific_link(study)}")
        for condition in study.conditions.all():
            self.stdout.write(f"Preview {condition.slug}  {links.preview_link(study, condition.slug)}")
