"""Items from a file or folder, ready to be analysed: the one way all commands and notebooks read data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from analysis import scale_description
from analysis.dataset import DataSet, read
from analysis.errors import TextCell, UnknownName
from analysis.items import Bounds, ItemData, MissingPolicy, matching
from analysis.reading import read_table
from analysis.reading.columns import Column, Table
from analysis.scale_description import ScaleDescription
from analysis.validation import listed
from analysis.wording import counted

# Columns that are known to tell who answered; compared in lower case.
IDENTIFIERS = frozenset({
    "session", "participant", "participant_id", "participantid", "id", "subject", "subject_id", "responseid",
    "response_id", "respondent", "prolific_pid", "prolific_id", "prolificid", "workerid", "sub",
})  # fmt: skip
# What Qualtrics writes about the answering, beside the answers.
ADMINISTRATIVE = frozenset({
    "startdate", "enddate", "status", "ipaddress", "progress", "duration (in seconds)", "finished",
    "recordeddate", "recipientlastname", "recipientfirstname", "recipientemail", "externalreference",
    "externaldatareference", "locationlatitude", "locationlongitude", "distributionchannel", "userlanguage",
    "q_recaptchascore",
})  # fmt: skip
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")


def load_items(
    path: str | Path,
    *,
    items: str | Iterable[str] | None = None,
    condition: str | None = None,
    pooled: bool = False,
    scale: str | Path | ScaleDescription | None = None,
    reverse: str | Iterable[str] = (),
    sep: str | None = None,
    encoding: str | None = None,
    missing: Sequence[str | float] = (),
    na: MissingPolicy = "listwise",
    mixed: bool = False,
) -> ItemData:
    """Items of an exported data set, or of a CSV, SPSS or Parquet file.

    Parameters
    ----------
    path : folder that ``manage.py export`` wrote, or a file
    items : names or shell patterns (``"pmq_*"``, ``"q1,q2"``); None for all there are
    condition : column of the groups. None: the column ``condition``, where there is one; else one group
    pooled : set the groups aside
    scale : description of the scale (YAML), for what the file does not say
    reverse : items keyed the other way; those that the codebook or ``scale`` calls reversed need no mention
    sep, encoding : of delimited text; found by content when None
    missing : codes of missing answers, as written in the file
    na : ``"listwise"`` or ``"pairwise"``, kept with the items
    mixed : of an exported data set: live, pilot, preview and simulated sessions together

    Raises
    ------
    UnreadableFile, DamagedDataSet, MixedKinds : what is wrong with the file or folder
    BadScaleDescription : what is wrong with ``scale``
    UnknownName : a pattern or column that matches nothing
    TextCell : an item holds text; names the column and the first rows
    """
    place = Path(path)
    described = scale if isinstance(scale, ScaleDescription) else ScaleDescription()
    if isinstance(scale, (str, Path)):
        described = scale_description.read(Path(scale))
    codes = [*described.missing, *(f"{code:g}" if isinstance(code, float) else str(code) for code in missing)]
    if items is None and described.items:
        items = described.items
    grouping = condition or described.condition
    if place.is_dir():
        found = _from_folder(read(place, mixed=mixed), items, grouping, codes)
    else:
        table = read_table(
            place, sep=sep or described.sep, encoding=encoding or described.encoding, missing=codes
        )
        found = _from_table(table, items, grouping, described, codes)
    turned = [*described.reversed, *([reverse] if isinstance(reverse, str) and reverse else reverse)]
    if turned:
        found = _reversed(found, turned)
    if pooled and found.groups is not None:
        found = replace(found, groups=None, pooled=True)
    return replace(found, na=na)


def _from_table(
    table: Table,
    items: str | Iterable[str] | None,
    condition: str | None,
    described: ScaleDescription,
    codes: Sequence[str],
) -> ItemData:
    told = list(table.warnings)
    if condition is None:
        condition = next((name for name in table.names() if name.lower() == "condition"), None)
    identifier = described.id or next((n for n in table.names() if n.lower() in IDENTIFIERS), None)
    if identifier is not None:
        told += _twice(table, identifier)
    groups = None if condition is None else table.column(condition).cells
    offered = [column for column in table.columns if column.name not in (condition, identifier)]
    if items is None:
        chosen = [column for column in offered if _is_item(column)]
        told += [_slip(column, table) for column in offered if _mostly_numbers(column)]
        aside = [column.name for column in offered if column not in chosen and not _mostly_numbers(column)]
        if aside:
            told.append(f"not taken as items (text, dates, or about the answering): {', '.join(aside)}")
        if not chosen:
            raise UnknownName(f"{table.source}: no column holds numbers; name the columns with --items")
    else:
        offered = list(table.columns)
        chosen = [offered[i] for i in matching(items, table.names(), table.source)]
    told += _unused(codes, chosen)
    kept = np.array([True] * len(table.rows) if groups is None else [group is not None for group in groups])
    if not kept.all():
        told.append(
            f"no condition: {counted(int((~kept).sum()), 'row')} without a value in "
            f"{condition!r} are left out "
            f"({listed([table.rows[i] for i in np.flatnonzero(~kept)])})"
        )
    values = np.column_stack([_numbers(column, table, described.labels) for column in chosen])
    return ItemData(
        names=tuple(column.name for column in chosen),
        values=np.asarray(values[kept], dtype=float),
        groups=None
        if groups is None
        else tuple(_named(table, condition, g) for g in groups if g is not None),
        rows=tuple(row for row, keep in zip(table.rows, kept, strict=True) if keep),
        bounds=tuple(
            described.item_bounds.get(column.name) or described.bounds or column.bounds for column in chosen
        ),
        wordings=tuple(described.wordings.get(column.name, column.wording) for column in chosen),
        labels=tuple(described.labels or column.labels for column in chosen),
        source=table.source,
        warnings=tuple(told),
    )


def _from_folder(
    data: DataSet, items: str | Iterable[str] | None, condition: str | None, codes: Sequence[str]
) -> ItemData:
    wide = data.table("wide")
    source = str(data.folder)
    entries = {}  # the column analysed: what the codebook says of the raw one
    for asking in data.codebook.askings():
        for entry, column in data.codebook.items(asking).values():
            if column in wide.columns and pd.api.types.is_numeric_dtype(wide[column]):
                entries[column] = entry
    told = list(data.warnings)
    names = list(entries)
    # An item may be asked for by its raw name; what is analysed is the column that runs the right way.
    aliases = {entry.column: column for column, entry in entries.items()}
    asked = (
        names
        if items is None
        else [[*aliases][i] for i in matching(_raw(items, aliases), [*aliases], source)]
    )
    chosen = list(dict.fromkeys(aliases.get(name, name) for name in asked))
    turned = [column for column in chosen if column != entries[column].column]
    if turned:
        told.append(f"reversed items are analysed reversed, as the codebook has them: {', '.join(turned)}")
    grouping = condition or "condition"
    if grouping not in wide.columns:
        raise UnknownName(f"{source}: no column {grouping!r} in the wide table; try condition or a factor")
    rows = wide[wide[grouping].notna()]
    absent = sorted({c.slug for c in data.design.conditions} - set(rows["condition"].dropna().astype(str)))
    if grouping == "condition" and absent:
        told.append(f"empty group: nobody was in {', '.join(absent)}")
    values = rows[chosen].to_numpy(dtype=float)
    numeric = [float(code) for code in codes if re.fullmatch(r"[+-]?\d+(\.\d+)?", code)]
    values = np.where(np.isin(values, numeric), np.nan, values)
    return ItemData(
        names=tuple(chosen),
        values=values,
        groups=tuple(str(group) for group in rows[grouping]),
        rows=tuple(f"session {session}" for session in rows["session"]),
        bounds=tuple(_bounds(entries[column].minimum, entries[column].maximum) for column in chosen),
        wordings=tuple(entries[column].description for column in chosen),
        labels=tuple(_labels(entries[column].labels) for column in chosen),
        source=source,
        note=data.note,
        warnings=tuple(told),
    )


def _raw(items: str | Iterable[str], aliases: Mapping[str, str]) -> list[str]:
    """Patterns in terms of raw columns, so that ``fhs7_*`` does not match an item and its reversed twin."""
    back = {column: raw for raw, column in aliases.items()}
    asked = [items] if isinstance(items, str) else list(items)
    return [back.get(part.strip(), part.strip()) for text in asked for part in text.split(",")]


def _is_item(column: Column) -> bool:
    numbers = column.numbers
    if column.text_rows() or column.name.lower() in ADMINISTRATIVE:
        return False
    # A nameless first column that counts the rows, as R writes it.
    return not (column.name.startswith("column_") and np.array_equal(numbers, np.arange(1, len(numbers) + 1)))


def _mostly_numbers(column: Column) -> bool:
    """Text here and there among numbers: a slip rather than a column of words."""
    text = column.text_rows()
    return bool(text) and int(np.isfinite(column.numbers).sum()) > len(text)


def _slip(column: Column, table: Table) -> str:
    text = column.text_rows()
    return (
        f"text cell: column {column.name!r} is left out, as it holds text ({column.cells[text[0]]!r}) in "
        f"{listed([table.rows[i] for i in text])}; mend the cells or name a code with --missing"
    )


def _numbers(column: Column, table: Table, labels: Mapping[float, str]) -> np.ndarray:
    numbers = column.numbers
    text = column.text_rows()
    if text and labels:
        value_of = {label.casefold(): value for value, label in labels.items()}
        numbers = numbers.copy()
        for i in text:
            numbers[i] = value_of.get(str(column.cells[i]).casefold(), np.nan)
        text = [i for i in text if np.isnan(numbers[i])]
    if text:
        cell = str(column.cells[text[0]])
        way = "mend the cells, name a code with --missing, or leave the column out"
        if DECIMAL_COMMA.fullmatch(cell):
            way = "a decimal comma in a file separated by commas: write points, or separate by semicolons"
        elif len(text) > len(numbers) / 2:
            way = "export numbers instead of labels, or list the labels in a scale description (--scale)"
        raise TextCell(
            f"{table.source}: column {column.name!r} holds text ({cell!r}) in "
            f"{listed([table.rows[i] for i in text])} where numbers are needed; {way}"
        )
    return numbers


def _twice(table: Table, identifier: str) -> list[str]:
    cells = table.column(identifier).cells
    counts = Counter(cell for cell in cells if cell is not None)
    again = [cell for cell, count in counts.items() if count > 1]
    if not again:
        return []
    shown = "; ".join(
        f"{cell!r} in {listed([table.rows[i] for i, other in enumerate(cells) if other == cell])}"
        for cell in again[:5]
    )
    more = f" and {len(again) - 5} more" if len(again) > 5 else ""
    return [
        f"duplicate ids: {counted(len(again), 'value')} of {identifier!r} stand in more than one row "
        f"({shown}{more}); "
        "all rows are kept: delete those that are not wanted"
    ]


def _unused(codes: Sequence[str], chosen: Sequence[Column]) -> list[str]:
    found = {code for column in chosen for code in column.coded}
    numbers = {float(code) for code in found if re.fullmatch(r"[+-]?\d+(\.\d+)?", code)}
    told = []
    for code in dict.fromkeys(codes):
        number = float(code) if re.fullmatch(r"[+-]?\d+(\.\d+)?", code) else None
        if code not in found and number not in numbers:
            told.append(f"missing code: {code} is in none of the items")
    return told


def _named(table: Table, condition: str | None, cell: str) -> str:
    """A group by its label, where the file has one."""
    if condition is None:
        return cell
    try:
        return table.column(condition).labels.get(float(cell), cell)
    except ValueError:
        return cell


def _reversed(items: ItemData, patterns: Sequence[str]) -> ItemData:
    positions = matching(patterns, items.names, items.source)
    finite = items.values[np.isfinite(items.values)]
    values = items.values.copy()
    guessed = []
    for i in positions:
        bounds = items.bounds[i]
        if bounds is None:
            bounds = (float(finite.min()), float(finite.max()))
            guessed.append(items.names[i])
        values[:, i] = bounds[0] + bounds[1] - values[:, i]
    told = [f"reversed: {', '.join(items.names[i] for i in positions)}"]
    if guessed:
        told.append(
            f"reversed between the lowest and highest answer to any item ({finite.min():g} and "
            f"{finite.max():g}), as no bounds are stated: {', '.join(guessed)}"
        )
    return replace(items, values=values, warnings=(*items.warnings, *told))


def _bounds(low: float | None, high: float | None) -> Bounds | None:
    return None if low is None or high is None else (low, high)


def _labels(labels: Mapping[str, str]) -> dict[float, str]:
    return {float(value): label for value, label in labels.items() if re.fullmatch(r"-?\d+(\.\d+)?", value)}
