"""A process of ours: in its own group, and never outliving us."""

import ctypes
import os
import pwd
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from launcher.refusal import Refusal

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


@dataclass(frozen=True)
class Account:
    """The system account a child runs as."""

    name: str
    uid: int
    gid: int

    @classmethod
    def of(cls, entry: pwd.struct_passwd) -> "Account":
        return cls(name=entry.pw_name, uid=entry.pw_uid, gid=entry.pw_gid)


@dataclass(frozen=True)
class Command:
    """How to start and stop one child.

    ``death_signal`` is what the kernel sends it when we are killed outright: KILL for processes that
    recover from it anyway (leases, late acknowledgement), a gentler one where data would suffer.
    """

    name: str
    argv: tuple[str, ...]
    log: Path
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    directory: Path | None = None
    account: Account | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    death_signal: signal.Signals = signal.SIGKILL
    grace_s: float = 10.0


def die_with_parent(death_signal: signal.Signals) -> Callable[[], None]:
    """What a child runs between fork and exec.

    Linux only: on other systems a launcher that is killed outright leaves its children.
    """
    parent = os.getpid()

    def ask() -> None:
        if _libc is None:
            return
        _libc.prctl(_PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
        # The parent may have died before the request stood.
        if os.getppid() != parent:
            os._exit(1)

    return ask


def follow_parent() -> None:
    """Be sent TERM when our own parent (``make``) is killed outright, so that everything still stops."""
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)


def start(command: Command) -> "Child":
    """Start ``command``. Call it from the main thread: the kernel watches the thread that forked."""
    account = command.account
    with command.log.open("ab") as log:
        try:
            process = subprocess.Popen(
                command.argv,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=dict(command.environment),
                cwd=command.directory,
                process_group=0,
                user=account.uid if account else None,
                group=account.gid if account else None,
                extra_groups=[] if account else None,
                # Runs after the change of user, which would clear it.
                preexec_fn=die_with_parent(command.death_signal),
            )
        except OSError as error:
            raise Refusal(
                f"{command.name} cannot be started ({command.argv[0]}): {error.strerror}."
            ) from error
    return Child(command, process)


def run(
    argv: Sequence[str],
    *,
    environment: Mapping[str, str],
    directory: Path | None = None,
    account: Account | None = None,
) -> tuple[int, str]:
    """Run a command to its end; its exit code and everything it printed."""
    done = subprocess.run(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=dict(environment),
        cwd=directory,
        user=account.uid if account else None,
        group=account.gid if account else None,
        extra_groups=[] if account else None,
        preexec_fn=die_with_parent(signal.SIGKILL),
        text=True,
        errors="replace",
        check=False,
    )
    return done.returncode, done.stdout


class Child:
    """A started command."""

    def __init__(self, command: Command, process: "subprocess.Popen[bytes]") -> None:
        self.command = command
        self.started_at = time.monotonic()
        self._process = process

    @property
    def name(self) -> str:
        return self.command.name

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def code(self) -> int | None:
        return self._process.returncode

    def has_ended(self) -> bool:
        """Whether the process is over; what is left of its group is then killed."""
        if self._process.returncode is not None:
            return True
        # Look without reaping: until it is reaped, its number, and so its group's, is nobody else's.
        if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            return False
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        return True

    def signal(self, number: signal.Signals) -> None:
        if not self.has_ended():
            self._process.send_signal(number)

    def kill(self) -> None:
        if not self.has_ended():
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)

    def stop(self, is_hurried: Callable[[], bool] = lambda: False) -> None:
        """Ask it to end, give it its grace, then kill its group. Returns when it is gone."""
        self.signal(self.command.stop_signal)
        deadline = time.monotonic() + self.command.grace_s
        while not self.has_ended():
            if is_hurried() or time.monotonic() >= deadline:
                self.kill()
            time.sleep(0.02)


def tail(log: Path, lines: int = 12) -> str:
    """The last lines of a log, for a message about why its process failed."""
    if not log.exists():
        return ""
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
