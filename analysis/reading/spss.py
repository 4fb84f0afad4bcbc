"""SPSS files: labels, and the codes that the file itself declares missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.errors import UnreadableFile
from analysis.reading.columns import Column, Table, as_number, column_of
from analysis.wording import counted

Ranges = Sequence[Any]


def read(path: Path, *, encoding: str | None, missing: Sequence[str]) -> Table:
    """Read a ``.sav`` or ``.zsav`` file; see ``read_table``.

    Values that the file declares user-missing become missing, and are counted in a warning.
    """
    import pyreadstat

    try:
        frame, meta = pyreadstat.read_sav(str(path), user_missing=True, encoding=encoding)
    except (pyreadstat.ReadstatError, ValueError, UnicodeDecodeError) as problem:
        raise UnreadableFile(f"{path}: not readable as an SPSS file ({problem}); save it again") from None
    if frame.empty:
        raise UnreadableFile(f"{path} holds no case")
    columns, told = [], []
    for name, wording in zip(meta.column_names, meta.column_labels, strict=True):
        ranges: Ranges = meta.missing_ranges.get(name, [])
        labels = {
            float(value): str(label)
            for value, label in meta.variable_value_labels.get(name, {}).items()
            if isinstance(value, (int, float))
        }
        column = _column(str(name), frame[name], missing, ranges, labels, str(wording or ""))
        declared = {code: count for code, count in column.coded.items() if code not in missing}
        told += [
            f"user-missing code: {code}{_labelled(code, labels)} in {column.name!r} is declared missing by "
            f"the file: {counted(count, 'answer')} set missing"
            for code, count in declared.items()
        ]
        columns.append(column)
    return Table(str(path), tuple(columns), tuple(f"case {i + 1}" for i in range(len(frame))), tuple(told))


def _column(
    name: str,
    series: pd.Series,
    missing: Sequence[str],
    ranges: Ranges,
    labels: Mapping[float, str],
    wording: str,
) -> Column:
    texts = ["" if pd.isna(value) else _text(value) for value in series]
    declared = sorted({text for text in texts if text and _declared(text, ranges)})
    answers = [value for value in labels if not _declared(f"{value:g}", ranges)]
    bounds = (min(answers), max(answers)) if len(answers) > 1 else None
    return column_of(name, texts, [*missing, *declared], wording=wording, labels=labels, bounds=bounds)


def _text(value: object) -> str:
    return np.format_float_positional(value, trim="-") if isinstance(value, float) else str(value)


def _declared(text: str, ranges: Ranges) -> bool:
    number = as_number(text)
    for span in ranges:
        low, high = span["lo"], span["hi"]
        if isinstance(low, str) or isinstance(high, str):
            if text.strip() == str(low).strip():
                return True
        elif number is not None and low <= number <= high:
            return True
    return False


def _labelled(code: str, labels: Mapping[float, str]) -> str:
    number = as_number(code)
    return f" ({labels[number]})" if number is not None and number in labels else ""
