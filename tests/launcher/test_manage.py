"""manage.py finds the running services of a data folder, or says how to start them."""

import os
import subprocess
import sys

import pytest

from launcher.locate import PROJECT
from tests.launcher.starting import OWN, new_folder


def manage(*arguments, **more):
    kept = {name: value for name, value in os.environ.items() if name not in OWN}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=PROJECT,
        env={**kept, **more},
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_services_it_says_how_to_start_them():
    folder = new_folder()
    done = manage("migrate", DATA_DIR=str(folder))
    assert done.returncode == 1
    assert done.stderr.strip().splitlines() == [
        f"Nothing is running for the data folder {folder}. Start it in another terminal with "
        f"'make run DATA_DIR={folder}', or set DATABASE_URL and REDIS_URL."
    ]
    assert not folder.exists()


@pytest.mark.parametrize("arguments", [["--help"], ["help"], ["version"], ["migrate", "--help"]])
def test_it_explains_itself_without_services(arguments):
    done = manage(*arguments, DATA_DIR=str(new_folder()))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_named_services_need_no_data_folder():
    url = "mysql://someone@127.0.0.1/study"
    done = manage(
        "migrate",
        DATABASE_URL=url,
        REDIS_URL="redis://127.0.0.1:1/0",
        SECRET_KEY="a",
        HASH_KEY="b",
        FIELD_KEYS="c",
    )
    assert done.returncode != 0
    assert "runs on PostgreSQL only" in done.stderr
