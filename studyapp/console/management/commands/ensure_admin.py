"""See that the platform has an administrator."""

import os

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction


class Command(BaseCommand):
    help = (
        "Make the administrator that ADMIN_USER and ADMIN_PASSWORD name, if there is none of that name. "
        "Example: ADMIN_USER=researcher ADMIN_PASSWORD=... python manage.py ensure_admin"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--reset", action="store_true", help="set the password even if the user exists")

    @transaction.atomic
    def handle(self, *args: object, reset: bool, **options: object) -> None:
        name, password = os.environ.get("ADMIN_USER", ""), os.environ.get("ADMIN_PASSWORD", "")
        if not name or not password:
            raise CommandError("Set ADMIN_USER and ADMIN_PASSWORD in the environment.")
        user, is_new = (
            get_user_model()
            .objects.select_for_update()
            .get_or_create(username=name, defaults={"is_staff": True, "is_superuser": True})
        )
        if is_new or reset:
            user.is_staff = user.is_superuser = user.is_active = True
            user.set_password(password)
            user.save()
            self.stdout.write(f"{'made' if is_new else 'new password'}: {name}")
        elif user.check_password(password):
            self.stdout.write(f"there: {name}")
        else:
            self.stdout.write(f"kept: {name}, whose password was changed since")
