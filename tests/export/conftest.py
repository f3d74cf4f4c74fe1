"""Tests run on every model; engines that are slow to start run once for all of them."""

import pytest
from export_cases import TREES
from export_models import NAMES, Case, make_case


@pytest.fixture(scope="session", params=NAMES)
def case(request: pytest.FixtureRequest) -> Case:
    """Each of the models."""
    return make_case(request.param)


@pytest.fixture(scope="session", params=list(TREES))
def tree_case(request: pytest.FixtureRequest) -> Case:
    """Each of the trees."""
    return make_case(request.param)


@pytest.fixture(scope="session")
def all_cases() -> list[Case]:
    """All models, for engines that are slow to start."""
    return [make_case(name) for name in NAMES]
