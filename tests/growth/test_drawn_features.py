"""`max_features`: every test is the best among the features drawn for its node."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from reference import Node, required_splits

from spinney import CARTClassifier, CARTRegressor

from .fitted import Fitted, fit_classifier, fit_regressor
from .problems import Problem, classification, regression


def draw_faults(fitted: Fitted, n_drawn: int) -> Iterator[str]:
    """Nodes whose test no draw of so many features explains."""
    for node in fitted.oracle().walk():
        if not node.is_leaf:
            yield from _node_faults(node, fitted, n_drawn)


def _node_faults(node: Node, fitted: Fitted, n_drawn: int) -> Iterator[str]:
    assert node.test is not None
    rows = fitted.values[node.rows], fitted.kinds, fitted.y[node.rows], node.row_weights
    best = dict.fromkeys(range(len(fitted.kinds)), -np.inf)  # features that cannot divide the node
    for split in required_splits(*rows, fitted.settings):
        best[split.test.feature] = max(best[split.test.feature], split.gain)
    chosen = best.pop(node.test.feature)
    if node.gain < chosen - 1e-12:
        yield f"node {node.id}: gains {node.gain}, its own feature could gain {chosen}"
    no_better = sum(gain <= node.gain + 1e-12 for gain in best.values())
    if no_better < n_drawn - 1:
        yield f"node {node.id}: only {no_better} features are no better"


def check_draws(fitted: Fitted, n_drawn: int) -> None:
    note(str(fitted.tree))
    others = [text for text in fitted.faults() if not re.search(r"\) gains .*, but", text)]
    assert others == []
    assert list(draw_faults(fitted, n_drawn)) == []


def small(problem: Problem) -> Problem:
    """Without limits: a leaf is then a leaf because no feature at all divides it."""
    missing = {"missing": problem.limits["missing"]}
    return Problem(problem.kinds, problem.cells, problem.y, problem.weights, missing, problem.new)


draws = {"n_drawn": st.integers(1, 4), "seed": st.integers(0, 1000)}


@pytest.mark.slow
@given(problem=classification(), criterion=st.sampled_from(["gini", "entropy"]), **draws)
def test_every_test_on_classes_is_best_among_some_draw(
    problem: Problem, criterion: str, n_drawn: int, seed: int
) -> None:
    n_drawn = min(n_drawn, len(problem.kinds))
    options = {"max_features": n_drawn, "random_state": seed}
    check_draws(fit_classifier(small(problem), criterion, **options), n_drawn)


@pytest.mark.slow
@given(problem=regression(), **draws)
def test_every_test_on_numbers_is_best_among_some_draw(
    problem: Problem, n_drawn: int, seed: int
) -> None:
    n_drawn = min(n_drawn, len(problem.kinds))
    fitted = fit_regressor(small(problem), max_features=n_drawn, random_state=seed)
    check_draws(fitted, n_drawn)


@pytest.mark.slow
@given(problem=classification(), **draws)
def test_the_same_seed_gives_the_same_tree(problem: Problem, n_drawn: int, seed: int) -> None:
    options = {"max_features": n_drawn, "random_state": seed}
    first, second = (fit_classifier(problem, **options).tree for _ in range(2))
    assert first == second


@pytest.mark.slow
@given(problem=classification(), seed=st.integers(0, 1000))
def test_drawing_every_feature_is_the_same_as_drawing_none(problem: Problem, seed: int) -> None:
    everything = fit_classifier(problem, max_features=len(problem.kinds), random_state=seed)
    assert everything.tree == fit_classifier(problem).tree


def test_every_feature_is_drawn_about_as_often() -> None:
    x = np.arange(20.0)
    X, y = np.column_stack([x, x, x, x]), x > 9
    roots = Counter(
        int(CARTClassifier(max_features=1, random_state=seed).fit(X, y).tree_.feature[0])
        for seed in range(400)
    )
    # A feature is drawn with chance 1/4: 100 times, give or take 9 (one standard deviation).
    assert sorted(roots) == [0, 1, 2, 3]
    assert all(abs(count - 100) < 5 * 9 for count in roots.values())


def test_draws_of_one_node_do_not_repeat_in_the_next() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((200, 10)), rng.random(200)
    tree = CARTRegressor(max_features=1, random_state=0).fit(X, y).tree_
    used = Counter(tree.feature[tree.feature >= 0].tolist())
    assert len(used) == 10
    assert max(used.values()) < 3 * min(used.values())
