"""The printed figures are those that the papers' own averages and tests come from."""

import numpy as np
import pytest

from spinney._reproduce.paper import published
from spinney.compare import friedman

CRITERIA = ("gini", "twoing", "entropy", "exponent")


def shares(criterion: str) -> np.ndarray:
    kept = np.array([row[criterion] for row in published("mode_table2_percent_kept")], dtype=float)
    return np.column_stack([kept, np.full(11, 75.0), np.full(11, 100.0)])


def test_the_mean_shares_are_the_printed_ones() -> None:
    means = [shares(criterion)[:, 0].mean() for criterion in CRITERIA]
    assert np.round(means, 2).tolist() == [60.0, 57.18, 55.45, 51.55]
    assert round(100 - np.mean(means)) == 44
    assert round(100 * (1 - np.mean(means) / 75)) == 25


@pytest.mark.parametrize(
    ("criterion", "averages"),
    [
        ("gini", [16.73, 16.88, 16.59]),
        ("twoing", [17.19, 17.08, 16.81]),
        ("entropy", [16.29, 16.32, 16.34]),
        ("exponent", [18.05, 17.55, 17.70]),
    ],
)
def test_the_mean_errors_are_the_printed_ones(criterion: str, averages: list[float]) -> None:
    rows = [row for row in published("mode_tables3to6_errors") if row["criterion"] == criterion]
    means = [np.mean([row[name] for row in rows]) for name in list(rows[0])[2:]]
    assert means == pytest.approx(averages, abs=0.006)


def test_the_printed_shares_give_the_printed_p() -> None:
    assert friedman(shares("entropy")).p_value == pytest.approx(4.1e-5, abs=5e-7)
    for criterion in ("gini", "twoing", "exponent"):
        assert friedman(shares(criterion)).p_value == pytest.approx(9.3e-5, abs=5e-7)


def test_an_empty_cell_is_nothing() -> None:
    rows = {row["algorithm"]: row for row in published("gp_table3_errors")}
    assert rows["C4.5"]["breast_cancer_wisconsin"] is None
    assert rows["GP single tree"]["pima"] == 25.0
