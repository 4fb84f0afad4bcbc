"""How long our fits take beside those of factor-analyzer and psych, in one run, on one thread.

Only fits are timed, never imports, reading or printing. Each pair does the same work on the same data
(the reference sets of the tests), and pairs take turns so that a busy machine slows both.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from factor_analyzer import FactorAnalyzer
from rich import box
from rich.console import Console
from rich.table import Table

from analysis.bootstrap_factors import bootstrap_factors
from analysis.correlation import correlate
from analysis.dimensionality import parallel_analysis
from analysis.efa import efa_of
from analysis.items import items_of

# Read by the linear algebra when it is loaded, by R as well.
THREADS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
DATA = Path(__file__).resolve().parents[1] / "tests/reference/data"
SETS = 500
DRAWS = 1000
TURNS = 15

R = """
suppressPackageStartupMessages({{library(psych); library(GPArotation)}})
options(mc.cores = 1)
d <- read.csv("{path}")
invisible(fa(d, 3))
started <- proc.time()[["elapsed"]]
invisible(capture.output({call}))
cat(proc.time()[["elapsed"]] - started)
"""
PARALLEL = (
    'fa.parallel(d, fm = "minres", fa = "both", n.iter = {sets}, sim = TRUE, quant = .95, plot = FALSE)'
)
BOOTSTRAP = 'fa(d, 3, fm = "minres", rotate = "oblimin", n.iter = {draws})'


@dataclass(frozen=True)
class Pair:
    """One comparison: seconds of ours and of the other's, and the ratio that was promised."""

    what: str
    other: str
    ours: float
    theirs: float
    ratio: float
    promised: float


def main() -> int:
    """Measure, print, and end with 1 where a promise is not kept."""
    if any(os.environ.get(name) != one for name, one in THREADS.items()):
        os.execve(sys.executable, [sys.executable, "-m", "benchmarks.analysis"], {**os.environ, **THREADS})
    console = Console(width=120)
    pairs = [
        _efa("pmq18", "q*", 3, "18 items, 3 factors"),
        _efa("bfi", "A?,C?,E?,N?,O?", 5, "25 items, 5 factors"),
    ]
    if shutil.which("Rscript") is None:
        console.print("Not compared with psych: Rscript is not installed here.")
    else:
        pairs += [_parallel(), _bootstrap()]
    table = Table("fit", "against", box=box.SIMPLE_HEAD)
    for header in ("ours, s", "theirs, s", "ratio", "promised"):
        table.add_column(header, justify="right")
    for pair in pairs:
        kept = pair.ratio <= pair.promised
        table.add_row(
            pair.what, pair.other, f"{pair.ours:.4f}", f"{pair.theirs:.4f}", f"{pair.ratio:.3f}",
            f"<= {pair.promised:g}{'' if kept else '  NOT KEPT'}",
        )  # fmt: skip
    console.print(table)
    return 0 if all(pair.ratio <= pair.promised for pair in pairs) else 1


def _efa(name: str, items: str, factors: int, size: str) -> Pair:
    """Loadings, rotation, factor correlations and fit of ours; loadings and rotation of theirs."""
    correlation = correlate(items_of(pd.read_csv(DATA / f"{name}.csv"), items))

    def ours() -> None:
        efa_of(correlation, factors)

    def theirs() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            FactorAnalyzer(factors, rotation="oblimin", method="minres", is_corr_matrix=True).fit(
                correlation.matrix
            )

    first, second = _in_turn(ours, theirs)
    return Pair(f"EFA, {size}", "factor-analyzer", first, second, first / second, 1.2)


def _parallel() -> Pair:
    data = items_of(pd.read_csv(DATA / "pmq18.csv"))
    correlation = correlate(data)

    def ours() -> None:
        parallel_analysis(correlation.matrix, correlation.n, seed=1, sets=SETS, data=data)

    return _against_r(
        f"parallel analysis, {SETS} random and {SETS} shuffled sets", ours, PARALLEL.format(sets=SETS), 0.15
    )


def _bootstrap() -> Pair:
    data = items_of(pd.read_csv(DATA / "pmq18.csv"))

    def ours() -> None:
        bootstrap_factors(data, 3, seed=1, draws=DRAWS)

    return _against_r(f"EFA bootstrap, {DRAWS} draws", ours, BOOTSTRAP.format(draws=DRAWS), 0.6)


def _against_r(what: str, ours: Callable[[], None], call: str, promised: float) -> Pair:
    """Ours before and after R's, so that both see the same machine."""
    ours()
    before = _seconds(ours)
    done = subprocess.run(
        ["Rscript", "-e", R.format(path=DATA / "pmq18.csv", call=call)],
        capture_output=True, text=True, check=False, env=dict(os.environ),
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"R could not run {call}: {done.stderr.strip()}")
    theirs = float(done.stdout.split()[-1])
    mean = (before + _seconds(ours)) / 2
    return Pair(what, "psych", mean, theirs, mean / theirs, promised)


def _in_turn(first: Callable[[], None], second: Callable[[], None]) -> tuple[float, float]:
    """Medians of so many turns each, after one that warms up."""
    first()
    second()
    times = np.array([(_seconds(first), _seconds(second)) for _ in range(TURNS)])
    return statistics.median(times[:, 0].tolist()), statistics.median(times[:, 1].tolist())


def _seconds(work: Callable[[], None]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
