"""manage.py check_study FILE|SLUG"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from studyapp.studies import checks, drafts, selectors, study_file
from studyapp.studies.complaints import StudyFileError
from studyapp.studies.management.plain_command import PlainCommand
from studyapp.studies.whole import StudyFile


class Command(PlainCommand):
    help = "Check a study file, or the draft of a study: what keeps it from a pilot, and what from a launch."
    example = """
Examples:
  python manage.py check_study studies/warm-and-plain.yaml
  python manage.py check_study warm-and-plain
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="FILE|SLUG", help="a study file (YAML), or the slug of a study")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            file = self._study(options["study"])
        except (StudyFileError, selectors.StudyNotFound) as refusal:
            self.refuse(refusal)
        found = checks.run(file, purpose="pilot")
        refusing = [problem for problem in found if problem.level == "refuses"]
        if refusing:
            reasons = "\n".join(f"- {problem}" for problem in refusing)
            self.refuse(f"{file.slug} cannot be piloted yet:\n{reasons}")
        self.stdout.write(
            f"{file.slug} may be piloted: {len(file.steps)} steps, {len(file.conditions)} conditions, "
            f"{len(file.claims)} claims."
        )
        later = [problem for problem in checks.run(file, purpose="live") if problem.level == "refuses"]
        if later:
            self.stdout.write("A launch would refuse it:")
        for problem in later:
            self.stdout.write(f"- {problem}")

    @staticmethod
    def _study(name: str) -> StudyFile:
        # A slug has neither dot nor slash; anything else can only be a file.
        if "." in name or "/" in name or Path(name).is_file():
            return study_file.read(name)
        return drafts.dump(selectors.study_by_slug(name))
