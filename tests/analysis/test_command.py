"""``python -m analysis report``: exit codes, one clear line for bad input, no traceback."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "analysis", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=180,
    )


def test_a_report_is_written_and_named(folder: Path, tmp_path: Path) -> None:
    done = run("report", folder, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "report.html" in done.stdout
    assert (tmp_path / "out/report.html").is_file()


def test_help_shows_an_example() -> None:
    done = run("report", "--help")
    assert done.returncode == 0
    assert "Example: python -m analysis report" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    "damage", ["no folder", "empty folder", "changed file", "no manifest", "binary codebook"]
)
def test_a_damaged_folder_is_one_line_and_ends_with_1(folder: Path, tmp_path: Path, damage: str) -> None:
    place = tmp_path / "copy"
    if damage == "empty folder":
        place.mkdir()
    elif damage != "no folder":
        shutil.copytree(folder, place)
        changed = {"no manifest": "manifest.json", "changed file": "codebook.csv"}.get(damage, "codebook.csv")
        if damage == "no manifest":
            (place / changed).unlink()
        else:
            (place / changed).write_bytes(b"\x00\xff")
    done = run("report", place, "--out", tmp_path / "out")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    refused = [line for line in done.stderr.splitlines() if line.strip()]
    assert len(refused) == 1
    assert refused[0].startswith("Refused:")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "arguments", [["report"], ["report", "x"], ["rapport"], ["report", "x", "--oot", "y"]]
)
def test_wrong_usage_ends_with_2(arguments: list[str]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_the_package_loads_neither_django_nor_pandas_by_itself() -> None:
    code = "import sys, analysis; print([m for m in ('django', 'pandas', 'matplotlib') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_no_module_of_the_package_imports_django() -> None:
    code = (
        "import sys, pkgutil, importlib, analysis\n"
        "for m in pkgutil.walk_packages(analysis.__path__, 'analysis.'):\n"
        "    if m.name != 'analysis.__main__': importlib.import_module(m.name)\n"
        "print('django' in sys.modules, 'matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.stdout.split()[0] == "False", done.stderr
