"""How long confirmatory fits take beside lavaan's, in one run, on one thread.

Only fits are timed, never imports, reading or printing; both fit the reference sets of the tests.
"""

from __future__ import annotations

import itertools
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table

from analysis.cfa.fitting import difference, fit
from analysis.cfa.invariance_steps import CONTINUOUS
from analysis.items import ItemData, items_of

# Read by the linear algebra when it is loaded, by R as well.
THREADS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
DATA = Path(__file__).resolve().parents[1] / "tests/reference/data"
TURNS = 9
PMQ = "\n".join(f"f{k + 1} =~ {' + '.join(f'q{6 * k + i:02d}' for i in range(1, 7))}" for k in range(3))
HS = "visual =~ x1 + x2 + x3\ntextual =~ x4 + x5 + x6\nspeed =~ x7 + x8 + x9"

R = """
suppressPackageStartupMessages(library(lavaan))
d <- read.csv("{path}")
m <- "{model}"
invisible(suppressWarnings({call}))
times <- sapply(1:{turns}, function(i) {{
  started <- proc.time()[["elapsed"]]
  invisible(suppressWarnings({call}))
  proc.time()[["elapsed"]] - started
}})
cat(median(times))
"""
LADDER = (
    '{a <- cfa(m, d, group = "group"); b <- cfa(m, d, group = "group", group.equal = "loadings"); '
    'c <- cfa(m, d, group = "group", group.equal = c("loadings", "intercepts")); '
    's <- cfa(m, d, group = "group", group.equal = c("loadings", "intercepts", "residuals")); '
    "lavTestLRT(a, b, c, s)}"
)


@dataclass(frozen=True)
class Case:
    """One comparison: the same work here and in R, and the ratio that was promised."""

    what: str
    ours: Callable[[], object]
    data: str
    model: str
    call: str
    promised: float


def main() -> int:
    """Measure, print, and end with 1 where a promise is not kept."""
    if any(os.environ.get(name) != one for name, one in THREADS.items()):
        os.execve(sys.executable, [sys.executable, "-m", "benchmarks.cfa"], {**os.environ, **THREADS})
    console = Console(width=120)
    if shutil.which("Rscript") is None:
        console.print("Not compared with lavaan: Rscript is not installed here.")
        return 1
    table = Table("fit", box=box.SIMPLE_HEAD)
    for name in ("ours, ms", "lavaan, ms", "ratio", "promised"):
        table.add_column(name, justify="right")
    kept = True
    for case in _cases():
        theirs = _in_r(case)
        ours = _here(case.ours)
        ratio = ours / theirs
        kept = kept and ratio <= case.promised
        table.add_row(
            case.what, f"{1000 * ours:.1f}", f"{1000 * theirs:.1f}", f"{ratio:.3f}",
            f"{case.promised:g}{'' if ratio <= case.promised else '  missed'}",
        )  # fmt: skip
    console.print(table)
    return 0 if kept else 1


def _cases() -> list[Case]:
    pmq = items_of(pd.read_csv(DATA / "pmq18.csv"), "q*")
    groups = items_of(pd.read_csv(DATA / "pmq18_groups.csv"), "q*", condition="group")
    missing = items_of(pd.read_csv(DATA / "hs1939_missing.csv"), "x*")
    return [
        Case(
            "ML, 18 items, 3 factors", lambda: fit(PMQ, pmq, estimator="ML"), "pmq18", PMQ, "cfa(m, d)", 0.4,
        ),
        Case(
            "MLR", lambda: fit(PMQ, pmq, estimator="MLR"), "pmq18", PMQ,
            'cfa(m, d, estimator = "MLR")', 0.3,
        ),
        Case(
            "WLSMV", lambda: fit(PMQ, pmq, estimator="WLSMV"), "pmq18", PMQ,
            'cfa(m, d, ordered = TRUE, estimator = "WLSMV")', 0.2,
        ),
        Case("four groups, four steps", lambda: _ladder(groups), "pmq18_groups", PMQ, LADDER, 0.25),
        Case(
            "FIML, 12 % missing", lambda: fit(HS, missing, estimator="ML", missing="fiml"), "hs1939_missing",
            HS, 'cfa(m, d, missing = "fiml")', 1.0,
        ),
    ]  # fmt: skip


def _ladder(data: ItemData) -> list[object]:
    fits = [fit(PMQ, data, estimator="ML", group="condition", group_equal=equal) for _, equal in CONTINUOUS]
    return [difference(a, b) for a, b in itertools.pairwise(fits)]


def _here(work: Callable[[], object]) -> float:
    work()
    seconds = []
    for _ in range(TURNS):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


def _in_r(case: Case) -> float:
    model = case.model.replace("\n", "\\n")
    code = R.format(path=DATA / f"{case.data}.csv", model=model, call=case.call, turns=TURNS)
    done = subprocess.run(
        ["Rscript", "-e", code], capture_output=True, text=True, check=True, env={**os.environ, **THREADS}
    )
    return float(np.float64(done.stdout.split()[-1]))


if __name__ == "__main__":
    raise SystemExit(main())
