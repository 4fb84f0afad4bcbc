"""The commands cfa and invariance: sentences, JSON, files, R code, and refusals without a traceback."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from analysis.cli import app
from tests.analysis import references
from tests.analysis.cfa.ordinal_data import THREE

DATA = references.FOLDER / "data"
needs_r = pytest.mark.skipif(
    shutil.which("Rscript") is None
    or subprocess.run(["Rscript", "-e", "library(lavaan)"], capture_output=True, check=False).returncode != 0,
    reason="R with lavaan is not installed here",
)


def command(*arguments: str | Path, code: int = 0) -> Any:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == code, done.stdout + done.stderr
    return done


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.txt"
    path.write_text(THREE, "utf-8")
    return path


def test_the_json_of_a_fit(model: Path) -> None:
    found = json.loads(command("cfa", DATA / "pmq18.csv", "--model", model, "--json").stdout)
    expected = references.values("pmq18_cfa")["MLR"]["fit"]
    assert found["converged"] is True and found["heywood"] == [] and found["n"] == 500
    assert abs(found["fit"]["chisq"] - expected["chisq"]) < 1e-5
    assert abs(found["fit"]["robust"]["cfi"] - expected["cfi.robust"]) < 1e-6
    row = next(r for r in found["estimates"] if (r["lhs"], r["rhs"]) == ("f1", "q02"))
    assert set(row) >= {"lhs", "op", "rhs", "group", "est", "se", "z", "pvalue", "std"}
    assert len(found["validity"]["factors"]) == 3 and found["modification_indices"][0]["mi"] > 3.84


def test_apa_sentences_and_files(model: Path, tmp_path: Path) -> None:
    done = command(
        "cfa",
        DATA / "pmq18.csv",
        "--model",
        model,
        "--estimator",
        "wlsmv",
        "--rivals",
        "--out",
        tmp_path / "o",
    )
    text = " ".join(done.stdout.split())
    assert "χ²(132, N = 500) = 151.99, p = .112" in text
    assert "composite reliability .84" in text and "Rival models" in text
    for name in ("report.html", "cfa.json", "cfa.R", "items.csv", "model.txt", "figures/paths.svg"):
        assert (tmp_path / "o" / name).stat().st_size > 0, name


def test_invariance_speaks_plainly(model: Path, tmp_path: Path) -> None:
    done = command(
        "invariance", DATA / "pmq18_groups.csv", "--model", model, "--group", "group", "--free", "q05 ~ 1",
        "--near", "q05", "--out", tmp_path / "o",
    )  # fmt: skip
    text = " ".join(done.stdout.split())
    assert "Invariance reaches the strict step with q05 ~ 1 left free." in text
    assert "Δχ²(45) = 52.55" in text
    for name in ("report.html", "invariance.json", "invariance.R", "figures/ladder.svg"):
        assert (tmp_path / "o" / name).stat().st_size > 0, name


def test_within_conditions_unless_pooled_or_grouped(model: Path) -> None:
    path = DATA / "pmq18_groups.csv"
    within, pooled, grouped = (
        json.loads(command("cfa", path, "--model", model, "--estimator", "ml", "--json", *more).stdout)
        for more in (("--condition", "group"), ("--pooled",), ("--group", "group"))
    )
    assert within["basis"] == "within conditions" and within["n"] == 800 - 4 + 1
    assert pooled["basis"] != within["basis"] and pooled["n"] == 800
    assert grouped["groups"] == {"A": 200, "B": 200, "C": 200, "D": 200}


@pytest.mark.parametrize(
    ("text", "arguments", "told"),
    [
        ("f =~ q01 + q99 + q03", (), "line 1, column 12"),
        ("f = q01", (), "'=' means nothing here"),
        ("f =~ q01 + q02", (), "df"),
        (THREE, ("--estimator", "wlsmv", "--na", "fiml"), "estimator mlr"),
        (THREE, ("--condition", "arm"), "arm"),
    ],
)
def test_refusals(tmp_path: Path, text: str, arguments: tuple[str, ...], told: str) -> None:
    (tmp_path / "m.txt").write_text(text, "utf-8")
    done = command("cfa", DATA / "pmq18.csv", "--model", tmp_path / "m.txt", *arguments, code=1)
    assert "Refused:" in done.stderr and told in done.stderr and "Traceback" not in done.stderr


def test_wrong_usage(model: Path) -> None:
    command("cfa", DATA / "pmq18.csv", "--model", model, "--group", "g", "--pooled", code=2)
    command("cfa", DATA / "pmq18.csv", "--model", model, "--json", "--r", code=2)
    command("invariance", DATA / "pmq18.csv", "--model", model, code=2)


def test_what_lavaan_has_no_data_for_gets_no_r_code(model: Path) -> None:
    done = command("cfa", DATA / "pmq18_groups.csv", "--model", model, "--condition", "group", "--r", code=1)
    assert "--estimator ml, --pooled, or --group" in " ".join(done.stderr.split())


@needs_r
@pytest.mark.parametrize(
    ("data", "arguments"),
    [
        ("pmq18", ("--estimator", "mlr")),
        ("pmq18", ("--estimator", "wlsmv")),
        ("pmq18_missing", ("--estimator", "mlr", "--na", "fiml")),
        ("pmq18_groups", ("--estimator", "ml", "--condition", "group")),
        ("pmq18_groups", ("--estimator", "mlr", "--group", "group")),
    ],
)
def test_the_r_code_gives_the_same_numbers(
    model: Path, tmp_path: Path, data: str, arguments: tuple[str, ...]
) -> None:
    asked = ("cfa", DATA / f"{data}.csv", "--model", model, *arguments)
    found = json.loads(command(*asked, "--json").stdout)
    code = command(*asked, "--r").stdout
    assert code.startswith("# python -m analysis")
    numbers = (
        'writeLines(format(c(fitMeasures(fit, c("chisq", "df", "srmr")), with(parameterEstimates(fit), '
        'est[op == "=~"])), digits = 15, trim = TRUE), "numbers.txt")'
    )
    (tmp_path / "made.R").write_text(f"{code}\n{numbers}\n", "utf-8")
    done = subprocess.run(
        ["Rscript", "made.R"], cwd=tmp_path, capture_output=True, text=True, timeout=180, check=False
    )
    assert done.returncode == 0, done.stderr + code
    theirs = np.array((tmp_path / "numbers.txt").read_text().split(), dtype=float)
    fit = found["fit"]
    assert abs(theirs[0] - fit["chisq"]) < 1e-3 and theirs[1] == fit["df"]
    assert abs(theirs[2] - fit["srmr"]) < 1e-5
    ours = [row["est"] for row in found["estimates"] if row["op"] == "=~"]
    assert np.abs(theirs[3:] - ours).max() < 5e-5


@needs_r
def test_the_r_code_of_the_ladder_gives_the_same_differences(model: Path, tmp_path: Path) -> None:
    asked = (
        "invariance", DATA / "pmq18_groups.csv", "--model", model, "--group", "group", "--free", "q05 ~ 1",
        "--near", "q05",
    )  # fmt: skip
    found = json.loads(command(*asked, "--json").stdout)
    code = command(*asked, "--r").stdout
    numbers = (
        'writeLines(format(lavTestLRT(configural, metric, scalar, strict)[-1, "Chisq diff"], digits = 15), '
        '"numbers.txt")'
    )
    (tmp_path / "made.R").write_text(f"{code}\n{numbers}\n", "utf-8")
    done = subprocess.run(
        ["Rscript", "made.R"], cwd=tmp_path, capture_output=True, text=True, timeout=180, check=False
    )
    assert done.returncode == 0, done.stderr + code
    theirs = np.array((tmp_path / "numbers.txt").read_text().split(), dtype=float)
    ours = [step["chisq_difference"] for step in found["steps"][1:]]
    assert np.abs(theirs - ours).max() < 1e-3
