"""Delimited text: encoding, separator, decimal sign and header rows are found by content."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path

from analysis.errors import UnreadableFile
from analysis.reading.columns import NOTHING, Table, as_number, column_of

SEPARATORS = (",", ";", "\t", "|")
LOOKED_AT = 50  # rows that the separator and the header are judged by
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
Rows = list[tuple[int, list[str]]]


def read(path: Path, *, sep: str | None, encoding: str | None, missing: Sequence[str]) -> Table:
    """Read delimited text; see ``read_table``.

    One, two or three rows of header are known by their content: Qualtrics writes names, questions and
    ``{"ImportId": ...}``; other programs write names and labels. A row counts as header when most of the
    columns that hold numbers below it hold text in it.
    """
    text, told = _decoded(path, encoding)
    said = re.match(r"sep=(.)\r?\n", text)
    if said:
        # Excel's own way to name the separator; the row stays counted, as a blank one.
        text, sep = text[said.end() - 1 :], sep or said[1]
    separator = _separator(text, sep, path)
    rows = _rows(text, separator, path)
    header, rows = rows[0][1], rows[1:]
    names = [name.strip() for name in header]
    if names and all(as_number(name) is not None for name in names if name) and any(names):
        raise UnreadableFile(f"{path}: the first row holds numbers where names are due; add a header row")
    rows = [(number, _fitted(cells, len(names), number, path)) for number, cells in rows]
    rows = [(number, cells) for number, cells in rows if any(cell.strip() for cell in cells)]
    extra = _header_rows(rows)
    wordings = _wordings(rows[:extra], len(names))
    if extra:
        told.append(f"header: {extra + 1} rows of names and labels were read as header")
    body = rows[extra:]
    if not body:
        raise UnreadableFile(f"{path}: a header without a row below it")
    columns = []
    commas = []
    for position, name in enumerate(names):
        cells = [row[position] for _, row in body]
        if not name and not any(cell.strip() for cell in cells):
            continue
        if separator != "," and _decimal_comma(cells):
            cells = [cell.replace(",", ".") for cell in cells]
            commas.append(name)
        columns.append(
            column_of(name or f"column_{position + 1}", cells, missing, wording=wordings[position])
        )
    if commas:
        told.append(f"decimal comma: read as a decimal sign in {', '.join(commas[:5])}")
    return Table(str(path), tuple(columns), tuple(f"row {number}" for number, _ in body), tuple(told))


def _decoded(path: Path, encoding: str | None) -> tuple[str, list[str]]:
    data = path.read_bytes()
    if not data.strip():
        raise UnreadableFile(f"{path} is empty")
    if encoding is not None:
        try:
            return data.decode(encoding).removeprefix("\ufeff"), []
        except LookupError:
            raise UnreadableFile(f"{path}: there is no encoding {encoding!r}; try utf-8 or cp1252") from None
        except UnicodeDecodeError as problem:
            raise UnreadableFile(
                f"{path}: not {encoding} at byte {problem.start}; name another --encoding"
            ) from None
    for mark, name in MARKS:
        if data.startswith(mark):
            try:
                return data.decode(name), []
            except UnicodeDecodeError as problem:
                raise UnreadableFile(
                    f"{path}: begins as {name} and is not at byte {problem.start}; name its --encoding"
                ) from None
    if b"\x00" in data[:4096]:
        raise UnreadableFile(f"{path} is no text; save it as CSV, or name its --encoding")
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        told = f"encoding: line {line} is not UTF-8, so the file was read as cp1252; name its --encoding"
        return data.decode("cp1252", errors="replace"), [told]


def _separator(text: str, given: str | None, path: Path) -> str:
    if given is not None:
        named = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";"}.get(given.lower(), given)
        if len(named) != 1:
            raise UnreadableFile(f"{path}: a separator is one sign, not {given!r}")
        return named
    best, most = ",", 1
    for separator in SEPARATORS:
        widths = []
        for _, cells in zip(
            range(LOOKED_AT), csv.reader(io.StringIO(text), delimiter=separator), strict=False
        ):
            if cells:
                widths.append(len(cells))
        if widths and widths[0] > most and widths.count(widths[0]) >= 0.9 * len(widths):
            best, most = separator, widths[0]
    return best


def _rows(text: str, separator: str, path: Path) -> Rows:
    try:
        rows = list(enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=separator), start=1))
    except csv.Error as problem:
        raise UnreadableFile(f"{path}: not readable as delimited text ({problem}); try --sep") from None
    filled = [(number, cells) for number, cells in rows if any(cell.strip() for cell in cells)]
    if not filled:
        raise UnreadableFile(f"{path} is empty")
    return filled


def _fitted(cells: list[str], width: int, number: int, path: Path) -> list[str]:
    """A row as wide as the header: surplus cells may only be empty, lacking ones not be many."""
    if len(cells) < width or any(cell.strip() for cell in cells[width:]):
        raise UnreadableFile(
            f"{path}: row {number} has {len(cells)} cells, the header {width}; look at its quotes, "
            "or name the --sep"
        )
    return cells[:width]


def _header_rows(rows: Rows) -> int:
    """How many of the rows below the names are header too (0 to 2)."""
    for position, (_, cells) in enumerate(rows[:2]):
        if any('"ImportId"' in cell for cell in cells):
            return position + 1
    extra = 0
    while extra < 2 and len(rows) > extra + 1:
        below = [cells for _, cells in rows[extra + 1 : extra + 1 + LOOKED_AT]]
        if extra == 0:
            below = below[1:] or below
        numeric = [
            position
            for position in range(len(rows[extra][1]))
            if (answers := [row[position].strip() for row in below if row[position].strip()])
            and sum(as_number(cell.replace(",", ".")) is not None for cell in answers) >= 0.9 * len(answers)
        ]
        texts = [cell for position in numeric if (cell := rows[extra][1][position].strip())]
        named = [
            cell
            for cell in texts
            if as_number(cell.replace(",", ".")) is None and cell.lower() not in NOTHING
        ]
        # One text among numbers is a slip in the data; a row of them is a header.
        if len(named) < 2 or len(named) <= len(numeric) / 2:
            break
        extra += 1
    return extra


def _wordings(rows: Rows, width: int) -> list[str]:
    """The question of each column: the longest text of the extra header rows that is no ImportId."""
    return [
        max((cells[i].strip() for _, cells in rows if '"ImportId"' not in cells[i]), key=len, default="")
        for i in range(width)
    ]


def _decimal_comma(cells: Sequence[str]) -> bool:
    answers = [cell.strip() for cell in cells if cell.strip().lower() not in NOTHING]
    commas = [cell for cell in answers if DECIMAL_COMMA.fullmatch(cell)]
    return bool(commas) and all(
        DECIMAL_COMMA.fullmatch(cell) or as_number(cell) is not None for cell in answers
    )
