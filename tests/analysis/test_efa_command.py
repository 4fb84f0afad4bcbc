"""``python -m analysis efa``: JSON, tables, pages, figures, R code, and refusals in one line."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import Result
from typer.testing import CliRunner

from analysis.cli import app
from analysis.congruence import tucker
from tests.analysis import references

PMQ = references.FOLDER / "data/pmq18.csv"
HS = references.FOLDER / "data/hs1939.csv"
KEYS = {
    "converged", "heywood", "warnings", "n", "items", "factors", "loadings", "phi", "communalities",
    "variance_total", "variance_explained", "fit",
}  # fmt: skip


def run(*arguments: str | Path | int) -> Result:
    return CliRunner().invoke(app, ["efa", *map(str, arguments)])


def found(*arguments: str | Path | int) -> dict:
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_json_holds_exactly_the_keys_and_psychs_numbers() -> None:
    """psych::fa(cor(q), 3, fm="minres", rotate="oblimin", n.obs=500)"""
    made = found(PMQ, "--items", "q*", "--factors", 3)
    assert set(made) == KEYS
    expected = references.values("pmq18_efa")["efa"]["minres_oblimin"]
    loadings = np.array(made["loadings"])
    assert loadings.shape == (18, 3)
    order = np.abs(tucker(references.matrix(expected["loadings"]), loadings)).argmax(axis=1)
    assert np.abs(loadings[:, order] - references.matrix(expected["loadings"])).max() < 2e-5
    assert (made["n"], made["converged"], made["heywood"], made["warnings"]) == (500, True, [], [])
    assert made["factors"] == ["factor 1", "factor 2", "factor 3"]
    assert sum(made["variance_explained"]) == pytest.approx(1)
    assert sum(made["variance_total"]) == pytest.approx(sum(made["communalities"]) / 18)
    assert made["fit"]["tli"] == pytest.approx(expected["TLI"], abs=1e-6)


@pytest.mark.parametrize("method", ["minres", "ml", "pa"])
@pytest.mark.parametrize("rotation", ["varimax", "promax", "Promax", "geomin", "none"])
def test_method_and_rotation_are_those_asked_for(method: str, rotation: str) -> None:
    made = found(HS, "--items", "x?", "--factors", 3, "--method", method, "--rotation", rotation)
    named = {"geomin": "geominQ"}.get(rotation, rotation)
    expected = references.matrix(references.values("hs1939_efa")["efa"][f"{method}_{named}"]["loadings"])
    loadings = np.array(made["loadings"])
    order = np.abs(tucker(expected, loadings)).argmax(axis=1)
    assert np.abs(loadings[:, order] - expected).max() < 2e-5


def test_a_file_without_a_condition_is_one_group_and_with_one_is_analysed_within(tmp_path: Path) -> None:
    assert found(PMQ, "--factors", 3)["n"] == 500
    frame = references.data("pmq18")
    frame["condition"] = ["a", "b"] * 250
    frame.to_csv(tmp_path / "grouped.csv", index=False)
    assert found(tmp_path / "grouped.csv", "--items", "q*", "--factors", 3)["n"] == 499
    assert found(tmp_path / "grouped.csv", "--items", "q*", "--factors", 3, "--pooled")["n"] == 500


def test_an_exported_data_set_is_analysed_within_its_conditions(folder: Path) -> None:
    made = found(folder, "--items", "pmq_*", "--factors", 3)
    assert len(made["items"]) == 18
    assert made["n"] < 200


def test_tables_and_sentences_stand_in_the_terminal() -> None:
    done = run(PMQ, "--factors", 3)
    text = " ".join(done.stdout.split())
    assert "A minimum residual factor analysis of 18 items (Pearson correlations, one group)" in text
    assert "χ²(102, N = 500) = 96.65, p = .631" in text
    assert "90% CI [.000, .020]" in text
    assert "of the total variance" in text
    assert "of the explained variance alone" in text
    assert "suggested 3 common factors" in text
    assert "Share of total variance" in text


def test_a_folder_of_results_holds_page_tables_figures_items_and_code(tmp_path: Path) -> None:
    out = tmp_path / "results"
    done = run(PMQ, "--factors", 3, "--bootstrap", 60, "--seed", 4, "--out", out)
    assert done.exit_code == 0, done.stderr
    names = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert {"report.html", "efa.R", "efa.json", "items.csv"} <= names
    assert {"figures/scree.svg", "figures/loadings.svg", "figures/intervals.svg"} <= names
    assert {"tables/loadings.csv", "tables/phi.csv", "tables/variance.csv", "tables/fit.csv"} <= names
    table = pd.read_csv(out / "tables/loadings.csv")
    made = json.loads((out / "efa.json").read_text("utf-8"))
    assert np.allclose(table[made["factors"]], made["loadings"])
    assert set(made) == KEYS | {"bootstrap"}
    assert np.array(made["bootstrap"]["loadings_low"]).shape == (18, 3)
    page = (out / "report.html").read_text("utf-8")
    for caption in ("Eigenvalues of the reduced", "Pattern loadings", "percentile intervals of 60 draws"):
        assert caption in page
    assert np.array_equal(pd.read_csv(out / "items.csv"), references.data("pmq18"))


def test_the_same_command_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("first", "second"):
        assert run(PMQ, "--factors", 3, "--bootstrap", 60, "--out", tmp_path / name).exit_code == 0
    for path in (tmp_path / "first").rglob("*"):
        if path.is_file():
            other = tmp_path / "second" / path.relative_to(tmp_path / "first")
            assert path.read_bytes() == other.read_bytes(), path


def test_figures_of_simulated_data_say_so(folder: Path, tmp_path: Path) -> None:
    done = run(folder, "--items", "pmq_*", "--factors", 3, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    page = (tmp_path / "out/report.html").read_text("utf-8")
    assert "Simulated, effects planted" in page


def test_warmth_has_a_page_of_its_own(tmp_path: Path) -> None:
    done = run(
        PMQ, "--factors", 3, "--warm-items", "q09,q10,q11,q12", "--out", tmp_path / "out"
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    page = (tmp_path / "out/warmth/report.html").read_text("utf-8")
    assert "These data do not make warmth a factor of its own" in page


def test_published_loadings_are_compared_by_name(tmp_path: Path) -> None:
    target = references.values("target_congruence")["half1"]
    table = pd.DataFrame(references.matrix(target), index=target["rows"], columns=["one", "two", "three"])
    table.sample(frac=1, random_state=2).to_csv(tmp_path / "published.csv", index_label="item")
    done = run(PMQ, "--factors", 3, "--against", tmp_path / "published.csv")
    assert "Tucker's congruence over 18 items" in " ".join(done.stdout.split())
    assert "after Procrustes rotation" in " ".join(done.stdout.split())


def test_an_improper_solution_is_flagged_with_its_item() -> None:
    """Five factors of nine items reach the limit of a communality."""
    made = found(HS, "--items", "x?", "--factors", 5)
    assert made["heywood"]
    assert any(
        text.startswith(f"Heywood case: the communality of {made['heywood'][0]}") for text in made["warnings"]
    )
    assert any(text.startswith("weak factor: ") for text in made["warnings"])


def test_a_saturated_model_has_no_fit_and_says_so() -> None:
    made = found(HS, "--items", "x1,x2,x3", "--factors", 1)
    assert made["fit"]["df"] == 0
    assert made["fit"]["p"] is None
    assert made["fit"]["rmsea"] is None
    assert any(text.startswith("saturated model: df = 0") for text in made["warnings"])


def test_a_principal_axis_that_does_not_settle_is_flagged() -> None:
    """psych stops after 50 rounds too; here five factors of nine tests still move then."""
    made = found(HS, "--items", "x?", "--factors", 5, "--method", "pa", "--rotation", "varimax")
    assert made["converged"] is False
    assert any(text.startswith("no convergence: ") for text in made["warnings"])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([PMQ, "--factors", 13], "df = -"),
        ([PMQ, "--factors", 0], "0 factors"),
        ([PMQ, "--items", "q01,q02", "--factors", 1], "three items are needed"),
        ([PMQ, "--items", "z*", "--factors", 1], "no column matches 'z*'"),
        ([PMQ, "--factors", 3, "--condition", "arm"], "no column"),
        ([PMQ, "--factors", 3, "--bootstrap", 5], "ask for 50"),
        ([PMQ, "--factors", 3, "--rotation", "target"], "needs a target"),
        ([PMQ, "--factors", 3, "--warmth"], "--warm-items"),
        ([PMQ.with_name("none.csv"), "--factors", 3], "none.csv"),
        ([PMQ, "--factors", 3, "--against", PMQ], "stands twice"),
    ],
)
def test_what_cannot_be_done_is_one_line_with_a_way_out(arguments: list[str | Path | int], told: str) -> None:
    for more in ([], ["--json"]):
        done = run(*arguments, *more)
        assert done.exit_code == 1, done.output
        assert done.stdout == ""
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        assert len(lines) == 1
        assert lines[0].startswith("Refused: ")
        assert told in lines[0]


@pytest.mark.parametrize(
    "arguments",
    [
        [PMQ],
        [PMQ, "--factors", "three"],
        [PMQ, "--factors", 3, "--method", "principal"],
        [PMQ, "--factors", 3, "--rotation", "oblimax"],
        [PMQ, "--factors", 3, "--json", "--r"],
        [PMQ, "--factors", 3, "--condition", "x", "--pooled"],
        [PMQ, "--factors", 3, "--bootstrap", -1],
    ],
)
def test_wrong_usage_ends_with_2(arguments: list[str | Path | int]) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda table: table.drop(index="q04"), "no row for q04"),
        (lambda table: table[["one", "two"]], "2 columns of loadings for 3 factors"),
        (lambda table: table.rename(index={"q05": "q04"}), "q04 stands twice"),
        (lambda table: table.map(lambda cell: "high" if cell else "0"), "'high' in column 'one', row 2"),
    ],
)
def test_a_target_that_does_not_fit_says_where(
    change: Callable[[pd.DataFrame], pd.DataFrame], told: str, tmp_path: Path
) -> None:
    table = pd.DataFrame(0.0, index=references.data("pmq18").columns, columns=["one", "two", "three"])
    table.iloc[:6, 0] = 0.7
    change(table).to_csv(tmp_path / "target.csv", index_label="item")
    done = run(PMQ, "--factors", 3, "--rotation", "target", "--target", tmp_path / "target.csv")
    assert done.exit_code == 1
    assert told in done.stderr


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here")
    done = run(PMQ, "--factors", 3, "--out", tmp_path / "file")
    assert done.exit_code == 1
    assert "choose another --out" in done.stderr
