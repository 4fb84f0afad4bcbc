"""Starting the launcher as a user does, and looking at what it leaves."""

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from launcher import asking, ports
from launcher.locate import PROJECT
from tests import services
from tests.waiting import until

START_S, STOP_S = 90, 60
# What the test session set for itself must not reach the launcher under test.
OWN = {"DATABASE_URL", "REDIS_URL", "SECRET_KEY", "HASH_KEY", "FIELD_KEYS", "DATA_DIR", "DEBUG"}
OWN |= {"DJANGO_SETTINGS_MODULE", "STATIC_ROOT", "SITE_URL", "ALLOWED_HOSTS"}


def environment(path: Path, port: int, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in OWN}
    return {**kept, "DATA_DIR": str(path), "PORT": str(port), "HOST": ports.LOOPBACK, **more}


def refused(path: Path, port: int, **more: str) -> str:
    """What a launcher says that must not start; checks that it is one line and exit code 1."""
    done = subprocess.run(
        [sys.executable, "-m", "launcher"],
        cwd=PROJECT,
        env=environment(path, port, **more),
        capture_output=True,
        text=True,
        timeout=START_S,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    return lines[0]


class Running:
    """A launcher under test."""

    def __init__(self, path: Path, port: int) -> None:
        self.path, self.port = path, port
        self.output = path.with_name(path.name + ".out")
        with self.output.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "launcher"],
                cwd=PROJECT,
                env=environment(path, port),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        self.seen: set[psutil.Process] = set()

    def said(self) -> str:
        return self.output.read_text()

    def wait_until_well(self) -> None:
        def is_well() -> bool:
            assert self.process.poll() is None, self.said()
            # The last line of the greeting.
            return "Ctrl-C" in self.said() and self.is_well()

        until(is_well, START_S, self.said)
        self.seen |= set(self.children())

    def is_well(self) -> bool:
        found = asking.parts(ports.LOOPBACK, self.port)
        return found is not None and all(found.values())

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def child(self, word: str) -> psutil.Process | None:
        """Its direct child with ``word`` among its arguments."""
        found = [
            process
            for process in psutil.Process(self.process.pid).children()
            if any(word in argument for argument in _arguments(process))
        ]
        return found[0] if found else None

    def left(self) -> list[str]:
        """What still runs of all that was seen, and whatever names the data folder."""
        alive = {process for process in self.seen if process.is_running() and _is_alive(process)}
        named = {
            process for process in psutil.process_iter() if str(self.path) in " ".join(_arguments(process))
        }
        return [f"{process.pid} {_arguments(process)}" for process in alive | named]

    def services(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.path / "services.json").read_text())
        return found

    def end(self, number: signal.Signals) -> int:
        self.seen |= set(self.children())
        self.process.send_signal(number)
        return self.process.wait(STOP_S)


def _is_alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _arguments(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


@contextmanager
def launched(path: Path, port: int) -> Iterator[Running]:
    """A launcher that is well; stopped afterwards if the test has not."""
    running = Running(path, port)
    try:
        running.wait_until_well()
        yield running
    finally:
        if running.process.poll() is None:
            running.end(signal.SIGTERM)


def new_folder() -> Path:
    """A data folder that does not exist yet, below one of the test session's own."""
    return services.temporary_folder("launcher") / "data"


def page(port: int, path: str) -> int:
    connection = http.client.HTTPConnection(ports.LOOPBACK, port, timeout=10)
    connection.request("GET", path)
    status = connection.getresponse().status
    connection.close()
    return status
