"""Reading tables of other programs: delimited text, SPSS and Parquet, each into the same columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from analysis.errors import UnreadableFile
from analysis.reading.columns import Table

KINDS = ".csv, .tsv, .txt, .sav, .zsav, .parquet, or a folder that 'manage.py export' wrote"


def read_table(
    path: Path, *, sep: str | None = None, encoding: str | None = None, missing: Sequence[str] = ()
) -> Table:
    """Read a table of any kind.

    Parameters
    ----------
    path : the kind is known by the ending of its name
    sep, encoding : of delimited text; found by content when None (``encoding`` also for SPSS files)
    missing : codes of missing answers, as written in the file

    Raises
    ------
    UnreadableFile : no such file, of an unknown kind, empty, or not what its name says
    """
    if not path.is_file():
        raise UnreadableFile(f"{path} is no file; give {KINDS}")
    ending = path.suffix.lower()
    if ending in (".csv", ".tsv", ".txt"):
        from analysis.reading import delimited

        return delimited.read(path, sep=sep, encoding=encoding, missing=missing)
    if ending in (".sav", ".zsav"):
        from analysis.reading import spss

        return spss.read(path, encoding=encoding, missing=missing)
    if ending in (".parquet", ".pq"):
        from analysis.reading import parquet

        return parquet.read(path, missing=missing)
    raise UnreadableFile(f"{path}: files of kind {ending or '(no ending)'} are not read; give {KINDS}")
