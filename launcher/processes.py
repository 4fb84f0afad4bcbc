"""How our own processes are started: the web server, the worker, beat and Django's commands."""

import sys
from collections.abc import Mapping
from pathlib import Path

from launcher.child import Command
from launcher.locate import PROJECT

# How long the web process may finish replies under way; Django's settings read the same variable.
DRAIN_S = 20.0


def web(host: str, port: int, environment: Mapping[str, str], logs: Path) -> Command:
    drain = float(environment.get("DRAIN_S") or DRAIN_S)
    return Command(
        name="web",
        argv=(
            *(sys.executable, "-m", "uvicorn", "studyapp.asgi:application"),
            *("--host", host, "--port", str(port)),
            # Without it uvicorn waits for ever for the client of an open stream.
            *("--timeout-graceful-shutdown", "2"),
            *("--lifespan", "on", "--no-access-log", "--no-server-header"),
        ),
        log=logs / "web.log",
        environment=environment,
        directory=PROJECT,
        grace_s=drain + 10,
    )


def worker(environment: Mapping[str, str], logs: Path) -> Command:
    return Command(
        name="worker",
        argv=(
            *(sys.executable, "-m", "celery", "-A", "studyapp", "worker"),
            # Threads, not child processes: nothing is left when the worker is killed, and the work
            # waits for model servers more than it computes.
            *("--pool", "threads", "--concurrency", environment.get("WORKER_THREADS") or "4"),
            *("--loglevel", "WARNING", "--without-gossip", "--without-mingle"),
        ),
        log=logs / "worker.log",
        environment=environment,
        directory=PROJECT,
        grace_s=30.0,
    )


def beat(environment: Mapping[str, str], logs: Path, folder: Path) -> Command:
    folder.mkdir(mode=0o700, exist_ok=True)
    return Command(
        name="beat",
        argv=(
            *(sys.executable, "-m", "celery", "-A", "studyapp", "beat"),
            *("--schedule", str(folder / "schedule"), "--pidfile", ""),
            *("--loglevel", "WARNING"),
        ),
        log=logs / "beat.log",
        environment=environment,
        directory=PROJECT,
    )


def manage(*arguments: str) -> list[str]:
    return [sys.executable, str(PROJECT / "manage.py"), *arguments]
