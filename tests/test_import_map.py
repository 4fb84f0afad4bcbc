"""The floors of the house: imports and foreign keys run down only."""

import subprocess
import sys
from pathlib import Path

import grimp
import pytest
from django.apps import apps

PROJECT = Path(__file__).resolve().parent.parent

# From the ground up; pyproject.toml holds the same floors for imports.
FLOORS = [
    {"agents", "cues", "safety", "surveys", "work"},
    {"chat", "studies"},
    {"participation", "probes", "verdicts"},
    {"exports", "simulation"},
    {"console", "api"},
]
MAY_USE_ANALYSIS = {"console", "verdicts", "simulation"}
USABLE_ANALYSIS = {"analysis.agreement", "analysis.truth"}


def floor_of(label: str) -> int | None:
    """The floor of a room; None for an app that is not ours."""
    return next((number for number, rooms in enumerate(FLOORS) if label in rooms), None)


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("studyapp", "surveys", "analysis", "launcher", include_external_packages=True)


def test_every_contract_of_import_linter_is_kept():
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_every_room_has_a_floor(graph):
    rooms = {name.split(".")[1] for name in graph.find_children("studyapp") if graph.find_children(name)}
    homeless = {room for room in rooms if floor_of(room) is None}
    assert not homeless, f"give {homeless} a floor here and in pyproject.toml"


def test_no_foreign_key_points_up_or_into_a_room_beside():
    wrong = []
    for model in apps.get_models(include_auto_created=True):
        source = floor_of(model._meta.app_label)
        if source is None:
            continue
        for field in model._meta.get_fields():
            if not (field.is_relation and field.concrete and field.related_model):
                continue
            label = field.related_model._meta.app_label
            target = floor_of(label)
            if target is not None and label != model._meta.app_label and target >= source:
                wrong.append(f"{model._meta.label}.{field.name} -> {field.related_model._meta.label}")
    assert not wrong


def test_only_three_rooms_use_the_analysis_and_only_two_modules_of_it(graph):
    wrong = []
    for importer in graph.modules:
        if importer.split(".")[0] not in {"studyapp", "surveys"}:
            continue
        room = importer.split(".")[1] if "." in importer else importer
        for imported in graph.find_modules_directly_imported_by(importer):
            if imported.split(".")[0] == "analysis" and not (
                room in MAY_USE_ANALYSIS and imported in USABLE_ANALYSIS
            ):
                wrong.append(f"{importer} -> {imported}")
    assert not wrong


def test_the_web_process_loads_no_pandas_and_no_matplotlib(live_site):
    code = (
        "import sys, studyapp.asgi, studyapp.urls\n"
        "print(sorted({'pandas', 'matplotlib', 'scipy', 'sklearn'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=PROJECT,
        env=live_site.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "[]", done.stdout + done.stderr
