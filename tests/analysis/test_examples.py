"""The examples in the docstrings run and give what they say."""

import doctest
import importlib
import pkgutil

import pytest

import analysis

MODULES = [
    found.name
    for found in pkgutil.walk_packages(analysis.__path__, "analysis.")
    if not found.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_give_what_they_say(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
