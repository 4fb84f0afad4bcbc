"""The data folder: one study server's data, keys and logs, used by one launcher at a time."""

import fcntl
import json
import os
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from launcher.refusal import Refusal

MARKER = "plainheart.json"
LOCK = "launcher.lock"
SERVICES = "services.json"
FORMAT = 1
LONG_LOG_BYTES = 10_000_000


@dataclass(frozen=True)
class Folder:
    """A claimed data folder. ``key`` names it for ever, wherever it is moved."""

    path: Path
    key: str
    lock: IO[str]

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def ports(self) -> Path:
        return self.path / "ports.json"

    @property
    def services(self) -> Path:
        return self.path / SERVICES

    def release(self) -> None:
        self.lock.close()


def examine(path: Path) -> None:
    """Refuse a folder that is not ours to use; changes nothing."""
    if path.is_dir():
        if not (path / MARKER).exists() and any(path.iterdir()):
            raise Refusal(
                f"{path} holds other files and no {MARKER}, so it is not a Plainheart data folder. "
                "Choose an empty or a new one, for example: make run DATA_DIR=./data"
            )
        if not os.access(path, os.W_OK | os.X_OK):
            raise Refusal(f"{path} cannot be written by this user. Choose another: make run DATA_DIR=./data")
    elif path.exists():
        raise Refusal(f"{path} is a file, not a folder. Choose another: make run DATA_DIR=./data")


def claim(path: Path) -> Folder:
    """Make ``path`` a data folder if it is none yet, and hold it until ``release``.

    Raises Refusal when it cannot be made or written, holds something else, or is in use.
    """
    try:
        examine(path)
        if not path.exists():
            # As super-user the database runs as another account, which must pass through; each
            # file that matters is readable by its owner only.
            path.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700, parents=True)
        lock = _hold(path)
        marker = path / MARKER
        if not marker.exists():
            made = {"made_by": "plainheart", "format": FORMAT, "key": secrets.token_hex(8)}
            write_private(marker, json.dumps(made, indent=2) + "\n")
        key = _key(marker)
        _make_room(path / "logs")
    except OSError as error:
        raise Refusal(
            f"{path} cannot be used as a data folder: {error.strerror}. "
            "Choose one that this user can write, for example: make run DATA_DIR=./data"
        ) from error
    return Folder(path=path, key=key, lock=lock)


def is_running(path: Path) -> bool:
    """Whether a launcher holds this folder now."""
    try:
        with (path / LOCK).open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def write_private(file: Path, text: str) -> None:
    """Write ``file`` whole or not at all, readable by its owner only."""
    draft = file.with_name(file.name + ".new")
    draft.unlink(missing_ok=True)
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    draft.replace(file)


def _hold(path: Path) -> IO[str]:
    # The kernel drops the lock with its holder, so a killed launcher never leaves a folder locked.
    lock = (path / LOCK).open("a")
    # A moment's patience: is_running() holds the lock for an instant while it looks.
    deadline = time.monotonic() + 0.5
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                lock.close()
                raise Refusal(
                    f"Another launcher is already running on {path}. "
                    "Stop it with Ctrl-C or TERM, or choose another folder: make run DATA_DIR=./data2"
                ) from None
            time.sleep(0.05)
        else:
            return lock


def _make_room(logs: Path) -> None:
    """Set aside logs that have grown long; one older copy of each is kept."""
    logs.mkdir(mode=0o700, exist_ok=True)
    for log in logs.glob("*.log"):
        if log.stat().st_size > LONG_LOG_BYTES:
            log.replace(log.with_suffix(".log.1"))


def _key(marker: Path) -> str:
    try:
        found = json.loads(marker.read_text(encoding="utf-8"))
        made_by, version, key = found["made_by"], found["format"], found["key"]
    except (ValueError, KeyError, TypeError) as error:
        raise Refusal(f"{marker} is damaged. Restore it from a backup of this folder.") from error
    if made_by != "plainheart" or version != FORMAT:
        raise Refusal(
            f"{marker} was made by {made_by} in format {version}; "
            f"this version reads Plainheart's format {FORMAT}."
        )
    return str(key)
