"""Synthetic data sets, written once for all tests that only read them."""

from pathlib import Path

import pytest

from analysis.dataset import DataSet, read
from tests.analysis.synthetic import Plan, write


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set of 200 simulated participants with effects planted."""
    return write(tmp_path_factory.mktemp("planted"), Plan(participants=200))


@pytest.fixture(scope="session")
def planted(folder: Path) -> DataSet:
    return read(folder)
