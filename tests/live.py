"""A real site for a test module: its own database, Valkey, web process and, when asked for, worker.

``live_site`` is made once per test file: tests of one file that must not see each other's rows use
sessions or studies of their own.
"""

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection

from launcher import child, ports, processes, valkey
from launcher.locate import PROJECT
from tests import services

START_S = 40.0
# Past any proxy the machine has for the outside world.
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class LiveSite:
    """A running site. ``url`` ends without a slash."""

    def __init__(self, environment: dict[str, str], folder: Path, port: int) -> None:
        self.environment = environment
        self.folder = folder
        self.port = port
        self.url = environment["SITE_URL"]
        self._children: list[child.Child] = []

    def start_web(self) -> child.Child:
        command = processes.web(ports.LOOPBACK, self.port, self.environment, self.folder)
        process = self._start(command)
        deadline = time.monotonic() + START_S
        while ports.is_free(self.port):
            assert not process.has_ended() and time.monotonic() < deadline, (
                f"The web process did not start:\n{self.log('web')}"
            )
            time.sleep(0.05)
        return process

    def start_worker(self) -> child.Child:
        return self._start(processes.worker(self.environment, self.folder))

    def start_beat(self) -> child.Child:
        return self._start(processes.beat(self.environment, self.folder, self.folder / "beat"))

    def _start(self, command: child.Command) -> child.Child:
        process = child.start(command)
        self._children.append(process)
        return process

    def stop(self) -> None:
        while self._children:
            self._children.pop().stop()

    def log(self, name: str) -> str:
        """What the web process, the worker or beat has written so far."""
        file = self.folder / f"{name}.log"
        return file.read_text(errors="replace") if file.exists() else ""

    def get(self, path: str) -> tuple[int, str]:
        """Status and text of a page, whatever the status."""
        try:
            with _direct.open(self.url + path, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def query(self, sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Rows of a query in the site's database; a statement without rows gives []."""
        with psycopg.connect(self.environment["DATABASE_URL"], autocommit=True) as database:
            cursor = database.execute(sql, parameters)
            return cursor.fetchall() if cursor.description else []

    def manage(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a manage.py command on the site's database."""
        done = subprocess.run(
            processes.manage(*arguments),
            env=self.environment,
            cwd=PROJECT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        if check:
            assert done.returncode == 0, f"manage.py {' '.join(arguments)}:\n{done.stdout}{done.stderr}"
        return done


@pytest.fixture(scope="session")
def static_root() -> Path:
    """Static files as a server sees them, collected once per test session."""
    root = services.temporary_folder("static")
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "studyapp.settings", "STATIC_ROOT": str(root)}
    done = subprocess.run(
        [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"],
        env=environment,
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return root


@pytest.fixture(scope="module")
def live_site(django_db_setup: None, static_root: Path, request: pytest.FixtureRequest) -> Iterator[LiveSite]:
    """A web process (uvicorn) on a fresh copy of the migrated database."""
    folder = services.temporary_folder("site")
    source = services.template_of(connection.settings_dict["NAME"])
    database = f"live_{folder.name.rsplit('-', 1)[-1]}"
    store = valkey.prepare(folder, ports.choose(), "for-tests-only")
    with psycopg.connect(services.database_url("postgres"), autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{database}" TEMPLATE "{source}"')
        valkey_process = child.start(store.command(folder / "valkey.log"))
        store.wait(valkey_process)
        port = ports.choose()
        site = LiveSite(
            environment={
                **{name: value for name, value in os.environ.items() if name != "DEBUG"},
                "DJANGO_SETTINGS_MODULE": "studyapp.settings",
                "DATABASE_URL": services.database_url(database),
                "REDIS_URL": store.url,
                "DATA_DIR": str(folder),
                "STATIC_ROOT": str(static_root),
                "SITE_URL": f"http://{ports.LOOPBACK}:{port}",
                "DRAIN_S": "5",
                "PYTHONUNBUFFERED": "1",
            },
            folder=folder,
            port=port,
        )
        try:
            site.start_web()
            yield site
        finally:
            site.stop()
            valkey_process.stop()
            server.execute(f'DROP DATABASE "{database}" WITH (FORCE)')


@pytest.fixture(scope="module")
def live_worker(live_site: LiveSite) -> child.Child:
    """A Celery worker and beat beside the live site; they stop with it."""
    live_site.start_beat()
    return live_site.start_worker()
