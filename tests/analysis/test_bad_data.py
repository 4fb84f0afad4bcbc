"""Every fault of a data file has a name, a place and a way out, in each command; none gives a bare number."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from analysis import errors
from analysis.cli import app
from analysis.correlation import correlate, covariance_of
from analysis.describe import describe
from analysis.errors import AnalysisError
from analysis.items import ItemData, items_of
from analysis.loading import load_items
from analysis.validation import leftover_codes

Change = Callable[[pd.DataFrame], pd.DataFrame]


def answers(n: int = 120) -> pd.DataFrame:
    """18 items of 1 to 7."""
    rng = np.random.default_rng(21)
    traits = rng.standard_normal((n, 3)).repeat(6, axis=1)
    values = np.clip(np.round(4 + traits + rng.standard_normal((n, 18))), 1, 7)
    return pd.DataFrame(values.astype(int), columns=[f"q{i:02}" for i in range(1, 19)])


def cell(row: int, column: str, value: object) -> Change:
    def change(frame: pd.DataFrame) -> pd.DataFrame:
        made = frame.astype({column: object})
        made.loc[row, column] = value
        return made

    return change


# What is done to the data, the error it gives, what the message must name.
REFUSED: dict[str, tuple[Change, type[AnalysisError], tuple[str, ...]]] = {
    "constant column": (lambda d: d.assign(q03=4), errors.ConstantColumn, ("'q03'", "leave the column out")),
    "two items the same": (lambda d: d.assign(q11=d["q04"]), errors.DuplicateColumns, ("'q04' and 'q11'",)),
    "mirrored items": (
        lambda d: d.assign(q11=8 - d["q04"]),
        errors.DuplicateColumns,
        ("'q04' and 'q11'", "mirrored"),
    ),
    "a sum among its items": (
        lambda d: d.assign(q18=d["q01"] + d["q02"] + d["q03"]),
        errors.CollinearColumns,
        ("q01, q02, q03, q18", "weighted sum"),
    ),
    "fewer rows than items": (lambda d: d.head(12), errors.TooFewData, ("12 complete rows", "18 items")),
    "an infinite cell": (cell(4, "q05", "inf"), errors.InfiniteCell, ("'q05'", "row 6")),
    "a text cell": (cell(4, "q05", "often"), errors.TextCell, ("'q05'", "'often'", "row 6")),
    "99 left as a code": (cell(9, "q07", 99), errors.LeftoverCode, ("'q07'", "99", "row 11", "--missing 99")),
    "-9 left as a code": (cell(9, "q07", -9), errors.LeftoverCode, ("'q07'", "-9", "--missing -9")),
    "an empty column": (lambda d: d.assign(q08=""), errors.EmptyColumn, ("'q08'", "leave the column out")),
    "no complete row": (
        lambda d: d.assign(q01=d["q01"].where(d.index % 2 == 0), q02=d["q02"].where(d.index % 2 == 1)),
        errors.TooFewData,
        ("0 complete rows",),
    ),
}


def written(folder: Path, frame: pd.DataFrame) -> Path:
    path = folder / "answers.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("fault", REFUSED)
def test_a_fault_is_refused_by_name_place_and_way_out(tmp_path: Path, fault: str) -> None:
    change, error, words = REFUSED[fault]
    path = written(tmp_path, change(answers()))
    with pytest.raises(error) as refused:
        covariance_of(load_items(path, items="q*"))
    for word in words:
        assert word in str(refused.value)
    with pytest.raises(error):
        correlate(load_items(path, items="q*"), "spearman" if fault != "a sum among its items" else "pearson")


@pytest.mark.parametrize("fault", [name for name in REFUSED if name not in ("a text cell",)])
def test_describing_tells_the_fault_and_goes_on(tmp_path: Path, fault: str) -> None:
    path = written(tmp_path, REFUSED[fault][0](answers()))
    found = describe(load_items(path))
    assert len(found.table) >= 17
    assert found.warnings


def test_a_text_cell_is_told_where_no_items_were_named(tmp_path: Path) -> None:
    found = describe(load_items(written(tmp_path, REFUSED["a text cell"][0](answers()))))
    assert "q05" not in set(found.table["item"])
    assert any(
        told.startswith("text cell") and "'q05'" in told and "row 6" in told for told in found.warnings
    )


@pytest.mark.parametrize("command", ["reliability", "efa"])
@pytest.mark.parametrize("fault", ["two items the same", "99 left as a code", "a text cell"])
def test_commands_refuse_in_one_line(tmp_path: Path, command: str, fault: str) -> None:
    change, _, words = REFUSED[fault]
    arguments = [command, str(written(tmp_path, change(answers()))), "--items", "q*"]
    arguments += ["--factors", "3"] if command == "efa" else []
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 1
    assert done.stdout == ""
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("Refused:")
    assert words[0] in line


def test_a_value_out_of_range_is_told_with_every_number() -> None:
    frame = answers()
    frame.loc[5, "q02"] = 8
    (told,) = covariance_of(items_of(frame, bounds=(1, 7))).warnings
    assert told == (
        "value out of range: column 'q02' holds 8 in row 5, outside 1 to 7; mend the cells or the bounds"
    )


def grouped(sizes: dict[str, int]) -> ItemData:
    arm = [name for name, size in sizes.items() for _ in range(size)]
    return items_of(answers(len(arm)).assign(arm=arm), condition="arm")


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (4, "small group: 'tiny' has only 4 complete rows"),
        (1, "group of one: the one complete row of 'tiny'"),
    ],
)
def test_a_small_group_is_told(size: int, words: str) -> None:
    found = correlate(grouped({"warm": 60, "plain": 60, "tiny": size}))
    assert any(told.startswith(words) for told in found.warnings)


def test_a_group_without_a_complete_row_is_told() -> None:
    items = grouped({"warm": 60, "plain": 60, "tiny": 5})
    values = items.values.copy()
    values[-5:, 0] = np.nan
    found = correlate(ItemData(items.names, values, items.groups))
    assert "empty group: nobody of 'tiny' answered every item" in found.warnings
    assert set(found.groups) == {"warm", "plain"}


def test_a_column_that_differs_only_between_conditions_is_refused_within_and_not_pooled() -> None:
    items = grouped({"warm": 60, "plain": 60})
    values = items.values.copy()
    values[:, 3] = [1] * 60 + [5] * 60
    shifted = ItemData(items.names, values, items.groups)
    with pytest.raises(errors.ConstantColumn, match="no variance within conditions in: q04"):
        correlate(shifted)
    assert correlate(shifted, within=False).basis == "pooled over conditions"


@pytest.mark.parametrize(
    ("values", "bounds", "codes"),
    [
        ([1, 2, 5, 7, 99], None, [99]),
        ([1, 2, 5, 7, -1], None, [-1]),
        ([0, 1, 3, -1], None, []),
        ([-3, -1, 1, 3], None, []),
        ([10, 40, 70, 99, 88], None, []),
        ([10, 40, 70, 99], (0, 100), []),
        ([1, 2, 3, 9999], None, [9999]),
        ([1, 2, 7, 77], (1, 7), [77]),
        ([0, 1, 99], (0, 1), [99]),
        ([99, 99, 98], None, []),
    ],
)
def test_codes_are_told_from_answers(values: list[float], bounds, codes: list[float]) -> None:
    assert leftover_codes(np.array(values, dtype=float), bounds) == codes


def test_named_codes_make_the_same_file_usable(tmp_path: Path) -> None:
    path = written(tmp_path, REFUSED["99 left as a code"][0](answers()))
    found = covariance_of(load_items(path, items="q*", missing=["99"]))
    assert (found.rows, found.dropped) == (119, 1)


def test_warnings_go_along_into_json(tmp_path: Path) -> None:
    frame = answers().assign(id=[f"P{i}" for i in range(119)] + ["P0"])
    done = CliRunner().invoke(app, ["reliability", str(written(tmp_path, frame)), "--items", "q*", "--json"])
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert any(told.startswith("duplicate ids") and "row 2, row 121" in told for told in found["warnings"])
    assert found["n"] == 120
