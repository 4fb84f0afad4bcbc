"""A data set is verified, typed and looked up by its codebook; damage is one named error."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.dataset import DataSet, read
from analysis.errors import DamagedDataSet, MixedKinds, UnknownName
from tests.analysis.synthetic import Plan, write

WIDE = "data/study-warmandplain_description-wide_data.csv"


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / "copy"))


def resealed(folder: Path, name: str, rows: int | None = None) -> None:
    """Make the manifest agree with a changed file, to reach the checks behind the hash."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["files"][name]["sha256"] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    if rows is not None:
        manifest["files"][name]["rows"] = rows
    path.write_text(json.dumps(manifest))


def edit(folder: Path, name: str, change: Callable[[str], str]) -> None:
    path = folder / name
    path.write_text(change(path.read_text("utf-8")), encoding="utf-8", newline="\n")


def test_tables_are_typed_by_the_codebook(planted: DataSet) -> None:
    wide, probes = planted.table("wide"), planted.table("probes")
    assert len(wide) == 200
    assert wide["pmq_warm"].dtype == float
    assert wide["pmq_warm"].isna().any()
    assert set(probes["persona"].dropna().unique()) == {True, False}
    assert probes["session"].isna().any()


def test_reversed_items_are_taken_reversed(planted: DataSet) -> None:
    raw = planted.table("wide")
    reversed_items = [
        (item, entry.column) for item, (entry, _) in planted.codebook.items("fhs7").items() if entry.reversed
    ]
    assert reversed_items
    for item, column in reversed_items:
        assert (planted.items("fhs7")[item] + raw[column]).dropna().eq(8).all()


def test_a_scale_asked_twice_is_known_by_its_steps(planted: DataSet) -> None:
    assert {"affect_before", "affect_after"} <= set(planted.codebook.askings())
    assert planted.design.baseline_of("affect_after") == "affect_before"
    assert planted.design.scale_of("affect_after") == "affect"
    assert "affect_after" not in planted.design.askings_before_allocation()


def test_the_reference_is_the_first_level_of_the_study_file(planted: DataSet) -> None:
    assert [factor.reference for factor in planted.design.factors] == ["default"]


def test_an_unknown_scale_is_refused_with_those_there_are(planted: DataSet) -> None:
    with pytest.raises(UnknownName, match="session_support"):
        planted.items("sesion_support")


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DamagedDataSet, match="is no folder"):
        read(tmp_path / "nowhere")


def test_a_folder_without_manifest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DamagedDataSet, match=r"holds no manifest\.json"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not readable as JSON"),
        ("[]", "not of format"),
        ('{"format": "plainheart-dataset", "version": 9}', "version 9"),
        ('{"format": "plainheart-dataset", "version": 1}', "without 'files'"),
        ('{"format": "plainheart-dataset", "version": 1, "kinds": [], "files": {}}', r"no codebook\.csv"),
        (
            '{"format": "plainheart-dataset", "version": 1, "kinds": [], "files": {"../x": {"sha256": ""}}}',
            "outside the folder",
        ),
    ],
)
def test_a_broken_manifest_is_refused(copy: Path, text: str, words: str) -> None:
    (copy / "manifest.json").write_text(text)
    with pytest.raises(DamagedDataSet, match=words):
        read(copy)


def test_a_changed_file_is_named(copy: Path) -> None:
    edit(copy, WIDE, lambda text: text.replace("timed_out", "complete", 1))
    with pytest.raises(DamagedDataSet, match=r"wide_data\.csv was changed since the export"):
        read(copy)


def test_a_missing_file_is_named(copy: Path) -> None:
    (copy / WIDE).unlink()
    with pytest.raises(DamagedDataSet, match=r"wide_data\.csv is missing"):
        read(copy)


def test_a_wrong_row_count_is_named(copy: Path) -> None:
    resealed(copy, WIDE, rows=199)
    with pytest.raises(DamagedDataSet, match="200 rows, the manifest says 199"):
        read(copy)


def test_text_where_a_number_is_due_is_placed(copy: Path) -> None:
    lines = (copy / WIDE).read_text().splitlines()
    column = lines[0].split(",").index("pmq_warm")
    cells = lines[2].split(",")
    cells[column] = "often"
    lines[2] = ",".join(cells)
    (copy / WIDE).write_text("\n".join(lines) + "\n")
    resealed(copy, WIDE)
    with pytest.raises(DamagedDataSet, match="row 3, column 'pmq_warm' holds 'often'"):
        read(copy)


def test_values_outside_their_range_are_warned_of(copy: Path) -> None:
    lines = (copy / WIDE).read_text().splitlines()
    column = lines[0].split(",").index("pmq_warm")
    cells = lines[2].split(",")
    cells[column] = "99"
    lines[2] = ",".join(cells)
    (copy / WIDE).write_text("\n".join(lines) + "\n")
    resealed(copy, WIDE)
    assert any("pmq_warm outside 1 to 7 (first in row 3)" in warning for warning in read(copy).warnings)


def test_a_torn_row_is_placed(copy: Path) -> None:
    edit(copy, WIDE, lambda text: text.rstrip("\n") + ",more\n")
    resealed(copy, WIDE)
    with pytest.raises(DamagedDataSet, match="row 201 has"):
        read(copy)


def test_bytes_that_are_no_text_are_placed(copy: Path) -> None:
    (copy / WIDE).write_bytes((copy / WIDE).read_bytes() + b"\xff\n")
    resealed(copy, WIDE)
    with pytest.raises(DamagedDataSet, match="not UTF-8 at byte"):
        read(copy)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: "title: [", "not readable as YAML"),
        (lambda text: "just words", "holds no study"),
        (lambda text: text.replace("factors:", "faktors:", 1), "KeyError: 'factors'"),
    ],
)
def test_a_broken_study_file_is_named(copy: Path, change: Callable[[str], str], words: str) -> None:
    edit(copy, "study.yaml", change)
    resealed(copy, "study.yaml")
    with pytest.raises(DamagedDataSet, match=words):
        read(copy)


def test_a_table_without_a_needed_column_is_named(copy: Path) -> None:
    edit(copy, WIDE, lambda text: text.replace("condition", "conditions", 1))
    resealed(copy, WIDE)
    with pytest.raises(DamagedDataSet, match="'wide' has no column condition"):
        read(copy)


def test_a_stray_table_is_not_read_but_told(copy: Path) -> None:
    shutil.copy(copy / WIDE, copy / "data/study-other_description-wide_data.csv")
    assert any("study-other" in warning for warning in read(copy).warnings)


def test_kinds_are_not_mixed_unasked(tmp_path: Path) -> None:
    place = write(tmp_path / "two", Plan(participants=8, kinds=("live", "simulated")))
    with pytest.raises(MixedKinds, match="live and simulated"):
        read(place)
    assert read(place, mixed=True).kinds == ("live", "simulated")


@pytest.mark.parametrize(
    ("label", "kinds", "note"),
    [
        ("planted", ("simulated",), "simulated, effects planted"),
        ("nothing", ("simulated",), "simulated, nothing planted"),
        ("planted", ("pilot",), "rehearsal data (pilot)"),
        ("planted", ("live",), ""),
    ],
)
def test_the_note_of_figures_says_how_the_data_came_to_be(tmp_path: Path, label, kinds, note) -> None:
    place = write(tmp_path / "set", Plan(participants=2, label=label, kinds=kinds))
    assert read(place).note == note


@pytest.mark.parametrize("hostile", ["NA", "=1+1", "null", "true", "007", "ünï 👩‍👩‍👧 \u2028 end"])
def test_hostile_texts_stay_texts(copy: Path, hostile: str) -> None:
    edit(copy, WIDE, lambda text: text.replace("p0000", hostile, 1))
    resealed(copy, WIDE)
    assert read(copy).table("wide")["participant"].iloc[0] == hostile


def test_an_export_asked_for_more_kinds_than_it_found_is_not_mixed(copy: Path) -> None:
    path = copy / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["kinds"] = ["live", "simulated"]
    path.write_text(json.dumps(manifest))
    assert read(copy).kinds == ("simulated",)
