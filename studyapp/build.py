"""Which Plainheart this is; stored with each session."""

import os
import subprocess
from functools import cache
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def _version() -> str:
    try:
        return metadata.version("plainheart")
    except metadata.PackageNotFoundError:
        # Run from a checkout: pyproject.toml holds the one place the version is written.
        for line in (ROOT / "pyproject.toml").read_text().splitlines():
            if line.startswith("version"):
                return line.split('"')[1]
        raise


APP_VERSION = _version()


@cache
def app_commit() -> str:
    """The commit that runs, 40 digits; "" outside a checkout unless APP_COMMIT is set (containers)."""
    if commit := os.environ.get("APP_COMMIT"):
        return commit[:40]
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, timeout=5, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
