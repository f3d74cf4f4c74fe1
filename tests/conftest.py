"""Profiles of hypothesis, and the path by which every test finds the oracle in `reference`.

Properties are tried on a few examples, new ones in every run; where the variable CI is set, on the
same ones in every run. `pytest --hypothesis-profile=thorough` tries thousands.
`pytest --matrix=full` runs the tests of estimators with all their settings (see `thinning.py`).
"""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))

import thinning
from browsing import browser  # noqa: F401, the fixture

_COMMON = {
    "deadline": None,
    "print_blob": True,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}
settings.register_profile("quick", max_examples=30, **_COMMON)
settings.register_profile("thorough", max_examples=1000, **_COMMON)
settings.register_profile("ci", max_examples=30, derandomize=True, **_COMMON)
settings.register_profile("ci-thorough", max_examples=100, derandomize=True, **_COMMON)
settings.load_profile("ci" if os.environ.get("CI") else "quick")


def pytest_addoption(parser: pytest.Parser) -> None:
    thinning.add_option(parser)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    thinning.thin(config, items)
