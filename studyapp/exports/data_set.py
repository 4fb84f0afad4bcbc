"""Write a study's data set to a folder: whole or not at all, and the same bytes for the same data."""

import csv
import hashlib
import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import connection, transaction

from studyapp.canonical import canonical_json
from studyapp.exports import codebook, psych_ds
from studyapp.exports.columns import Column, Table, cell
from studyapp.exports.plan import plan
from studyapp.exports.selection import Selection
from studyapp.exports.tables import tables
from studyapp.exports.yaml_text import yaml_text
from studyapp.participation.models import Event
from studyapp.participation.recruitment_id import FieldKeyProblem

FORMAT_VERSION = 1


class ExportRefused(Exception):
    """The export cannot be made; the message says why and what to do."""


@dataclass(frozen=True)
class Written:
    """What was written: the folder and how many rows each table has."""

    folder: Path
    rows: dict[str, int]


def write(
    selection: Selection, out: Path, *, progress: Callable[[str, int], None] = lambda table, rows: None
) -> Written:
    """Write the data set of ``selection`` to the folder ``out``, which must be new or empty.

    Reads one snapshot of the database. The folder appears whole, at the end; on any error nothing
    is left behind. ``progress`` is told each table and the rows written so far.

    Raises
    ------
    ExportRefused: no session to export, or ``out`` cannot be used.
    """
    _refuse_used(out)
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        if not selection.versions:
            raise ExportRefused(_nothing(selection))
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            draft = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
        except OSError as error:
            raise ExportRefused(f"'{out}' cannot be written ({error.strerror}); choose another --out")
        try:
            counts = _fill(selection, draft, progress)
            draft.chmod(0o755)
            if out.exists():
                out.rmdir()
            os.replace(draft, out)
        except OSError as error:
            raise ExportRefused(f"'{out}' could not be written ({error.strerror}); choose another --out")
        except FieldKeyProblem as problem:
            raise ExportRefused(str(problem))
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return Written(out, counts)


def _refuse_used(out: Path) -> None:
    try:
        used = out.exists() and (not out.is_dir() or any(out.iterdir()))
    except OSError as error:
        raise ExportRefused(f"'{out}' cannot be read ({error.strerror}); choose another --out")
    if used:
        raise ExportRefused(f"'{out}' exists and is not an empty folder; choose another --out or remove it")


def _nothing(selection: Selection) -> str:
    present = selection.study.sessions.order_by("kind").values_list("kind", flat=True).distinct()
    have = f"it has sessions of these kinds: {', '.join(present)}" if present else "it has no sessions yet"
    return (
        f"study '{selection.study.slug}' has no sessions of kind {' or '.join(selection.kinds)}; {have}. "
        "Add kinds with --include, as in --include pilot,simulated"
    )


def _fill(selection: Selection, folder: Path, progress: Callable[[str, int], None]) -> dict[str, int]:
    (folder / "data").mkdir()
    design = plan(selection.versions)
    written: list[tuple[Table, tuple[Column, ...]]] = []
    counts: dict[str, int] = {}
    files: dict[str, int | None] = {}
    for table in tables(design):
        columns = tuple(
            column
            for column in table.columns
            if (selection.with_text or not column.text) and (selection.identified or not column.identifying)
        )
        _refuse_twins(table, columns)
        name = psych_ds.file_name(selection.study.slug, table.name)
        counts[table.name] = files[name] = _write_table(folder / name, table, columns, selection, progress)
        written.append((table, columns))
    files["codebook.csv"] = _write_csv(folder / "codebook.csv", codebook.HEADER, codebook.rows(written))
    *earlier, latest = selection.versions
    texts = {
        "dataset_description.json": _json(psych_ds.description(selection, written)),
        "README.md": psych_ds.readme(selection, counts),
        "load.R": psych_ds.LOAD_R,
        "study.yaml": yaml_text(latest.document),
        **{f"versions/{version.number}.yaml": yaml_text(version.document) for version in earlier},
        **{
            f"scales/{key}.yaml": yaml_text(document)
            for version in selection.versions
            for key, document in version.document["scales"].items()
        },
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
        files[name] = None
    manifest = {
        "format": "plainheart-dataset",
        "version": FORMAT_VERSION,
        "study": selection.study.slug,
        "study_versions": [
            {"number": version.number, "sha256": version.sha256, "kind": version.kind}
            for version in selection.versions
        ],
        "kinds": list(selection.kinds),
        "simulated": _simulated(selection),
        "files": {name: _file_facts(folder / name, rows) for name, rows in sorted(files.items())},
    }
    (folder / "manifest.json").write_text(_json(manifest), encoding="utf-8", newline="\n")
    return counts


def _refuse_twins(table: Table, columns: tuple[Column, ...]) -> None:
    """A scale and an item can be named so that their columns meet, as a_b with c and a with b_c do."""
    twins = [name for name, times in Counter(column.id for column in columns).items() if times > 1]
    if twins:
        raise ExportRefused(
            f"table '{table.name}' would have two columns called '{twins[0]}'; "
            "two steps, scales or items have names that run together: rename one step in the study file"
        )


def _write_table(
    path: Path,
    table: Table,
    columns: tuple[Column, ...],
    selection: Selection,
    progress: Callable[[str, int], None],
) -> int:
    def values() -> Iterator[tuple[Any, ...]]:
        for number, row in enumerate(table.rows(selection), 1):
            if number % 1000 == 0:
                progress(table.name, number)
            yield tuple(column.extract(row) for column in columns)

    rows = _write_csv(path, [column.id for column in columns], values())
    progress(table.name, rows)
    return rows


def _write_csv(path: Path, header: Iterable[str], rows: Iterable[Iterable[Any]]) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        plain = csv.writer(file, lineterminator="\n")
        # With "\n" ending lines the writer leaves a lone carriage return bare, which others read as an end.
        quoted = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
        plain.writerow(header)
        for row in rows:
            cells = [cell(value) for value in row]
            (quoted if any("\r" in each for each in cells) else plain).writerow(cells)
            count += 1
    return count


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=False) + "\n"


def _file_facts(path: Path, rows: int | None) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    facts: dict[str, Any] = {"sha256": digest, "bytes": path.stat().st_size}
    return facts | ({} if rows is None else {"rows": rows})


def _simulated(selection: Selection) -> dict[str, Any] | None:
    """What was planted, from the events that simulation leaves with its sessions; None without any.

    One run is told as it is: label, seed and hash of its truth. Several are listed under ``runs``.
    """
    found = Event.objects.filter(session__in=selection.sessions().order_by(), kind="simulated").order_by("id")
    details = found.values_list("detail", flat=True).iterator(chunk_size=2000)
    runs = list({canonical_json(detail): detail for detail in details}.values())
    if len(runs) < 2:
        return runs[0] if runs else None
    labels = {run["label"] for run in runs}
    return {"label": labels.pop() if len(labels) == 1 else "several truths", "runs": runs}
