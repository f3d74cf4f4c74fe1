"""Plots are drawn without a screen; results are written by hand."""

from collections.abc import Iterator

import matplotlib
import pytest
from known_results import made_results

from spinney.compare import Results

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


@pytest.fixture
def results() -> Results:
    """Three data sets, three methods, four partitions; the middle one wins twice."""
    return made_results(
        [
            [[0.30, 0.32, 0.34, 0.36], [0.20, 0.21, 0.22, 0.23], [0.20, 0.22, 0.21, 0.23]],
            [[0.40, 0.41, 0.42, 0.44], [0.10, 0.12, 0.11, 0.13], [0.30, 0.32, 0.31, 0.33]],
            [[0.05, 0.06, 0.07, 0.08], [0.06, 0.05, 0.08, 0.09], [0.07, 0.09, 0.08, 0.06]],
        ]
    )
