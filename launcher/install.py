"""``python3 -m launcher.install``: make the virtual environment from the locked requirements.

Runs on the system's Python before anything is installed: standard library only.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

OLDEST = (3, 11)
REQUIREMENTS = Path(__file__).resolve().parent.parent / "requirements"
# What each lock is for. The weights of the test model ask for a command-line tool that nobody needs.
STAGES = {
    "run": ("the platform", ()),
    "analysis": ("the analysis", ()),
    "dev": ("tests and checks", ()),
    "llm": ("a small model for tests", ("--no-deps",)),
}


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python3 -m launcher.install",
        description="Install locked requirements into a virtual environment; skip what has not changed.",
        epilog="Example: python3 -m launcher.install --venv .venv run analysis",
    )
    parser.add_argument("--venv", type=Path, default=Path(".venv"))
    parser.add_argument("stages", nargs="+", choices=STAGES)
    wanted = parser.parse_args()
    if sys.version_info < OLDEST:
        return _refuse(
            f"Plainheart needs Python {'.'.join(map(str, OLDEST))} or newer; {sys.executable} is "
            f"{sys.version.split()[0]}. Name another: make install PYTHON=python3.12"
        )
    python = wanted.venv / "bin" / "python"
    due = [stage for stage in wanted.stages if not _is_installed(wanted.venv, stage)]
    if not due and python.exists():
        return 0
    if not python.exists():
        began = time.monotonic()
        made = subprocess.run([sys.executable, "-m", "venv", str(wanted.venv)], check=False)
        if made.returncode:
            return _refuse(
                f"{wanted.venv} could not be made. On Debian and Ubuntu: apt-get install python3-venv; "
                "elsewhere install Python's venv module."
            )
        _report(0, len(due), f"virtual environment {wanted.venv}", wanted.venv, 0, began)
        due = list(wanted.stages)
    for number, stage in enumerate(due, start=1):
        purpose, options = STAGES[stage]
        lock = REQUIREMENTS / f"{stage}.txt"
        began, before = time.monotonic(), _size(wanted.venv)
        print(f"  {number}/{len(due)}  {purpose}: {_count(lock)} packages of {lock.name} ...", flush=True)
        done = subprocess.run(
            [
                *(str(python), "-m", "pip", "install", "--require-hashes", "--requirement", str(lock)),
                *("-qq", "--no-input", "--disable-pip-version-check", *options),
            ],
            # Root in a container is normal here, and the environment is the project's own.
            env={**os.environ, "PIP_ROOT_USER_ACTION": "ignore"},
            check=False,
        )
        if done.returncode:
            return _refuse(f"pip could not install {lock}; its reason stands above. Run the command again.")
        _stamp(wanted.venv, stage).write_text(_fingerprint(wanted.venv, stage) + "\n")
        _report(number, len(due), purpose, wanted.venv, before, began)
    return 0


def _refuse(reason: str) -> int:
    print(f"Not installed. {reason}", file=sys.stderr)
    return 1


def _report(number: int, of: int, what: str, venv: Path, before: int, began: float) -> None:
    megabytes = (_size(venv) - before) / 1e6
    print(f"  {number}/{of}  {what}: {megabytes:.0f} MB in {time.monotonic() - began:.1f} s", flush=True)


def _fingerprint(venv: Path, stage: str) -> str:
    # The environment's own Python counts: some locked packages are for some versions only.
    lock, environment = REQUIREMENTS / f"{stage}.txt", venv / "pyvenv.cfg"
    return hashlib.sha256(lock.read_bytes() + environment.read_bytes()).hexdigest()


def _stamp(venv: Path, stage: str) -> Path:
    return venv / f".installed-{stage}"


def _is_installed(venv: Path, stage: str) -> bool:
    stamp = _stamp(venv, stage)
    return stamp.exists() and stamp.read_text().strip() == _fingerprint(venv, stage)


def _count(lock: Path) -> int:
    return sum(
        1 for line in lock.read_text().splitlines() if "==" in line and not line.startswith(("#", " "))
    )


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


if __name__ == "__main__":
    sys.exit(main())
