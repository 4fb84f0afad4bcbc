"""Read an exported data set: verified, typed, and looked up by its codebook, never by guessing names."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from analysis import codebook as codebooks
from analysis import design as designs
from analysis.codebook import Codebook, Entry
from analysis.design import Design
from analysis.errors import DamagedDataSet, MixedKinds, UnknownName
from analysis.wording import counted

FORMAT = "plainheart-dataset"
VERSION = 1
NEEDED = ("sessions", "wide")
TEXT_TYPES = {"string", "text", "datetime", "date", "json", "id", "identifier"}
NUMBER_TYPES = {"integer", "number", "float", "decimal"}

# Columns the analyses rest on; a table without one is damaged, whatever its hash.
COLUMNS = {
    "sessions": ("session", "condition", "kind", "status"),
    "wide": ("session", "condition", "kind"),
    "cards": (
        "session", "condition", "card", "role", "opportunity", "outcome", "belief_before", "belief_after",
        "right_rating",
    ),
    "probes": (
        "session", "condition", "battery", "agent", "probe", "stated", "persona", "history", "outcome",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class DataSet:
    """A verified data set.

    Attributes
    ----------
    folder : where it was read
    manifest : ``manifest.json`` as it stands
    codebook, design : what the columns are and how the study was built
    scales : scale documents by key
    tables : one frame a table; text stays text, empty cells are missing
    kinds : kinds of sessions in it
    warnings : oddities that do not stop an analysis
    """

    folder: Path
    manifest: Mapping[str, Any]
    codebook: Codebook
    design: Design
    scales: Mapping[str, Mapping[str, Any]]
    tables: Mapping[str, pd.DataFrame]
    kinds: tuple[str, ...]
    warnings: tuple[str, ...]

    def table(self, name: str) -> pd.DataFrame:
        """One table.

        Raises
        ------
        UnknownName : naming the tables there are
        """
        if name not in self.tables:
            raise UnknownName(
                f"no table {name!r} in {self.folder}; there are: {', '.join(sorted(self.tables))}"
            )
        return self.tables[name]

    @property
    def note(self) -> str:
        """What must stand inside every figure: how the data came to be. Empty for live data."""
        if "simulated" in self.kinds:
            simulated = self.manifest.get("simulated") or {}
            label = str(simulated.get("label", ""))
            told = {"nothing": "nothing planted", "planted": "effects planted", "": "truth not named"}
            return f"simulated, {told.get(label, f'truth: {label}')}"
        rehearsals = [kind for kind in self.kinds if kind != "live"]
        return f"rehearsal data ({', '.join(rehearsals)})" if rehearsals else ""

    def items(self, asking: str) -> pd.DataFrame:
        """Scored items of an asking (reversed where keyed negatively), one column an item."""
        wide = self.table("wide")
        found = {}
        for item, (entry, column) in self.codebook.items(asking).items():
            values = wide[column]
            if entry.reversed and column == entry.column and None not in (entry.minimum, entry.maximum):
                values = float(entry.minimum or 0) + float(entry.maximum or 0) - values
            found[item] = values
        if not found:
            raise UnknownName(f"no scale {asking!r}; there are: {', '.join(self.codebook.askings())}")
        return pd.DataFrame(found)

    def score_items(self, entry: Entry) -> tuple[str, ...]:
        """Items of a score as the scale's file lists them, as far as this study asked them."""
        scale = self.scales.get(self.design.scale_of(entry.scale), {})
        asked = self.codebook.items(entry.scale)
        for score in scale.get("scores", []):
            if score["key"] == entry.score:
                return tuple(str(item) for item in score["items"] if str(item) in asked)
        return ()


def read(folder: str | Path, *, mixed: bool = False) -> DataSet:
    """Read and verify a data set.

    Parameters
    ----------
    folder : as ``manage.py export`` wrote it
    mixed : allow live, pilot, preview and simulated sessions side by side

    Raises
    ------
    DamagedDataSet : no data set, or a file differs from the manifest; names the file and the way out
    MixedKinds : several kinds of sessions without ``mixed``
    """
    place = Path(folder)
    manifest = _manifest(place)
    contents = _verified(place, manifest)
    for needed in ("codebook.csv", "study.yaml"):
        if needed not in contents:
            raise DamagedDataSet(f"{place}: the manifest lists no {needed}; export again")
    book = codebooks.parse(
        _rows(contents["codebook.csv"], place / "codebook.csv"), str(place / "codebook.csv")
    )
    design = designs.parse(place / "study.yaml")
    warnings: list[str] = []
    tables = {}
    for name, data in contents.items():
        named = re.fullmatch(r"data/study-[a-z0-9]+_description-([a-z_]+)_data\.csv", name)
        if named:
            frame = _rows(data, place / name)
            expected = manifest["files"][name].get("rows")
            if expected is not None and len(frame) != expected:
                raise DamagedDataSet(
                    f"{place / name}: {len(frame)} rows, the manifest says {expected}; export again"
                )
            tables[named[1]] = _typed(frame, book.table(named[1]), place / name, warnings)
    for table, columns in COLUMNS.items():
        if table not in tables:
            if table in NEEDED:
                raise DamagedDataSet(f"{place}: table {table!r} is missing; export again")
            tables[table] = pd.DataFrame(columns=[*columns, *(factor.name for factor in design.factors)])
        lacking = [
            column
            for column in (*columns, *(factor.name for factor in design.factors))
            if column not in tables[table].columns
        ]
        if lacking:
            raise DamagedDataSet(f"{place}: table {table!r} has no column {', '.join(lacking)}; export again")
    # What is there counts, not what was asked for; an empty data set is of the kinds it was asked for.
    present = {str(kind) for kind in tables["sessions"]["kind"].dropna()}
    kinds = tuple(sorted(present or set(manifest["kinds"])))
    if len(kinds) > 1 and not mixed:
        raise MixedKinds(
            f"{place} holds {' and '.join(kinds)} sessions side by side. Export them apart (--only), or say "
            "--mixed to analyse them together."
        )
    scales = {
        Path(name).stem: yaml.safe_load(data.decode("utf-8"))
        for name, data in contents.items()
        if re.fullmatch(r"scales/[^/]+\.yaml", name)
    }
    stray = sorted(
        str(found.relative_to(place))
        for found in place.rglob("*_data.csv")
        if str(found.relative_to(place)) not in manifest["files"]
    )
    warnings += [f"{name} is not in the manifest and was not read" for name in stray]
    return DataSet(place, manifest, book, design, scales, tables, kinds, tuple(warnings))


def _manifest(place: Path) -> dict[str, Any]:
    path = place / "manifest.json"
    if not place.is_dir():
        raise DamagedDataSet(f"{place} is no folder; give the folder that 'manage.py export' wrote")
    if not path.is_file():
        raise DamagedDataSet(f"{place} holds no manifest.json; give the folder that 'manage.py export' wrote")
    try:
        made = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as problem:
        raise DamagedDataSet(f"{path}: not readable as JSON ({problem}); export again") from None
    if not isinstance(made, dict) or made.get("format") != FORMAT:
        raise DamagedDataSet(
            f"{path}: not of format {FORMAT!r}; give the folder that 'manage.py export' wrote"
        )
    if made.get("version") != VERSION:
        raise DamagedDataSet(
            f"{path}: version {made.get('version')!r}, this program reads {VERSION}; "
            "use the release that wrote it"
        )
    if not isinstance(made.get("files"), dict) or not isinstance(made.get("kinds"), list):
        raise DamagedDataSet(f"{path}: without 'files' or 'kinds'; export again")
    return made


def _verified(place: Path, manifest: Mapping[str, Any]) -> dict[str, bytes]:
    contents = {}
    for name, told in sorted(manifest["files"].items()):
        path = place / name
        if not path.resolve().is_relative_to(place.resolve()):
            raise DamagedDataSet(f"{place / 'manifest.json'}: {name!r} lies outside the folder")
        if not path.is_file():
            raise DamagedDataSet(f"{path} is missing, though the manifest lists it; copy the folder whole")
        data = path.read_bytes()
        if not isinstance(told, dict) or hashlib.sha256(data).hexdigest() != told.get("sha256"):
            raise DamagedDataSet(
                f"{path} was changed since the export (its SHA-256 differs from the manifest); export again"
            )
        contents[name] = data
    return contents


def _rows(data: bytes, path: Path) -> pd.DataFrame:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise DamagedDataSet(f"{path}: not UTF-8 at byte {problem.start}; export again") from None
    try:
        # A typed cell may hold any text, so nothing is read as missing but the empty cell.
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as problem:
        raise DamagedDataSet(f"{path}: not readable as CSV ({problem}); export again") from None
    if not rows:
        raise DamagedDataSet(f"{path}: without a header; export again")
    header = rows[0]
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            raise DamagedDataSet(
                f"{path}: row {number} has {len(row)} cells, the header {len(header)}; export again"
            )
    return pd.DataFrame(rows[1:], columns=header, dtype=object)


def _typed(frame: pd.DataFrame, entries: list[Entry], path: Path, warnings: list[str]) -> pd.DataFrame:
    known = {entry.column: entry for entry in entries}
    columns: dict[str, pd.Series] = {}
    for name in frame.columns:
        text = frame[name].where(frame[name] != "", None)
        entry = known.get(str(name))
        kind = entry.type if entry else "string"
        if kind in TEXT_TYPES or (not frame.empty and text.isna().all() and kind not in NUMBER_TYPES):
            columns[str(name)] = text
        elif kind == "boolean":
            columns[str(name)] = text.map({"true": True, "false": False})
        else:
            columns[str(name)] = _numbers(text, entry, str(name), path, warnings)
    return pd.DataFrame(columns, index=frame.index)


def _numbers(text: pd.Series, entry: Entry | None, name: str, path: Path, warnings: list[str]) -> pd.Series:
    numbers = pd.to_numeric(text, errors="coerce")
    wrong = text[numbers.isna() & text.notna()]
    if not wrong.empty:
        if entry is not None and entry.type in NUMBER_TYPES:
            raise DamagedDataSet(
                f"{path}: row {int(wrong.index[0]) + 2}, column {name!r} holds {wrong.iloc[0]!r} where "
                "a number is due; export again"
            )
        return text
    if entry is not None and entry.minimum is not None and entry.maximum is not None:
        outside = numbers[(numbers < entry.minimum) | (numbers > entry.maximum)]
        if not outside.empty:
            warnings.append(
                f"{path.name}: {counted(len(outside), 'value')} of {name} outside {entry.minimum:g} to "
                f"{entry.maximum:g} (first in row {int(outside.index[0]) + 2})"
            )
    return numbers.astype(float)
