"""The examples in docstrings print what they show."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["_experiment", "_resampling", "_statistics"])
def test_examples(name: str):
    results = doctest.testmod(importlib.import_module(f"spinney.compare.{name}"))
    assert results.attempted > 0
    assert results.failed == 0
