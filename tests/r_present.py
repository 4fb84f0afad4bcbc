"""Comparisons with R itself: run where R is, never silently left out where it must be (REQUIRE_R=1)."""

import os
import shutil
import subprocess
from functools import cache

import pytest

INSTALL = "apt-get install r-base-core r-cran-psych r-cran-gparotation r-cran-lavaan"


@cache
def is_there(*packages: str) -> bool:
    """Whether Rscript and these R packages are installed."""
    if shutil.which("Rscript") is None:
        return False
    asked = "; ".join(f"library({package})" for package in packages)
    return subprocess.run(["Rscript", "-e", asked], capture_output=True, check=False).returncode == 0


def needs_r(*packages: str) -> pytest.MarkDecorator:
    """Skip without R and these packages; with REQUIRE_R=1 their absence is a failure."""
    absent = os.environ.get("REQUIRE_R") != "1" and not is_there(*packages)
    named = " with " + ", ".join(packages) if packages else ""
    return pytest.mark.skipif(absent, reason=f"no R{named} here; {INSTALL}")
