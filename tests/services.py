"""PostgreSQL and Valkey for one test session, started through the launcher's own modules."""

import atexit
import base64
import os
import shutil
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from launcher import child, ports, postgres, valkey

_running: list[child.Child] = []
_folders: list[Path] = []


def temporary_folder(prefix: str) -> Path:
    """A folder of the test session's own that the account of the database can pass through."""
    folder = Path(tempfile.mkdtemp(prefix=f"plainheart-{prefix}-"))
    folder.chmod(0o711 if os.geteuid() == 0 else 0o700)
    _folders.append(folder)
    return folder


def start() -> None:
    """Set the environment of the test session; start what DATABASE_URL and REDIS_URL do not name."""
    atexit.register(stop)
    os.environ.update(
        SECRET_KEY="for-tests-only",
        HASH_KEY="for-tests-only-too",
        FIELD_KEYS=base64.urlsafe_b64encode(b"plainheart-tests-0123456789-abcd").decode(),
        DATA_DIR=str(temporary_folder("data")),
    )
    if not os.environ.get("DATABASE_URL"):
        home = temporary_folder("postgres")
        cluster = postgres.prepare(home, home.name, ports.choose(), "for-tests-only")
        cluster.initialise()
        process = child.start(cluster.command(home / "log", postgres.CARELESS))
        _running.append(process)
        cluster.wait(process)
        os.environ["DATABASE_URL"] = cluster.url("postgres")
    if not os.environ.get("REDIS_URL"):
        home = temporary_folder("valkey")
        store = valkey.prepare(home, ports.choose(), "for-tests-only")
        process = child.start(store.command(home / "log"))
        _running.append(process)
        store.wait(process)
        os.environ["REDIS_URL"] = store.url


def database_url(name: str) -> str:
    """The address of another database of the same server."""
    return urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()


def template_of(database: str) -> str:
    """The name of the copy that is kept of ``database`` as migrations leave it."""
    return f"{database}_template"


def stop() -> None:
    while _running:
        _running.pop().stop()
    while _folders:
        shutil.rmtree(_folders.pop(), ignore_errors=True)
