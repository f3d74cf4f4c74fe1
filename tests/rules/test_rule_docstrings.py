"""The examples in the docstrings of rules run, and give what they say."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["_conditions", "_explanation", "_rule", "_ruleset"])
def test_the_examples_run(name):
    results = doctest.testmod(importlib.import_module(f"spinney.rules.{name}"))
    assert results.attempted > 0
    assert results.failed == 0
