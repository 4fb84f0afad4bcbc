"""The demo studies: loaded once into a database, shown at each start."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from launcher import child, processes
from launcher.folder import write_private
from launcher.locate import PROJECT
from launcher.refusal import Refusal
from launcher.steps import step

SLUGS = ("warm-and-plain", "quick-look")
RECORD = "demo.json"


def load_demo(path: Path, environment: Mapping[str, str]) -> list[str]:
    """Load the demo studies that this database never had; the slugs of all it was given.

    Once only: a demo study that a researcher has edited or removed since must stay as they left it.
    """
    record = path / RECORD
    known: dict[str, list[str]] = json.loads(record.read_text()) if record.exists() else {}
    given = known.setdefault(_database(environment["DATABASE_URL"], path), [])
    for slug in SLUGS:
        file = PROJECT / "studies" / f"{slug}.yaml"
        if slug in given or not file.exists():
            continue
        with step("Demo study") as current:
            code, said = child.run(
                processes.manage("load_study", str(file), "--pilot"),
                environment=environment,
                directory=PROJECT,
            )
            if code:
                raise Refusal(f"The demo study {file} could not be loaded:\n{said.strip()}")
            current.result = said.strip() or slug
        given.append(slug)
        write_private(record, json.dumps(known, indent=2) + "\n")
    return given


def links_of(slugs: list[str], environment: Mapping[str, str]) -> list[str]:
    """What ``manage.py links`` says of each study: its links, or that it is gone."""
    with step("Links") as current:
        answers = [
            child.run(processes.manage("links", slug), environment=environment, directory=PROJECT)
            for slug in slugs
        ]
        said = [
            text.rstrip() if code == 0 else f"{slug}: not here any more"
            for slug, (code, text) in zip(slugs, answers, strict=True)
        ]
        current.result = ", ".join(slugs)
    return said


def _database(url: str, path: Path) -> str:
    """A name for a database that holds no password and outlives a change of port of our own."""
    parts = urlsplit(url)
    if parts.hostname == "127.0.0.1" and (path / "postgres").exists():
        return "embedded"
    return hashlib.sha256(f"{parts.hostname}:{parts.port}{parts.path}".encode()).hexdigest()[:16]
