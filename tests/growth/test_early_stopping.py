"""`early_stopping` against growing one division at a time and looking at the rows set aside."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st

from spinney import CARTClassifier, CARTRegressor, Node, Tree
from spinney._folds import hold_out

from .comparison import outline
from .problems import Array, Problem, classification, regression

options = {"patience": st.integers(1, 4), "seed": st.integers(0, 99)}


def best_first(full: Tree) -> list[Tree]:
    """The tree after no division, one, two, ... always of the leaf that gains most.

    Of equal gains the leaf that came into being first is divided.
    """
    frontier: list[tuple[float, int, Node]] = [(-full.root.gain, 0, full.root)]
    closed = {node.id for node in full if not node.is_leaf}
    trees, born = [full.prune_at(closed)], 0
    while frontier:
        frontier.sort(key=lambda entry: entry[:2])
        _, _, node = frontier.pop(0)
        if node.is_leaf:
            continue
        closed.remove(node.id)
        trees.append(full.prune_at(closed))
        for child in node.children:
            born += 1
            frontier.append((-child.gain, born, child))
    return trees


def naive(full: Tree, error_of: Callable[[Tree], float], patience: int) -> Tree:
    """Go on until so many divisions did not lower the error; return the tree of least error."""
    best, *others = best_first(full)
    first = least = error_of(best)
    waited = 0
    for tree in others:
        if waited == patience:
            break
        waited += 1
        if error_of(tree) < least - 1e-12 * first:
            best, least, waited = tree, error_of(tree), 0
    return best


def exact(problem: Problem) -> Problem:
    """Whole weights, so that equal errors are equal sums; rows go whole to one child."""
    w = np.ones(len(problem.y)) if problem.weights is None else np.ceil(problem.weights)
    rule = "surrogate" if problem.limits["missing"] == "fractional" else problem.limits["missing"]
    limits = {**problem.limits, "missing": rule}
    return Problem(problem.kinds, problem.cells, problem.y, w, limits, problem.new)


def check(
    learner: Any, problem: Problem, strata: Array, loss: Any, patience: int, seed: int
) -> None:
    w = problem.weights
    assert w is not None
    assume(np.count_nonzero(w) > 1)
    held_out = hold_out(0.3, strata, w > 0, seed)
    rest = np.where(held_out, 0.0, w)
    for group in np.unique(strata[w > 0]):  # both fits shall know the same classes
        assume((rest[strata == group] > 0).any())
    stopping = {"early_stopping": True, "n_iter_no_change": patience, "random_state": seed}
    model = learner(**problem.limits, **stopping).fit(problem.table, problem.y, sample_weight=w)
    full = learner(**problem.limits).fit(problem.table, problem.y, sample_weight=rest).tree_

    def error_of(tree: Tree) -> float:
        losses = loss(problem.y, tree.predict(problem.table))
        return float((w * losses)[held_out].sum())

    note(f"{full}\n{model.tree_}")
    assert outline(model.tree_.root) == outline(naive(full, error_of, patience).root)


# Ordered columns stay out: a category of the rows set aside would shift thresholds between codes.
KINDS = ("numeric", "nominal", "numeric")


@pytest.mark.slow
@given(problem=classification(kinds=KINDS).map(exact), **options)
def test_of_classes_the_tree_with_fewest_errors_on_rows_set_aside_is_kept(
    problem: Problem, patience: int, seed: int
) -> None:
    assert problem.weights is not None
    present = np.unique(problem.y[problem.weights > 0])
    strata = np.where(np.isin(problem.y, present), np.searchsorted(present, problem.y), -1)
    check(CARTClassifier, problem, strata, np.not_equal, patience, seed)


@pytest.mark.slow
@given(problem=regression(kinds=KINDS).map(exact), **options)
def test_of_numbers_the_tree_with_least_error_on_rows_set_aside_is_kept(
    problem: Problem, patience: int, seed: int
) -> None:
    strata = np.zeros(len(problem.y))
    check(CARTRegressor, problem, strata, lambda y, p: (y - p) ** 2, patience, seed)


@pytest.mark.slow
@given(problem=regression(kinds=KINDS).map(exact), **options)
def test_by_absolute_error_the_tree_with_least_absolute_error_is_kept(
    problem: Problem, patience: int, seed: int
) -> None:
    strata = np.zeros(len(problem.y))
    learner = partial(CARTRegressor, "absolute_error")
    check(learner, problem, strata, lambda y, p: np.abs(y - p), patience, seed)


@pytest.mark.parametrize("learner", [CARTClassifier, CARTRegressor])
def test_growth_stops_when_there_is_nothing_left_to_learn(learner: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((600, 3))
    y = (X[:, 0] > 0.5) ^ (rng.random(600) < 0.2)
    full = learner().fit(X, y.astype(int)).tree_
    tree = learner(early_stopping=True, random_state=0).fit(X, y.astype(int)).tree_
    assert full.n_leaves > 100
    assert 2 <= tree.n_leaves < 20
    assert tree.root.test.feature == 0


@pytest.mark.parametrize("missing", ["surrogate", "majority", "fractional"])
def test_rows_set_aside_may_have_gaps(missing: str) -> None:
    rng = np.random.default_rng(1)
    X = rng.random((400, 3))
    y = (X[:, 0] > 0.5).astype(int)
    X[:, 1] = X[:, 0] + 0.01 * rng.random(400)
    X[rng.random(X.shape) < 0.1] = np.nan
    model = CARTClassifier(early_stopping=True, random_state=0, missing=missing).fit(X, y)
    assert model.score(X, y) > 0.9
