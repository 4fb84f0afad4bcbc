"""``describe`` and ``reliability`` from the command line: tables, JSON, pages, and the words for them."""

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from analysis.cli import app
from tests.analysis import references

PMQ = references.FOLDER / "data/pmq18.csv"
BFI = references.FOLDER / "data/bfi.csv"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def found(*arguments: str | Path) -> dict:
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_reliability_as_json_equals_r() -> None:
    """psych::alpha(q)$total$raw_alpha, psych::omega(q, nfactors = 3)"""
    made = found("reliability", PMQ, "--items", "q*", "--factors", "3")
    expected = references.values("reliability")
    assert made["alpha"] == pytest.approx(expected["alpha_pmq"]["all"]["raw_alpha"], abs=1e-9)
    assert made["omega_hierarchical"] == pytest.approx(expected["omega_pmq18_3f"]["omega_h"], abs=1e-5)
    assert made["omega_total"] == pytest.approx(expected["omega_pmq18_3f"]["omega_t"], abs=1e-5)
    assert (made["n"], len(made["items"]), made["converged"], made["heywood"]) == (500, 18, True, [])
    assert made["basis"] == "one group"


def test_reversed_items_are_turned_as_r_was_told_to() -> None:
    """psych::alpha(d), d with A1 as 7 - A1, complete rows of all 25 items in the reference"""
    made = found("reliability", BFI, "--items", "A*", "--reverse", "A1")
    assert made["alpha"] == pytest.approx(
        references.values("reliability")["alpha"]["A"]["raw_alpha"], abs=0.02
    )
    assert all(row["item_rest"] > 0 for row in made["by_item"])
    assert any(told == "reversed: A1" for told in made["warnings"])


def test_the_number_of_group_factors_is_looked_for_where_none_is_named() -> None:
    made = found("reliability", PMQ)
    assert made["factors"] == 3
    assert any(told.startswith("more than one factor") for told in made["warnings"])
    assert made["dimensionality"]["number_of_factors"]["minimum average partial"] == 3


def test_two_items_have_no_omega_and_no_dimensions() -> None:
    made = found("reliability", PMQ, "--items", "q01,q02")
    assert made["omega_total"] is None
    assert "dimensionality" not in made


def test_a_page_with_tables_and_figures_is_written(tmp_path: Path) -> None:
    done = run("reliability", PMQ, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    names = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.*")}
    assert {"report.html", "figures/scree.svg", "tables/items.csv", "tables/schmid_leiman.json"} <= names
    assert "α = .87" in (tmp_path / "out/report.html").read_text("utf-8")


def test_tables_keep_their_first_column_in_a_narrow_terminal() -> None:
    done = run("describe", PMQ)
    assert done.exit_code == 0
    assert "q18" in done.stdout
    assert "Item-rest r" in done.stdout


def test_a_description_as_json_holds_statistics_and_patterns() -> None:
    made = found("describe", BFI, "--items", "A1,A2")
    assert [row["item"] for row in made["statistics"]] == ["A1", "A2"]
    assert sum(pattern["rows"] for pattern in made["missing_patterns"]) == made["n"] == 2800
    assert made["statistics"][0]["missing"] == 16


def test_an_exported_data_set_is_analysed_within_conditions_unless_pooled(folder: Path) -> None:
    within = found("reliability", folder, "--items", "fhs7_*")
    pooled = found("reliability", folder, "--items", "fhs7_*", "--pooled")
    assert (within["basis"], pooled["basis"]) == ("within conditions", "pooled over conditions")
    assert within["note"].startswith("simulated")
    assert pooled["alpha"] != within["alpha"]


def test_a_data_set_of_many_scales_needs_items(folder: Path) -> None:
    done = run("reliability", folder)
    assert done.exit_code == 1
    assert "--items" in done.stderr


def test_missing_answers_pairwise_use_more_people() -> None:
    whole, pairs = (
        found("reliability", BFI, "--items", "A2,A3,A4,A5,C1", "--na", na) for na in ("listwise", "pairwise")
    )
    # psych::alpha(d)$total$raw_alpha, which is pairwise
    assert pairs["alpha"] == pytest.approx(0.656766177652, abs=1e-9)
    assert pairs["n"] > whole["n"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("reliability",),
        ("reliability", PMQ, "--factors", "0"),
        ("reliability", PMQ, "--na", "mean"),
        ("reliability", PMQ, "--condition", "q01", "--pooled"),
        ("describe", PMQ, "--itmes", "q*"),
    ],
)
def test_wrong_usage_ends_with_2(arguments: tuple[str | Path, ...]) -> None:
    assert run(*arguments).exit_code == 2


@pytest.mark.parametrize("command", ["describe", "reliability"])
def test_help_shows_an_example(command: str) -> None:
    done = run(command, "--help")
    assert f"python -m analysis {command}" in " ".join(done.stdout.split())


def test_an_unwritable_folder_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("describe", PMQ, "--out", tmp_path / "file")
    assert done.exit_code == 1
    assert "choose another --out" in done.stderr
