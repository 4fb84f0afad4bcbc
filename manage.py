#!/usr/bin/env python
"""Django's command line, on the running services of DATA_DIR unless the environment names others."""

import os
import sys
from importlib.util import find_spec

from launcher import keys, locate
from launcher.refusal import Refusal

# Enough for Django to explain itself; never for it to run.
EXPLAINING = {
    "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing",
    "REDIS_URL": "redis://127.0.0.1:1/0",
    **dict.fromkeys(keys.FOR_SETTINGS, "only-to-show-help"),
}


def is_explaining(arguments: list[str]) -> bool:
    return (
        not arguments
        or arguments[0] in {"help", "version"}
        or bool({"-h", "--help", "--version"} & {*arguments})
    )


def find_services() -> None:
    """Complete the environment. Raises Refusal, saying how to start them, when no services run."""
    if not (os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL")):
        found = locate.environment(locate.data_dir())
    elif not all(os.environ.get(name) for name in keys.FOR_SETTINGS):
        own = keys.read(locate.data_dir())
        found = {name: own[name] for name in keys.FOR_SETTINGS}
    else:
        found = {}
    for name, value in found.items():
        os.environ[name] = os.environ.get(name) or value


def main() -> int:
    if find_spec("django") is None:
        print(
            f"{sys.executable} has no Django. Run 'make install', then .venv/bin/python manage.py",
            file=sys.stderr,
        )
        return 1
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyapp.settings")
    try:
        find_services()
    except Refusal as refusal:
        if not is_explaining(sys.argv[1:]):
            print(refusal, file=sys.stderr)
            return 1
        os.environ.update(EXPLAINING)
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        # Read now, so that a wrong setting is one line and not a traceback from wherever it is first used.
        settings.configured or settings.DEBUG  # noqa: B018
    except ImproperlyConfigured as wrong:
        print(wrong, file=sys.stderr)
        return 1
    execute_from_command_line(sys.argv)
    return 0


if __name__ == "__main__":
    sys.exit(main())
