"""Files of a confirmatory analysis: items, JSON, the model and R code that go out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from analysis.cfa.lavaan_code import Request, lavaan_code
from analysis.cfa.run import Asked
from analysis.factor_files import turned
from analysis.items import ItemData
from analysis.r_code import NoRCode
from analysis.reading import read_table
from analysis.report.writing import UnwritableFolder, whole


def code_for(
    asked: Asked,
    plainly: ItemData,
    answers: ItemData,
    path: Path,
    *,
    column: str | None,
    codes: tuple[str, ...] = (),
    sep: str | None = None,
    encoding: str | None = None,
) -> str:
    """R code that reads the file the data came from.

    Parameters
    ----------
    plainly, answers : items before and after reversing
    column : of the groups as it was named, or None

    Raises
    ------
    NoRCode : see :func:`analysis.cfa.lavaan_code.lavaan_code`
    """
    if path.is_dir():
        # The wide table of an exported data set holds reversed items as columns of their own.
        path = next(iter(sorted((path / "data").glob("*_description-wide_data.csv"))))
    if answers.groups is not None and column is None:
        names = read_table(path, sep=sep, encoding=encoding).names()
        column = next(name for name in names if name.lower() == "condition")
    keyed = () if plainly is answers else turned(plainly, answers)
    return lavaan_code(_request(asked, answers, column, codes, keyed), path, sep=sep, encoding=encoding)


def code_of_items(asked: Asked, answers: ItemData, path: Path, *, named: str = "") -> str:
    """R code that reads the items this program wrote, with codes and keys settled."""
    return lavaan_code(_request(asked, answers, "condition", (), ()), path, named=named)


def write_beside(
    result: Mapping[str, Any], name: str, answers: ItemData, asked: Asked, out: Path
) -> list[str]:
    """Write items, model, JSON and R code into a folder; returns what to tell.

    Parameters
    ----------
    result : plain numbers, lists and texts
    name : of the JSON and the R file

    Raises
    ------
    UnwritableFolder : ``out`` is a file, or may not be written
    """
    told = []
    frame = answers.to_frame()
    if answers.groups is not None:
        frame.insert(0, "condition", list(answers.groups))
    try:
        out.mkdir(parents=True, exist_ok=True)
        whole(out / "items.csv", frame.to_csv(index=False, lineterminator="\n", float_format="%.15g"))
        whole(out / "model.txt", asked.model.text.rstrip() + "\n")
        whole(out / f"{name}.json", json.dumps(result, ensure_ascii=False, indent=1) + "\n")
        try:
            whole(out / f"{name}.R", code_of_items(asked, answers, out / "items.csv", named="items.csv"))
        except NoRCode as reason:
            told.append(f"No {name}.R: {reason}")
    except OSError as problem:
        why = problem.strerror or str(problem)
        raise UnwritableFolder(f"{out} cannot be written ({why}); choose another --out") from None
    return told


def _request(
    asked: Asked,
    answers: ItemData,
    column: str | None,
    codes: tuple[str, ...],
    keyed: tuple[tuple[str, float], ...],
) -> Request:
    grouped = answers.groups is not None
    return Request(
        asked.model,
        asked.estimator,
        asked.fiml,
        group=column if asked.grouped else None,
        condition=column if grouped and not asked.grouped else None,
        codes=codes,
        turned=keyed,
        std_lv=asked.std_lv,
        orthogonal=asked.orthogonal,
        ladder=asked.ladder,
        free=asked.free,
    )
