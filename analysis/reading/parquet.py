"""Parquet files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.errors import UnreadableFile
from analysis.reading.columns import Table, column_of


def read(path: Path, *, missing: Sequence[str]) -> Table:
    """Read a Parquet file; see ``read_table``. Truth values become 1 and 0."""
    import pyarrow as pa

    try:
        frame = pd.read_parquet(path)
    except (pa.ArrowException, OSError, ValueError) as problem:
        raise UnreadableFile(f"{path}: not readable as Parquet ({problem}); write it again") from None
    if frame.empty:
        raise UnreadableFile(f"{path} holds no row")
    return Table(
        str(path),
        tuple(
            column_of(str(name), [_text(value) for value in frame.iloc[:, i]], missing)
            for i, name in enumerate(frame.columns)
        ),
        tuple(f"row {i + 1}" for i in range(len(frame))),
    )


def _text(value: object) -> str:
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return "" if np.isnan(value) else repr(float(value))
    return "" if value is None or value is pd.NA or value is pd.NaT else str(value)
