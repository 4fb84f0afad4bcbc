"""manage.py load_study FILE [--pilot]"""

from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from studyapp.studies import drafts, lifecycle, study_file
from studyapp.studies.complaints import StudyFileError
from studyapp.studies.management.plain_command import PlainCommand
from studyapp.studies.models import Study


class Command(PlainCommand):
    help = "Read a study file into a draft, and with --pilot open it for pilot sessions."
    example = """
Example:
  python manage.py load_study studies/warm-and-plain.yaml --pilot

Loading a study that is there already brings its draft to what the file says. Sessions under way stay on the
version they began with.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="a study file (YAML)")
        parser.add_argument("--pilot", action="store_true", help="then open the study for pilot sessions")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            file = study_file.read(options["file"])
            # Both or neither: a draft that cannot be piloted leaves the one before as it was.
            with transaction.atomic():
                replaced = Study.objects.filter(slug=file.slug).exists()
                study = drafts.load(file=file)
                if options["pilot"]:
                    lifecycle.pilot(study=study)
        except (StudyFileError, lifecycle.Refused) as refusal:
            self.refuse(refusal)
        done = "Replaced the draft of" if replaced else "Loaded"
        self.stdout.write(
            f"{done} {study.slug}: {len(file.steps)} steps, {len(file.conditions)} conditions, "
            f"{len(file.claims)} claims. It is {study.status}."
        )
