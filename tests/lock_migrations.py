"""``python -m tests.lock_migrations``: write down the hash of every migration that has landed.

A landed migration is never edited: databases out there have run it. Mistakes are mended by a new one.
"""

import hashlib
import json
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
LOCK = Path(__file__).with_name("migrations.lock.json")


def hashes() -> dict[str, str]:
    """SHA-256 of every migration of ours, by path in the project."""
    files = [*PROJECT.glob("studyapp/*/migrations/[0-9]*.py"), *PROJECT.glob("surveys/migrations/[0-9]*.py")]
    return {
        file.relative_to(PROJECT).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(files)
    }


def locked() -> dict[str, str]:
    found: dict[str, str] = json.loads(LOCK.read_text()) if LOCK.exists() else {}
    return found


def changed(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """Migrations that landed and are different or gone."""
    return [path for path, digest in before.items() if now.get(path) != digest]


def main() -> int:
    now = hashes()
    if edited := changed(locked(), now):
        print(f"Already landed, but changed: {', '.join(edited)}. Restore them and add a migration instead.")
        return 1
    LOCK.write_text(json.dumps(now, indent=2) + "\n")
    print(f"{len(now)} migrations locked in {LOCK}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
