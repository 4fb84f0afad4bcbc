"""Two locks installed side by side must not undo each other."""

import re
from collections import defaultdict

import pytest

from launcher.locate import PROJECT

LOCKS = ["run", "analysis", "dev", "llm"]
PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(\S+?)(?: ; (.*?))? ?\\?$")


def pins(lock):
    """(package, marker) -> version"""
    lines = (PROJECT / "requirements" / f"{lock}.txt").read_text().splitlines()
    return {(found[1], found[3]): found[2] for line in lines if (found := PIN.match(line))}


def test_every_lock_asks_for_the_same_version_of_a_package():
    versions = defaultdict(set)
    for lock in LOCKS:
        for (package, marker), version in pins(lock).items():
            versions[package, marker].add(version)
    assert not {key: found for key, found in versions.items() if len(found) > 1}


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_a_hash_and_no_index_is_named(lock):
    text = (PROJECT / "requirements" / f"{lock}.txt").read_text()
    entries = re.split(r"\n(?=[a-z])", text)
    assert len(pins(lock)) == sum(1 for entry in entries if re.match(r"[a-z0-9._-]+(\[.*\])?==", entry))
    assert all("--hash=sha256:" in entry for entry in entries if "==" in entry.split("\n")[0])
    assert "--index-url" not in text and "file:" not in text
