"""A wrong setting is one line that says what to do."""

import os
import subprocess
import sys

import pytest

from launcher.locate import PROJECT


@pytest.mark.parametrize(
    ("value", "says"),
    [("{bad", "PROVIDERS is not JSON"), ("[]", "an object of objects"), ('{"x": 5}', "an object of objects")],
)
def test_providers_that_cannot_be_read_are_said_without_a_traceback(value: str, says: str):
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=PROJECT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "studyapp.settings", "PROVIDERS": value},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert ".env.example" in done.stderr
