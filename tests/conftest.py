"""What every test shares. The services themselves are started by tests/settings.py."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.apps import apps
from django.conf import settings
from django.core.management.base import CommandError
from django.core.management.commands import flush
from django.db import OperationalError, connection
from django.test.utils import setup_databases, teardown_databases
from pytest_django import DjangoDbBlocker

from tests import services

pytest_plugins = ["tests.live", "tests.browser", "tests.model_server"]


@pytest.fixture(scope="session")
def django_db_setup(
    request: pytest.FixtureRequest, django_test_environment: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """The test database, and a copy of it as migrations leave it: live sites are cloned from that.

    Ours instead of pytest-django's, which makes no database for tests that only use a live site.
    """
    if request.config.getvalue("nomigrations"):
        settings.MIGRATION_MODULES = {app.label: None for app in apps.get_app_configs()}
    with django_db_blocker.unblock():
        made = setup_databases(verbosity=0, interactive=False)
        # Only a database nobody is connected to can be copied.
        connection.close()
        name = connection.settings_dict["NAME"]
        template = services.template_of(name)
        with psycopg.connect(services.database_url("postgres"), autocommit=True) as server:
            server.execute(f'DROP DATABASE IF EXISTS "{template}" WITH (FORCE)')
            server.execute(f'CREATE DATABASE "{template}" TEMPLATE "{name}"')
            yield
            # Threads and executors of a test may have left connections that would keep it.
            server.execute(f'DROP DATABASE "{template}" WITH (FORCE)')
            server.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
                [name],
            )
        connection.close()
        teardown_databases(made, verbosity=0)


@pytest.fixture(autouse=True, scope="session")
def emptying_waits_its_turn() -> Iterator[None]:
    """Empty the tables again where a process under test was still reading them.

    A server that has just been told to stop may hold locks in another order than TRUNCATE takes them;
    PostgreSQL then ends one of the two, and the way on is to try again.
    """
    empty = flush.Command.handle

    def handle(self: flush.Command, **options: Any) -> None:
        for attempt in range(1, 6):
            try:
                return empty(self, **options)
            except CommandError as error:
                if attempt == 5 or not isinstance(error.__cause__, OperationalError):
                    raise
        return None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flush.Command, "handle", handle)
        yield


def pytest_unconfigure() -> None:
    services.stop()
