"""Erase a participant by their code."""

from django.core.management.base import BaseCommand, CommandError, CommandParser

from studyapp.participation import erasure
from studyapp.participation.models import Participant
from studyapp.participation.recruitment_id import hashed
from studyapp.studies.models import Study


class Command(BaseCommand):
    help = (
        "Erase all that is kept about a participant. What remains is that there was one. "
        "Example: python manage.py erase warm-and-plain 7KXQ2MZP"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the study")
        parser.add_argument(
            "code", help="the participant's number: on their last page, in exports, in the admin"
        )
        parser.add_argument(
            "--recruitment-id", action="store_true", help="CODE is the id the recruitment platform gave them"
        )

    def handle(self, *args: object, slug: str, code: str, recruitment_id: bool, **options: object) -> None:
        study = Study.objects.filter(slug=slug).first()
        if study is None:
            raise CommandError(f"There is no study '{slug}'. Studies here: {_known()}.")
        known_by = (
            {"recruitment_hash": hashed(study_slug=slug, recruitment_id=code)}
            if recruitment_id
            else {"code": code.strip().upper()}
        )
        participant = Participant.objects.filter(study=study, **known_by).first()
        if participant is None:
            raise CommandError(f"Study '{slug}' has no participant '{code}': erased already, or mistyped.")
        erasure.erase(participant=participant)
        self.stdout.write(f"Erased. {study.tombstones.count()} erased in {slug} so far.")


def _known() -> str:
    return ", ".join(Study.objects.order_by("slug").values_list("slug", flat=True)) or "none"
