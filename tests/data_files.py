"""``python -m tests.data_files``: the tests over every file of facts (``make check``).

Scales, persona parts, help resources, studies: each room's tests over its files are named
``test_*_files.py``; they need no database.
"""

import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent


def main() -> int:
    files = sorted(map(str, TESTS.rglob("test_*_files.py")))
    return int(pytest.main(["-q", "--no-header", *files]))


if __name__ == "__main__":
    sys.exit(main())
