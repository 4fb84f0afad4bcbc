"""The whole launcher: what it starts, that it keeps running, and that nothing is left of it."""

import os
import signal
import subprocess
import sys

import psycopg
import pytest

from launcher import ports
from launcher.locate import PROJECT
from tests.launcher.starting import OWN, launched, new_folder, page, refused
from tests.waiting import until


@pytest.fixture(scope="module")
def running():
    with launched(new_folder(), ports.choose()) as started:
        yield started


def manage(path, *arguments):
    environment = {name: value for name, value in os.environ.items() if name not in OWN}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=PROJECT,
        env={**environment, "DATA_DIR": str(path)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_says_where_to_go_and_how_to_stop(running):
    said = running.said()
    assert f"http://127.0.0.1:{running.port}/admin/" in said
    assert "researcher" in said and "password" in said and "Ctrl-C" in said
    assert str(running.path) in said


def test_the_printed_password_opens_the_admin(running):
    password = running.said().split("password    ")[1].split()[0]
    code = (
        "from django.contrib.auth import authenticate; "
        f"print(authenticate(username='researcher', password='{password}').is_superuser)"
    )
    assert manage(running.path, "shell", "--no-imports", "-c", code).stdout.strip() == "True"


def test_secrets_are_readable_by_their_owner_only(running):
    for name in ("keys.json", "services.json", "plainheart.json", "valkey/valkey.conf"):
        assert (running.path / name).stat().st_mode & 0o077 == 0, name


def test_no_secret_is_an_argument_of_a_process(running):
    keys = (running.path / "keys.json").read_text()
    secrets = [part for part in keys.split('"') if len(part) > 20]
    arguments = " ".join(" ".join(process.cmdline()) for process in running.children())
    assert len(secrets) >= 5
    assert not [secret for secret in secrets if secret in arguments]


def test_the_services_let_nobody_in_without_a_password(running):
    open_url = running.services()["DATABASE_URL"].replace(":" + _password(running) + "@", "@")
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(open_url)


def _password(running):
    return running.services()["DATABASE_URL"].split("@")[0].rsplit(":", 1)[1]


def test_manage_commands_find_the_services_of_the_folder(running):
    done = manage(running.path, "migrate", "--check")
    assert done.returncode == 0, done.stderr


def test_another_launcher_on_the_same_folder_is_refused(running):
    assert f"Another launcher is already running on {running.path}" in refused(running.path, ports.choose())


def test_a_taken_port_is_refused_and_nothing_is_made(running):
    folder = new_folder()
    assert f"Port {running.port} on 127.0.0.1 is taken" in refused(folder, running.port)
    assert not folder.exists()


@pytest.mark.parametrize("name", ["uvicorn", "worker", "beat", "valkey-server", "postgres"])
def test_a_killed_child_comes_back(running, name):
    killed = running.child(name)
    killed.kill()
    until(lambda: not killed.is_running(), 5, running.said)
    until(lambda: running.child(name) not in (None, killed), 20, running.said)
    until(running.is_well, 60, running.said)


def test_after_term_nothing_is_left_and_a_second_run_has_the_data():
    path, port = new_folder(), ports.choose()
    with launched(path, port) as first:
        manage(path, "createsuperuser", "--noinput", "--username", "ada", "--email", "ada@example.org")
        keys = (path / "keys.json").read_text()
        assert first.end(signal.SIGTERM) == 0
        assert not first.left()
        assert ports.is_free(port)
        assert not (path / "services.json").exists()
    refusal = manage(path, "migrate", "--check")
    assert refusal.returncode == 1
    assert refusal.stderr.startswith("Nothing is running for the data folder")
    assert refusal.stderr.count("\n") == 1

    with launched(path, port) as second:
        assert (path / "keys.json").read_text() == keys
        with psycopg.connect(second.services()["DATABASE_URL"]) as database:
            assert database.execute("SELECT count(*) FROM auth_user WHERE username = 'ada'").fetchone() == (
                1,
            )
        assert page(port, "/admin/login/") == 200
        # Killed outright, it can stop nothing itself: the kernel does.
        second.end(signal.SIGKILL)
        until(lambda: not second.left(), 20, lambda: "\n".join(second.left()))
        until(lambda: ports.is_free(port), 5)

    with launched(path, port) as third, psycopg.connect(third.services()["DATABASE_URL"]) as database:
        assert database.execute("SELECT count(*) FROM auth_user WHERE username = 'ada'").fetchone() == (1,)


def test_told_to_stop_while_starting_it_leaves_nothing():
    from tests.launcher.starting import Running

    running = Running(new_folder(), ports.choose())
    until(lambda: "Valkey" in running.said(), 60, running.said)
    assert running.end(signal.SIGTERM) == 1
    assert not running.left()
