"""What every test shares. The services themselves are started by tests/settings.py."""

from collections.abc import Iterator

import psycopg
import pytest
from django.apps import apps
from django.conf import settings
from django.db import connection
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


def pytest_unconfigure() -> None:
    services.stop()
