"""Count what must not be there: orphans, gaps, people erased but present."""

from django.core.management.base import BaseCommand, CommandError

from studyapp.participation import invariants


class Command(BaseCommand):
    help = (
        "Check what must hold between rows: no orphans, gap-free allocation logs, nobody erased but present. "
        "Exit 1 when something is broken. Example: python manage.py check_invariants"
    )

    def handle(self, *args: object, **options: object) -> None:
        found = invariants.broken()
        for broken in found:
            self.stdout.write(f"{broken.count} x {broken.name}, for example {broken.example}")
        if found:
            raise CommandError(f"{len(found)} invariants are broken.")
        self.stdout.write("0 broken.")
