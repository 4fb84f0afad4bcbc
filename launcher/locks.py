"""``python3 -m launcher.locks``: compile requirements/*.in to locked files with hashes (``make lock``).

A lock keeps the versions it has unless the .in file rules them out; ``--upgrade`` takes the newest.
Standard library only: the compiler, uv, lives in a throw-away environment.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parent.parent / "requirements"
# dev.in asks for everything, so its lock decides; the others take its versions, or two locks
# installed side by side would undo each other.
LOCKS: dict[str, tuple[str, ...]] = {
    "dev": (),
    "run": ("--constraint", "dev.txt"),
    "analysis": ("--constraint", "dev.txt"),
    "llm": ("--no-deps",),
}


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python3 -m launcher.locks",
        description="Compile requirements/*.in to *.txt with uv; needs the network.",
        epilog="Example: python3 -m launcher.locks --upgrade",
    )
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions allowed")
    upgrade = ["--upgrade"] if parser.parse_args().upgrade else []
    with tempfile.TemporaryDirectory(prefix="plainheart-lock-") as place:
        python = f"{place}/bin/python"
        for command in (
            [sys.executable, "-m", "venv", place],
            [python, "-m", "pip", "install", "--quiet", "uv"],
        ):
            if code := subprocess.run(command, check=False).returncode:
                return code
        for name, options in LOCKS.items():
            print(f"  {name}.in -> {name}.txt", flush=True)
            done = subprocess.run(
                [
                    *(python, "-m", "uv", "pip", "compile", f"{name}.in", "--output-file", f"{name}.txt"),
                    *("--universal", "--python-version", "3.11", "--generate-hashes", "--no-emit-index-url"),
                    *("--custom-compile-command", "make lock", "--quiet", *options, *upgrade),
                ],
                cwd=REQUIREMENTS,
                check=False,
            )
            if done.returncode:
                return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
