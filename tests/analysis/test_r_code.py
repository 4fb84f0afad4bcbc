"""The generated R code, run where R is, gives the same numbers; nothing is skipped where Rscript is there."""

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from analysis.cli import app
from analysis.congruence import tucker
from analysis.correlation import correlate
from analysis.items import items_of
from analysis.r_code import Asked, NoRCode, r_code
from tests.analysis import references
from tests.r_present import needs_r

needs_psych = needs_r("psych", "GPArotation")
NUMBERS = """
k <- ncol(f$loadings)
phi <- if (is.null(f$Phi)) diag(k) else f$Phi
fit <- c(f$dof, f$STATISTIC, f$RMSEA[1:3], f$TLI, f$rms, f$BIC)
writeLines(format(c(n, f$loadings, phi, f$communality, fit), digits = 15, trim = TRUE), "numbers.txt")
"""


def command(*arguments: str | Path) -> str:
    done = CliRunner().invoke(app, ["efa", *map(str, arguments)])
    assert done.exit_code == 0, done.stderr
    return done.stdout


def in_r(code: str, folder: Path, items: int, factors: int) -> dict[str, Any]:
    (folder / "made.R").write_text(code + NUMBERS, "utf-8")
    done = subprocess.run(
        ["Rscript", "made.R"], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr + code
    flat = np.array((folder / "numbers.txt").read_text().split(), dtype=float)
    cuts = np.cumsum([1, items * factors, factors * factors, items])
    n, loadings, phi, communalities, fit = np.split(flat, cuts)
    return {
        "n": int(n[0]),
        "loadings": loadings.reshape(factors, items).T,
        "phi": phi.reshape(factors, factors).T,
        "communalities": communalities,
        "fit": fit,
    }


def agree(code: str, found: dict[str, Any], folder: Path, tolerance: float = 2e-5) -> None:
    """The same n, loadings, factor correlations, communalities and fit."""
    loadings, phi = np.array(found["loadings"]), np.array(found["phi"])
    theirs = in_r(code, folder, *loadings.shape)
    assert theirs["n"] == found["n"]
    congruence = tucker(theirs["loadings"], loadings)
    order = np.abs(congruence).argmax(axis=1)
    assert sorted(order) == list(range(loadings.shape[1]))
    # A target keeps its own signs, psych turns columns to positive sums.
    signs = np.sign(congruence[np.arange(len(order)), order])
    assert np.abs(loadings[:, order] * signs - theirs["loadings"]).max() < tolerance
    assert np.abs(phi[np.ix_(order, order)] * np.outer(signs, signs) - theirs["phi"]).max() < tolerance
    assert np.abs(np.array(found["communalities"]) - theirs["communalities"]).max() < tolerance
    names = ("df", "chi2", "rmsea", "rmsea_low", "rmsea_high", "tli", "rmsr", "bic")
    ours = np.array([found["fit"][name] for name in names])
    # Polychoric matrices of both programs differ by 1e-4, and chi-square is n times that.
    scale = np.array([1, 50, 1, 2, 2, 1, 1, 50]) * tolerance / 2e-5
    assert (np.abs(ours - theirs["fit"]) < 2e-5 * scale).all(), (ours, theirs["fit"])


@pytest.fixture
def grouped(tmp_path: Path) -> Path:
    """Three conditions that differ in their means, a code of missing answers, gaps, and a row of its own."""
    frame = references.data("pmq18")
    rng = np.random.default_rng(6)
    arms = rng.choice(["plain", "warm", "very warm"], len(frame))
    frame = frame.add(np.where(arms == "warm", 1, np.where(arms == "very warm", 2, 0)), axis=0)
    frame = frame.mask(rng.random(frame.shape) < 0.02, 99)
    frame = frame.astype("Int64").mask(rng.random(frame.shape) < 0.01)
    frame["arm"] = arms
    frame.loc[7, "arm"] = "alone"
    frame.loc[11, "arm"] = None
    path = tmp_path / "grouped.csv"
    frame.to_csv(path, index=False)
    return path


@needs_psych
@pytest.mark.parametrize(
    "options",
    [
        ["--method", "minres", "--rotation", "oblimin"],
        ["--method", "ml", "--rotation", "promax"],
        ["--method", "pa", "--rotation", "varimax"],
        ["--method", "minres", "--rotation", "geomin", "--cor", "spearman"],
        ["--method", "ml", "--rotation", "Promax", "--na", "pairwise"],
        ["--method", "minres", "--rotation", "quartimin", "--na", "pairwise", "--cor", "spearman"],
        ["--method", "pa", "--rotation", "none", "--pooled"],
        ["--method", "ml", "--rotation", "oblimin", "--pooled", "--na", "pairwise"],
    ],
    ids=" ".join,
)
def test_the_same_numbers_within_conditions_and_pooled(
    grouped: Path, tmp_path: Path, options: list[str]
) -> None:
    groups = [] if "--pooled" in options else ["--condition", "arm"]
    arguments = [grouped, "--items", "q*", "--factors", "3", "--missing", "99", *groups, *options]
    found = json.loads(command(*arguments, "--json"))
    agree(command(*arguments, "--r"), found, tmp_path)


@needs_psych
def test_the_same_numbers_of_polychoric_correlations(tmp_path: Path) -> None:
    path = tmp_path / "pmq.csv"
    references.data("pmq18").to_csv(path, index=False)
    arguments = [path, "--factors", "3", "--cor", "polychoric"]
    found = json.loads(command(*arguments, "--json"))
    agree(command(*arguments, "--r"), found, tmp_path, tolerance=1e-3)


@needs_psych
def test_the_same_numbers_of_a_target_rotation(tmp_path: Path) -> None:
    path = tmp_path / "pmq.csv"
    frame = references.data("pmq18")
    frame.to_csv(path, index=False)
    target = pd.DataFrame(0.0, index=frame.columns, columns=["one", "two", "three"])
    for factor in range(3):
        target.iloc[6 * factor : 6 * factor + 6, factor] = np.nan
    target.sample(frac=1, random_state=3).to_csv(tmp_path / "target.csv", index_label="item")
    arguments = [path, "--factors", "3", "--rotation", "target", "--target", tmp_path / "target.csv"]
    found = json.loads(command(*arguments, "--json"))
    agree(command(*arguments, "--r"), found, tmp_path)


@needs_psych
def test_the_same_numbers_of_a_file_with_three_header_rows_semicolons_and_reversed_items(
    tmp_path: Path,
) -> None:
    frame = references.data("hs1939")[[f"x{i}" for i in range(1, 10)]]
    frame["x2"] = 10 - frame["x2"]
    text = frame.to_csv(index=False, sep=";", decimal=",", header=False, float_format="%.4f")
    head = ";".join(frame.columns)
    words = ";".join(f'"How much of\n{name}?"' for name in frame.columns)
    ids = ";".join(f'"{{""ImportId"":""{name}""}}"' for name in frame.columns)
    path = tmp_path / "qualtrics.csv"
    path.write_text(f"\ufeff{head}\n{words}\n{ids}\n{text}", "utf-8")
    arguments = [path, "--items", "x*", "--factors", "3", "--reverse", "x2"]
    found = json.loads(command(*arguments, "--json"))
    agree(command(*arguments, "--r"), found, tmp_path)


@needs_psych
def test_the_same_numbers_of_an_exported_data_set(folder: Path, tmp_path: Path) -> None:
    arguments = [folder, "--items", "pmq_*", "--factors", "3"]
    found = json.loads(command(*arguments, "--json"))
    agree(command(*arguments, "--r"), found, tmp_path)


@needs_psych
def test_the_script_in_the_results_folder_runs_there_by_itself(grouped: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    command(
        grouped, "--items", "q*", "--factors", "3", "--missing", "99", "--condition", "arm", "--out", out
    )  # fmt: skip
    agree((out / "efa.R").read_text("utf-8"), json.loads((out / "efa.json").read_text("utf-8")), out)


def test_polychoric_correlations_shared_over_conditions_have_no_r_code(tmp_path: Path) -> None:
    with pytest.raises(NoRCode, match="--pooled"):
        r_code(Asked(("a", "b", "c"), 1, cor="polychoric", condition="arm"), tmp_path / "x.csv")


def test_a_file_base_r_cannot_read_says_how_to_get_code(tmp_path: Path) -> None:
    with pytest.raises(NoRCode, match="--out"):
        r_code(Asked(("a", "b", "c"), 1), tmp_path / "x.sav")


def test_names_with_quotes_and_backslashes_stay_text(tmp_path: Path) -> None:
    names = ['a"b', "c\\d", "e"]
    path = tmp_path / 'it"s.csv'
    pd.DataFrame([[1, 2, 3], [2, 1, 4]], columns=names).to_csv(path, index=False)
    made = r_code(Asked(tuple(names), 1), path)
    assert 'items <- c("a\\"b", "c\\\\d", "e")' in made
    assert 'it\\"s.csv"' in made


def test_the_correlations_the_code_is_for_are_those_of_deviations_from_group_means() -> None:
    frame = pd.DataFrame({"a": [1, 2, 3, 11, 12, 14], "b": [2, 1, 3, 12, 11, 13], "c": [1, 3, 1, 9, 8, 9]})
    frame["arm"] = ["x"] * 3 + ["y"] * 3
    found = correlate(items_of(frame, condition="arm")).matrix
    centred = frame[["a", "b", "c"]] - frame.groupby("arm")[["a", "b", "c"]].transform("mean")
    assert np.allclose(found, np.corrcoef(centred.to_numpy(float), rowvar=False))
