"""``pip install .`` carries all that the analysis needs beside its modules."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_every_file_that_is_no_module_is_declared_as_package_data() -> None:
    declared = PROJECT["tool"]["setuptools"]["package-data"]
    carried = {
        path
        for package, patterns in declared.items()
        for pattern in patterns
        for path in ROOT.joinpath(*package.split(".")).glob(pattern)
    }
    present = {
        path
        for path in (ROOT / "analysis").rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    }
    assert present == carried


def test_every_folder_of_modules_is_a_package() -> None:
    folders = {path.parent for path in (ROOT / "analysis").rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_what_is_installed_with_it_is_the_list_of_the_analysis() -> None:
    assert PROJECT["tool"]["setuptools"]["dynamic"]["dependencies"]["file"] == ["requirements/analysis.in"]
