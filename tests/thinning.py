"""Which settings of `contracts/estimators.py` a test is run with.

Thousands of checks over all settings take many minutes. A plain run gives each case of a test one
setting of each of some families, and another case others, so that every setting meets many checks;
it leaves out what is marked `thorough`. `--matrix=full` runs everything, and `--matrix=rest` what a
plain run leaves out. Tests that are chosen by name (`-k`, `::`) are not thinned.
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from typing import Any
from zlib import crc32

import pytest

# An estimator belongs to the first family that its name begins with.
FAMILIES = (
    "CARTClassifier",
    "CARTRegressor",
    "RandomForest",
    "Bagging",
    "AdaBoost",
    "IGPA",
    "MixtureOfExperts",
    "GP",
    "",  # the others: multiway trees, boosting by filtering
)
N_FAMILIES = 5  # that a case meets in a plain run


def add_option(parser: pytest.Parser) -> None:
    """Let the command line say which settings are run."""
    parser.addoption(
        "--matrix",
        choices=("thin", "full", "rest"),
        default="thin",
        help="settings that tests of estimators run with: one of some families, all, or the others",
    )


def thin(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that the matrix does not ask for."""
    matrix = config.getoption("--matrix")
    by_name = config.getoption("keyword") or any("::" in str(arg) for arg in config.args)
    if matrix == "full" or (matrix == "thin" and by_name):
        return
    plain = {id(item) for item in plain_run(items)}
    wanted = [item for item in items if (id(item) in plain) == (matrix == "thin")]
    left_out = [item for item in items if (id(item) in plain) != (matrix == "thin")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = wanted


def plain_run(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Return the tests of a plain run: those without settings, and of each case a few."""
    kept, cases = [], defaultdict(lambda: defaultdict(list))
    for item in items:
        setting = setting_of(item)
        if setting is None and item.get_closest_marker("thorough") is None:
            kept.append(item)
        elif setting is not None:
            cases[case_of(item, setting)][family_of(setting)].append(item)
    for case, by_family in cases.items():
        drawn = {crc32(f"{case} {family}".encode()): of for family, of in by_family.items()}
        kept.extend(drawn[key][key % len(drawn[key])] for key in sorted(drawn)[:N_FAMILIES])
    return kept


def setting_of(item: pytest.Item) -> Any:
    """Return the estimator of the list that a test is run with, if there is one."""
    params = item.callspec.params if hasattr(item, "callspec") else {}
    if "listed" in params:
        return params["listed"].estimator
    return params["estimator"] if {"estimator", "check"} <= set(params) else None


def case_of(item: pytest.Item, setting: Any) -> str:
    """Return the name of a test without that of its setting."""
    return "".join(item.nodeid.split()).replace(text_of(setting), "")


@cache
def text_of(setting: Any) -> str:
    """Return how a setting is written in the names of tests, without spaces."""
    return "".join(repr(setting).split())


def family_of(setting: Any) -> str:
    """Return the family of an estimator."""
    name = type(setting).__name__
    return next(family for family in FAMILIES if name.startswith(family))


def sparingly(values: Iterable[Any], every: int) -> list[Any]:
    """Return values to parametrize a test by, of which a plain run takes each `every`-th one."""
    return [
        value if place % every == 0 else pytest.param(value, marks=pytest.mark.thorough)
        for place, value in enumerate(values)
    ]
