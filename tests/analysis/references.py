"""R's numbers: tests/reference holds data and results, made by the R calls quoted beside each test."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

FOLDER = Path(__file__).resolve().parents[1] / "reference"


def values(name: str) -> dict[str, Any]:
    """The values of one reference file."""
    found: dict[str, Any] = json.loads((FOLDER / "json" / f"{name}.json").read_text("utf-8"))["values"]
    return found


def data(name: str) -> pd.DataFrame:
    """One reference data set."""
    return pd.read_csv(FOLDER / "data" / f"{name}.csv")


def matrix(entry: dict[str, Any]) -> np.ndarray:
    """A matrix as the reference files hold it."""
    return np.array(entry["data"], dtype=float)
