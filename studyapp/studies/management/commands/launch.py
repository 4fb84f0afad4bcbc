"""manage.py launch SLUG"""

from typing import Any

from django.core.management.base import CommandParser

from studyapp.studies import lifecycle, selectors
from studyapp.studies.complaints import StudyFileError
from studyapp.studies.management.plain_command import PlainCommand


class Command(PlainCommand):
    help = "Check a study for live sessions, freeze its draft as a version, and open it."
    example = """
Example:
  python manage.py launch my-study
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the slug of a study")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            study = lifecycle.launch(study=selectors.study_by_slug(options["slug"]))
        except (selectors.StudyNotFound, StudyFileError, lifecycle.Refused) as refusal:
            self.refuse(refusal)
        version = selectors.live_version(study)
        self.stdout.write(f"{study.slug} is live, version {version.number if version else ''}.")
