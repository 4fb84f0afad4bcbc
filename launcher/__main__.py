"""``python -m launcher``: start the platform, keep it running, stop it whole."""

import argparse
import json
import os
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import redis

from launcher import asking, child, folder, keys, locate, ports, postgres, processes, valkey
from launcher.demo import links_of, load_demo
from launcher.interrupts import Interrupts, Stopped
from launcher.refusal import Refusal
from launcher.steps import say, step
from launcher.supervisor import Supervisor

HEALTH_S = 90.0


@dataclass
class Start:
    """One start, step by step."""

    host: str
    port: int
    path: Path
    supervisor: Supervisor
    environment: dict[str, str] = field(default_factory=lambda: dict(os.environ))

    @property
    def url(self) -> str:
        host = asking.address(self.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    def claim(self) -> folder.Folder:
        ports.require_free(self.host, self.port)
        with step("Data folder") as current:
            claimed = folder.claim(self.path)
            current.result = str(self.path)
        # Left behind: the launcher before us was killed, and its services may still be writing down.
        self.is_after_crash = claimed.services.exists()
        claimed.services.unlink(missing_ok=True)
        return claimed

    def make_keys(self) -> dict[str, str]:
        with step("Keys") as current:
            is_new = not (self.path / keys.FILE).exists()
            own = keys.made_once(self.path)
            current.result = f"{'made' if is_new else 'read'}: {self.path / keys.FILE}"
        hosts = self.environment.get("ALLOWED_HOSTS") or "localhost,127.0.0.1,[::1]"
        self.environment |= {
            **{name: self.environment.get(name) or own[name] for name in keys.FOR_SETTINGS},
            "DJANGO_SETTINGS_MODULE": "studyapp.settings",
            "DATA_DIR": str(self.path),
            "SITE_URL": self.environment.get("SITE_URL") or self.url,
            # Always reachable from here: the health check comes by the loopback address.
            "ALLOWED_HOSTS": ",".join(dict.fromkeys([*hosts.split(","), asking.address(self.host)])),
            "ADMIN_USER": own["ADMIN_USER"],
            "ADMIN_PASSWORD": own["ADMIN_PASSWORD"],
            "PYTHONUNBUFFERED": "1",
        }
        return own

    def start_services(self, claimed: folder.Folder, own: dict[str, str]) -> None:
        patience = 15.0 if self.is_after_crash else 0.0
        with step("PostgreSQL") as current:
            if self.environment.get("DATABASE_URL"):
                _require_database(self.environment["DATABASE_URL"])
                current.result = "the one DATABASE_URL names"
            else:
                port = ports.remembered(claimed.ports, "postgresql", wait_s=patience)
                cluster = postgres.prepare(self.path, claimed.key, port, own["POSTGRES_PASSWORD"])
                cluster.initialise()
                cluster.wait(self.supervisor.start(cluster.command(claimed.logs / "postgresql.log")))
                cluster.create_database()
                self.environment["DATABASE_URL"] = cluster.url()
                current.result = f"{ports.LOOPBACK}:{port}, data in {cluster.data}"
        with step("Valkey") as current:
            if self.environment.get("REDIS_URL"):
                _require_valkey(self.environment["REDIS_URL"])
                current.result = "the one REDIS_URL names"
            else:
                port = ports.remembered(claimed.ports, "valkey", wait_s=patience)
                store = valkey.prepare(self.path, port, own["VALKEY_PASSWORD"])
                store.wait(self.supervisor.start(store.command(claimed.logs / "valkey.log")))
                self.environment["REDIS_URL"] = store.url
                current.result = f"{ports.LOOPBACK}:{port}, data in {store.home}"

    def manage(self, *arguments: str) -> str:
        code, said = child.run(
            processes.manage(*arguments), environment=self.environment, directory=locate.PROJECT
        )
        if code:
            raise Refusal(f"'manage.py {' '.join(arguments)}' failed:\n{said.strip()}")
        return said.strip()

    def prepare_database(self) -> str:
        with step("Migrations") as current:
            said = self.manage("migrate", "--noinput", "--no-color")
            applied = said.count("... OK")
            current.result = f"{applied} applied" if applied else "none to apply"
        with step("Static files") as current:
            current.result = self.manage("collectstatic", "--noinput", "--no-color").splitlines()[-1].strip()
        with step("Administrator") as current:
            current.result = self.manage("ensure_admin")
        return current.result

    def start_processes(self, claimed: folder.Folder) -> None:
        logs = claimed.logs
        with step("Processes") as current:
            ports.require_free(self.host, self.port)
            self.supervisor.start(processes.web(self.host, self.port, self.environment, logs))
            self.supervisor.start(processes.worker(self.environment, logs))
            self.supervisor.start(processes.beat(self.environment, logs, self.path / "beat"))
            current.result = f"web, worker and beat; logs in {logs}"
        services = {
            "DATABASE_URL": self.environment["DATABASE_URL"],
            "REDIS_URL": self.environment["REDIS_URL"],
            "url": self.environment["SITE_URL"],
            "host": self.host,
            "port": self.port,
            "pid": os.getpid(),
        }
        folder.write_private(claimed.services, json.dumps(services, indent=2) + "\n")

    def wait_for_health(self) -> None:
        with step("Health") as current:
            deadline = time.monotonic() + HEALTH_S
            while True:
                found = asking.parts(asking.address(self.host), self.port)
                if found and all(found.values()):
                    break
                ended = self.supervisor.ended()
                if ended is not None:
                    raise Refusal(
                        f"{ended.name} ended while starting; its log {ended.command.log} ends:\n"
                        f"{child.tail(ended.command.log)}"
                    )
                if time.monotonic() >= deadline:
                    ill = [name for name, well in (found or {"web": False}).items() if not well]
                    raise Refusal(
                        f"Not well after {HEALTH_S:.0f} s: {', '.join(ill)}. Look into {self.path / 'logs'}."
                    )
                time.sleep(0.1)
            current.result = ", ".join(found)

    def greet(self, links: list[str], administrator: str) -> None:
        say()
        say("Plainheart is running.", "bold green")
        for each in links:
            say()
            say(each)
        say()
        site = self.environment["SITE_URL"]
        say(f"Researchers   {site}/admin/")
        say(f"  user        {self.environment['ADMIN_USER']}")
        if administrator.startswith("kept"):
            say("  password    as you changed it ('make password' makes a new one)")
        else:
            say(f"  password    {self.environment['ADMIN_PASSWORD']}")
        say()
        say(f"Data          {self.path}")
        say("Stop          Ctrl-C here, or TERM to this process; a second one does not wait")
        if self.host in {"0.0.0.0", "::"} and not os.environ.get("SITE_URL"):
            say()
            say(
                "Others reach this machine under another name: set SITE_URL and ALLOWED_HOSTS to it.",
                "yellow",
            )
        say()


def _require_database(url: str) -> None:
    try:
        psycopg.connect(url, connect_timeout=5).close()
    except psycopg.Error as error:
        reason = str(error).strip().splitlines()[0]
        raise Refusal(f"The database that DATABASE_URL names does not answer: {reason}") from error


def _require_valkey(url: str) -> None:
    try:
        client = redis.Redis.from_url(url, socket_connect_timeout=5)
        client.ping()
        client.close()
    except (redis.RedisError, ValueError) as error:
        raise Refusal(f"The server that REDIS_URL names does not answer: {error}") from error


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise Refusal(
            f"PORT={text} is not a port; give a number from 1 to 65535, for example: make run PORT=8123"
        )
    return int(text)


def run(start: Start, interrupts: Interrupts) -> None:
    """Start everything and keep it running until told to stop. Raises Refusal when it cannot start."""
    claimed = start.claim()
    try:
        own = start.make_keys()
        start.start_services(claimed, own)
        administrator = start.prepare_database()
        slugs = load_demo(start.path, start.environment)
        start.start_processes(claimed)
        # While the processes come up.
        links = links_of(slugs, start.environment)
        start.wait_for_health()
        start.greet(links, administrator)
        interrupts.is_starting = False
        start.supervisor.watch(interrupts)
    finally:
        interrupts.is_starting = False
        say("Stopping.")
        claimed.services.unlink(missing_ok=True)
        start.supervisor.stop(interrupts)
        claimed.release()
    say("Everything has stopped.")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m launcher",
        description="Start Plainheart with PostgreSQL and Valkey of its own, and keep it running.",
        epilog="Example: HOST=127.0.0.1 PORT=8123 DATA_DIR=./data python -m launcher. "
        "DATABASE_URL and REDIS_URL name services of yours instead.",
    )
    parser.add_argument("--with-parent", action="store_true", help="stop when the starting process is killed")
    if parser.parse_args().with_parent:
        child.follow_parent()
    interrupts = Interrupts()
    try:
        start = Start(
            host=os.environ.get("HOST") or ports.LOOPBACK,
            port=_port(os.environ.get("PORT") or "8000"),
            path=locate.data_dir(),
            supervisor=Supervisor(tell=say),
        )
        run(start, interrupts)
    except Refusal as refusal:
        print(f"Plainheart did not start. {refusal}", file=sys.stderr)
        return 1
    except Stopped:
        print("Stopped before it had started.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
