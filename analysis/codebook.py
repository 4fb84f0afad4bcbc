"""The codebook of a data set: which column holds which item or score of which scale."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import pandas as pd

from analysis.errors import DamagedDataSet, UnknownName

COLUMNS = (
    "table", "column", "type", "description", "scale", "item", "score", "construct", "minimum", "maximum",
    "labels", "reversed", "missing", "identifying", "wording_verified", "licence",
)  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """One column of one table. ``scale`` names the asking, ``construct`` the cell it belongs to."""

    table: str
    column: str
    type: str
    description: str
    scale: str
    item: str
    score: str
    construct: str
    minimum: float | None
    maximum: float | None
    labels: dict[str, str]
    reversed: bool
    wording_verified: str

    @property
    def key(self) -> str:
        """``asking.score`` of a score."""
        return f"{self.scale}.{self.score}"

    @property
    def reach(self) -> float | None:
        """Width of the response range, in scale points."""
        if self.minimum is None or self.maximum is None:
            return None
        return self.maximum - self.minimum


@dataclass(frozen=True)
class Codebook:
    """All entries, in the order of the file (which is the order of the study)."""

    entries: tuple[Entry, ...]

    def table(self, name: str) -> list[Entry]:
        """Entries of one table."""
        return [entry for entry in self.entries if entry.table == name]

    def askings(self) -> list[str]:
        """Scales as asked, in order."""
        return list(dict.fromkeys(entry.scale for entry in self.table("wide") if entry.scale))

    def scores(self, asking: str | None = None, construct: str | None = None) -> list[Entry]:
        """Score columns of the wide table, of one asking and one construct when given."""
        return [
            entry
            for entry in self.table("wide")
            if entry.score
            and not entry.item
            and (asking is None or entry.scale == asking)
            and (construct is None or entry.construct == construct)
        ]

    def score(self, key: str) -> Entry:
        """The score named ``asking.score``.

        Raises
        ------
        UnknownName : naming the scores there are
        """
        for entry in self.scores():
            if entry.key == key:
                return entry
        known = ", ".join(entry.key for entry in self.scores()) or "none"
        raise UnknownName(f"no score {key!r} in the codebook; there are: {known}")

    def items(self, asking: str) -> dict[str, tuple[Entry, str]]:
        """Items of an asking: name to (raw column's entry, column to analyse).

        The column to analyse is ``<raw>_r`` where the item is keyed negatively, else the raw one.
        """
        raw: dict[str, Entry] = {}
        scored: dict[str, str] = {}
        for entry in self.table("wide"):
            if entry.scale != asking or not entry.item:
                continue
            if entry.item in raw and entry.column == f"{raw[entry.item].column}_r":
                scored[entry.item] = entry.column
            elif entry.item in raw and raw[entry.item].column == f"{entry.column}_r":
                scored[entry.item] = raw[entry.item].column
                raw[entry.item] = entry
            else:
                raw[entry.item] = entry
        return {item: (entry, scored.get(item, entry.column)) for item, entry in raw.items()}


def parse(frame: pd.DataFrame, place: str) -> Codebook:
    """Entries from the rows of ``codebook.csv`` (all text, empty cells as "").

    Raises
    ------
    DamagedDataSet : a column of the codebook is missing, or a bound is not a number
    """
    missing = [column for column in COLUMNS if column not in frame.columns]
    if missing:
        raise DamagedDataSet(f"{place}: without column {', '.join(missing)}; export again")
    return Codebook(
        tuple(
            Entry(
                table=row["table"],
                column=row["column"],
                type=row["type"].lower(),
                description=row["description"],
                scale=row["scale"],
                item=row["item"],
                score=row["score"],
                construct=row["construct"],
                minimum=_bound(row["minimum"], row["column"], place),
                maximum=_bound(row["maximum"], row["column"], place),
                labels=_labels(row["labels"]),
                reversed=row["reversed"].lower() in ("true", "yes", "1"),
                wording_verified=row["wording_verified"],
            )
            for row in frame.to_dict("records")
        )
    )


def _bound(text: str, column: str, place: str) -> float | None:
    if text == "":
        return None
    try:
        return float(text)
    except ValueError:
        raise DamagedDataSet(f"{place}: bound {text!r} of column {column!r} is not a number") from None


def _labels(text: str) -> dict[str, str]:
    """Labels written as a JSON object, or as ``1 = low; 7 = high``."""
    if not text:
        return {}
    try:
        made = json.loads(text)
    except json.JSONDecodeError:
        pairs = re.findall(r"([^=;|]+)=([^;|]+)", text)
        return {value.strip(): label.strip() for value, label in pairs}
    if isinstance(made, dict):
        return {str(value): str(label) for value, label in made.items()}
    return {}
