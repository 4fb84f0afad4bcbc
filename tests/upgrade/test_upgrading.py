"""A database left by an earlier release is migrated, keeps its people, and still erases them."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from launcher.locate import PROJECT
from tests import services
from tests.upgrade.dumping import dumps, statements

# Which tables a person's data must still be in after an upgrade.
_KEPT = ("participation_session", "surveys_response", "chat_message", "probes_fork", "verdicts_code")


@pytest.fixture
def database(django_db_setup: None) -> Iterator[str]:
    name = f"upgrade_{os.getpid()}"
    with psycopg.connect(services.database_url("postgres"), autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}"')
        yield services.database_url(name)
        server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture
def manage(database: str) -> Callable[..., str]:
    def run(*arguments: str) -> str:
        environment = {
            **os.environ,
            "DATABASE_URL": database,
            "DJANGO_SETTINGS_MODULE": "studyapp.settings",
        }
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=PROJECT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def _counts(database: str) -> dict[str, int]:
    with psycopg.connect(database) as connection:
        return {table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in _KEPT}


def test_there_is_a_dump_of_every_release_so_far():
    assert [dump.name for dump in dumps()] != []


@pytest.mark.parametrize("dump", dumps(), ids=lambda dump: dump.name.removesuffix(".sql.gz"))
def test_an_older_database_is_migrated_whole_and_erases_its_people(
    dump: Path, database: str, manage: Callable[..., str]
):
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(statements(dump))
    before = _counts(database)
    assert all(before.values()), f"the dump is empty in part: {before}"
    manage("migrate", "--verbosity", "0")
    assert _counts(database) == before
    manage("check_invariants")
    with psycopg.connect(database) as connection:
        study, code = connection.execute(
            "SELECT s.slug, p.code FROM participation_participant p JOIN studies_study s ON s.id = p.study_id"
        ).fetchone()
    manage("erase", study, code)
    manage("check_invariants")
    assert _counts(database)["participation_session"] == before["participation_session"] - 1
