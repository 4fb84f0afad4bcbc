"""The folder: whole or not there, hashed, the same twice, and refused in one line."""

import hashlib
import json
import os
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from studyapp.participation import entry
from studyapp.studies.models import AuditEntry
from tests import cast
from tests.exports import small_data


def command(*arguments: str) -> str:
    out = StringIO()
    call_command("export", *arguments, stdout=out)
    return out.getvalue()


def refusal(*arguments: str) -> CommandError:
    with pytest.raises(CommandError) as caught:
        command(*arguments)
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.django_db(transaction=True)
def test_the_manifest_holds_the_hash_size_and_rows_of_every_file(tmp_path: Path) -> None:
    made = small_data.study()
    small_data.everybody(made)
    out = tmp_path / "out"
    written = small_data.export(made, out)
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    files = small_data.all_bytes(out)
    assert set(manifest["files"]) == set(files) - {"manifest.json"}
    for name, facts in manifest["files"].items():
        assert facts["sha256"] == hashlib.sha256(files[name]).hexdigest()
        assert facts["bytes"] == len(files[name])
        if name.startswith("data/"):
            assert facts["rows"] == written.rows[name.split("description-")[1].removesuffix("_data.csv")]
    assert (manifest["format"], manifest["version"], manifest["study"]) == ("plainheart-dataset", 1, "cast")
    assert manifest["kinds"] == ["pilot"]
    assert manifest["simulated"] is None
    version = made.versions.get()
    assert manifest["study_versions"] == [{"number": 1, "sha256": version.sha256, "kind": "rehearsal"}]


@pytest.mark.django_db(transaction=True)
def test_two_exports_are_the_same_bytes(tmp_path: Path) -> None:
    made = small_data.study()
    small_data.everybody(made)
    for name in ("one", "two"):
        small_data.export(made, tmp_path / name, with_text=True, identified=True)
    first, second = (small_data.all_bytes(tmp_path / name) for name in ("one", "two"))
    assert first == second
    assert len(first) > 15


@pytest.mark.django_db(transaction=True)
def test_kinds_are_never_mixed_unasked(tmp_path: Path) -> None:
    made = small_data.study()
    pilot = cast.arrives(made)
    preview = entry.enter(study=made, kind="preview", source="plain", condition="warm")
    assert "no sessions of kind live; it has sessions of these kinds: pilot, preview" in str(
        refusal("cast", "--out", str(tmp_path / "live"))
    )
    for kinds, expected in (
        (["--include", "pilot"], {str(pilot.pk)}),
        (["--only", "preview"], {str(preview.pk)}),
        (["--include", "preview, pilot"], {str(pilot.pk), str(preview.pk)}),
    ):
        out = tmp_path / "-".join(kinds)
        command("cast", "--out", str(out), *kinds)
        assert {row["session"] for row in small_data.table(out, "sessions")} == expected
        assert {row["session"] for row in small_data.table(out, "events")} == expected


@pytest.mark.django_db(transaction=True)
def test_an_export_is_audited_with_what_it_held(tmp_path: Path) -> None:
    made = small_data.study()
    cast.arrives(made)
    said = command("cast", "--out", str(tmp_path / "out"), "--only", "pilot", "--with-text")
    assert "sessions" in said
    assert str(tmp_path / "out") in said
    detail = AuditEntry.objects.get(action="export").detail
    assert (detail["kinds"], detail["with_text"], detail["identified"]) == (["pilot"], True, False)
    assert detail["rows"]["sessions"] == 1


@pytest.mark.django_db(transaction=True)
def test_what_cannot_be_exported_is_refused_in_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    made = small_data.study()
    out = str(tmp_path / "out")
    assert "it has no sessions yet" in str(refusal("cast", "--out", out))
    unknown = refusal("cats", "--out", out)
    assert "there is no study 'cats' (studies: cast)" in str(unknown)
    assert unknown.returncode == 1
    cast.arrives(made)
    kind = refusal("cast", "--out", out, "--include", "pilots")
    assert "unknown kind 'pilots'; kinds are live, pilot, preview, simulated" in str(kind)
    assert kind.returncode == 2
    assert refusal("cast", "--out", out, "--only", ",").returncode == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.django_db(transaction=True)
def test_a_folder_that_cannot_be_used_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    made = small_data.study()
    cast.arrives(made)
    used = tmp_path / "used"
    used.mkdir()
    (used / "thesis.txt").write_text("do not touch")
    assert "is not an empty folder" in str(refusal("cast", "--out", str(used), "--only", "pilot"))
    assert small_data.all_bytes(used) == {"thesis.txt": b"do not touch"}
    file = tmp_path / "file"
    file.write_text("")
    assert "is not an empty folder" in str(refusal("cast", "--out", str(file), "--only", "pilot"))
    below = file / "below"
    assert "cannot be written" in str(refusal("cast", "--out", str(below), "--only", "pilot"))
    # Nobody, not even root, makes a folder there.
    assert "cannot be written" in str(refusal("cast", "--out", "/proc/nowhere/out", "--only", "pilot"))
    assert sorted(os.listdir(tmp_path)) == ["file", "used"]
    empty = tmp_path / "empty"
    empty.mkdir()
    command("cast", "--out", str(empty), "--only", "pilot")
    assert (empty / "manifest.json").is_file()


@pytest.mark.django_db(transaction=True)
def test_columns_that_would_meet_are_refused(tmp_path: Path) -> None:
    made = small_data.study(
        more=[
            {"key": "a", "kind": "scale", "scale": "ratings", "items": [{"key": "b_c", "text": "One"}]},
            {"key": "a_b", "kind": "scale", "scale": "ratings", "items": [{"key": "c", "text": "Two"}]},
        ]
    )
    cast.arrives(made)
    refused = refusal("cast", "--out", str(tmp_path / "out"), "--only", "pilot")
    assert "would have two columns called 'a_b_c'" in str(refused)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.django_db(transaction=True)
def test_the_number_of_queries_does_not_grow_with_participants(tmp_path: Path) -> None:
    made = small_data.study()
    small_data.goes_through(cast.arrives(made))
    small_data.run_due(kinds=small_data.WORK)

    def queries(name: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            small_data.export(made, tmp_path / name, with_text=True, identified=True)
        return len(captured)

    one = queries("one")
    for _ in range(4):
        small_data.goes_through(cast.arrives(made))
    small_data.run_due(kinds=small_data.WORK)
    assert queries("five") == one
