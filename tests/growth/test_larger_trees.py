"""Trees of a few hundred rows, drawn by seed: more values, more rows to a node, more ties."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from .fitted import Fitted, fit_classifier, fit_regressor, number_faults
from .impurities import cubes
from .problems import Problem

KINDS = ("numeric", "nominal", "ordered", "numeric", "nominal")
few_examples = settings(max_examples=max(1, settings.default.max_examples // 15))
draws = {
    "seed": st.integers(0, 10**6),
    "missing": st.sampled_from(["surrogate", "majority", "fractional"]),
    "weighing": st.sampled_from(["unit", "whole", "fractions"]),
}


def make_problem(seed: int, missing: str, weighing: str, n_rows: int = 150) -> Problem:
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, [60, 7, 5, 1000, 3], (n_rows, 5)).astype(float)
    cells[:, 3] = cells[:, 3] / 7 + cells[:, 0]
    y = (cells[:, 0] // 15 + cells[:, 1] + rng.integers(0, 4, n_rows)) % 4
    cells[rng.random(cells.shape) < 0.1] = np.nan
    weights = {
        "unit": None,
        "whole": rng.integers(0, 4, n_rows).astype(float),
        "fractions": rng.choice([0.1, 0.2, 0.7, 1.3], n_rows),
    }[weighing]
    limits = {"missing": missing, "max_depth": 4}
    return Problem(KINDS, cells, y, weights, limits)


def check(fitted: Fitted) -> None:
    note(str(fitted.tree))
    assert fitted.tree.n_leaves > 4
    assert fitted.faults() == []
    assert number_faults(fitted) == []


@pytest.mark.parametrize(
    "criterion", ["gini", "entropy", "misclassification", "exponent", "twoing", cubes]
)
@few_examples
@given(**draws)
def test_every_choice_in_a_larger_tree_of_classes_is_a_best_one(
    criterion: Any, seed: int, missing: str, weighing: str
) -> None:
    check(fit_classifier(make_problem(seed, missing, weighing), criterion))


@few_examples
@given(**draws)
def test_every_choice_in_a_larger_tree_of_two_classes_is_a_best_one(
    seed: int, missing: str, weighing: str
) -> None:
    problem = make_problem(seed, missing, weighing)
    two = Problem(KINDS, problem.cells, problem.y % 2, problem.weights, problem.limits)
    check(fit_classifier(two))


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
@few_examples
@given(**draws)
def test_every_choice_in_a_larger_tree_of_numbers_is_a_best_one(
    criterion: str, seed: int, missing: str, weighing: str
) -> None:
    problem = make_problem(seed, missing, weighing, n_rows=120)
    noise = np.random.default_rng(seed).integers(0, 10, 120)
    numbers = Problem(KINDS, problem.cells, problem.y * 5 + noise, problem.weights, problem.limits)
    check(fit_regressor(numbers, criterion))
