"""A management command that shows an example in its help and says no in plain words."""

from argparse import RawDescriptionHelpFormatter
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandParser


class PlainCommand(BaseCommand):
    """Exit code 0: done. 1: refused, the reason on stderr (``refuse``). 2: wrong usage (argparse)."""

    # Shown under the options of --help.
    example = ""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name,
            subcommand,
            epilog=f"{self.example.strip()}\n\nExit code: 0 done, 1 refused with the reason, 2 wrong usage.",
            formatter_class=RawDescriptionHelpFormatter,
            **kwargs,
        )

    def refuse(self, reason: object) -> NoReturn:
        """Say why not, and end with exit code 1."""
        self.stderr.write(str(reason))
        raise SystemExit(1)
