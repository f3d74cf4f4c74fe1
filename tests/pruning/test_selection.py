"""The choice of a subtree, by a test sample and by cross-validation."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from growth.fitted import Fitted, fit_classifier, fit_regressor, nested
from growth.problems import (
    Array,
    Problem,
    classification,
    cost_matrices,
    make_table,
    regression,
    weights,
)
from hypothesis import assume, given, note
from hypothesis import strategies as st
from reference import Node, Settings, annotate, select_by_cv
from reference.predict import loss
from reference.selection import Selection, choose, losses

from spinney import CARTClassifier, CARTRegressor, Tree
from spinney.pruning import PruningPath, cost_complexity_path, reduced_error, select

from .trees import grown, kept_ids

rules = st.sampled_from(["1se", "min"])


def assert_chosen(path: PruningPath, expected: Selection) -> None:
    note(f"{path}\n{expected}")
    assert path.errors is not None
    assert path.standard_errors is not None
    scale = 1e-12 * max(1.0, float(expected.errors.max()))
    np.testing.assert_allclose(path.errors, expected.errors, rtol=1e-9, atol=scale)
    # The variance is a difference of means of squares: its root keeps half the digits.
    atol = 1e-7 * float(expected.errors.max())
    np.testing.assert_allclose(path.standard_errors, expected.standard_errors, rtol=1e-6, atol=atol)
    assert path.selected is not None
    if path.selected != expected.selected:  # errors of numbers far from zero tie only nearly
        assert path.trees[0].classes is None
        assert_nearly_tied(expected, path.selected, str(path.rule))


def assert_nearly_tied(expected: Selection, selected: int, rule: str) -> None:
    """What was chosen is right for errors that differ from these by rounding."""
    errors, tiny = expected.errors, 1e-9 * float(expected.errors.max())
    limits = [
        error + (se if rule == "1se" else 0.0)
        for error, se in zip(errors, expected.standard_errors, strict=True)
        if error <= errors.min() + tiny
    ]
    assert errors[selected] <= max(limits) + tiny
    assert (errors[selected + 1 :] > min(limits) - tiny).all()


# A test sample.


@pytest.mark.slow
@given(drawn=grown(), rule=rules, method=st.sampled_from(["rpart", "exact"]), data=st.data())
def test_a_test_sample_judges_every_tree_by_its_own_predictions(
    drawn: tuple[Problem, Fitted], rule: str, method: str, data: st.DataObject
) -> None:
    problem, fitted = drawn
    n = len(problem.new)
    root = fitted.oracle()
    known = np.unique(fitted.y[root.rows])
    codes = known[data.draw(st.lists(st.integers(0, len(known) - 1), min_size=n, max_size=n))]
    w = data.draw(weights(n))
    y = codes if fitted.tree.classes is None else fitted.tree.classes[codes.astype(int)]
    path = cost_complexity_path(fitted.tree, method=method)
    chosen = select(path, problem.new_table, y, rule, sample_weight=w)
    note(str(fitted.tree))
    values = fitted.encode(problem.new_table)
    table = [
        losses(root, kept_ids(fitted.tree, tree), values, codes, fitted.settings)
        for tree in path.trees
    ]
    assert_chosen(path, choose(np.array(table), np.ones(n) if w is None else w, rule))
    assert chosen == path.trees[path.selected or 0]


# Cross-validation. Ordered columns stay out: a fold that lacks a category would shift thresholds
# between codes in a fit of its own.

KINDS = ("numeric", "nominal", "numeric")
Folds = list[tuple[np.ndarray, np.ndarray]]


def fold_rows(y: Array, n_folds: int) -> Folds:
    """Rows dealt out class by class."""
    fold = np.empty(len(y), dtype=int)
    fold[np.argsort(y, kind="stable")] = np.arange(len(y)) % n_folds
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds)]


def usable(problem: Problem, folds: Folds, labels: bool) -> bool:
    """Every fold has rows to learn from and to judge by, and learns of every class."""
    w = np.ones(len(problem.y)) if problem.weights is None else problem.weights
    present = np.unique(problem.y[w > 0])
    for train, test in folds:
        learnt = problem.y[train][w[train] > 0]
        if not len(learnt) or not (w[test] > 0).any():
            return False
        if labels and len(np.unique(learnt)) < len(present):
            return False
    return True


def naive_cv(
    model: Any, problem: Problem, folds: Folds, costs: Array | None, rule: str
) -> Selection:
    """Fit every fold anew, prune it at the typical penalties, predict the rows left out."""
    w = np.ones(len(problem.y)) if problem.weights is None else problem.weights
    alphas = model.pruning_path_.alphas.tolist()
    betas = [math.sqrt(a * b) for a, b in pairwise(alphas)] + [math.inf]
    n_classes = None if costs is None else len(costs)
    settings = Settings(n_classes=n_classes, criterion=model.criterion, cost_matrix=costs)
    table = np.full((len(betas), len(w)), np.nan)
    codes = problem.y if costs is None else np.searchsorted(model.classes_, problem.y)
    for train, test in folds:
        only = np.zeros(len(w))
        only[train] = w[train]
        fold = type(model)(**{**model.get_params(), "pruning": None})
        path = cost_complexity_path(fold.fit(problem.table, problem.y, sample_weight=only).tree_)
        for k, beta in enumerate(betas):
            predicted = path.at(beta).predict(problem.table)
            if costs is not None:
                predicted = np.searchsorted(model.classes_, predicted)
            for row in test[w[test] > 0]:
                table[k, row] = loss(codes[row], predicted[row], settings)
    judged = ~np.isnan(table[0])
    return choose(table[:, judged], w[judged], rule)


@pytest.mark.slow
@given(
    problem=classification(kinds=KINDS, max_classes=3),
    costs=cost_matrices(),
    n_folds=st.integers(2, 4),
    rule=rules,
)
def test_cross_validation_prunes_each_fold_at_the_typical_penalties(
    problem: Problem, costs: Array, n_folds: int, rule: str
) -> None:
    folds = fold_rows(problem.y, n_folds)
    assume(usable(problem, folds, labels=True))
    options = {"pruning": "cost_complexity", "cv": folds, "rule": rule}
    fitted = fit_classifier(problem, "gini", costs, **options)
    matrix = fitted.settings.costs
    path = fitted.model.pruning_path_
    assert_chosen(path, naive_cv(fitted.model, problem, folds, matrix, rule))
    assert fitted.tree == path.trees[path.selected]


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
@given(problem=regression(kinds=KINDS), n_folds=st.integers(2, 4), rule=rules)
def test_cross_validation_of_numbers_sums_errors_by_the_criterion(
    criterion: str, problem: Problem, n_folds: int, rule: str
) -> None:
    folds = fold_rows(problem.y, n_folds)
    assume(usable(problem, folds, labels=False))
    options = {"pruning": "cost_complexity", "cv": folds, "rule": rule}
    fitted = fit_regressor(problem, criterion, **options)
    path = fitted.model.pruning_path_
    assert_chosen(path, naive_cv(fitted.model, problem, folds, None, rule))
    assert fitted.tree == path.trees[path.selected]


def package_grower(problem: Problem, learner: Any, options: dict[str, Any]) -> Any:
    """Grow the oracle's folds with the package, so that ties do not matter."""

    def grow(values: Array, kinds: Sequence[str], y: Array, w: Array, settings: Settings) -> Node:
        table = make_table(values, problem.kinds)
        tree: Tree = learner(**options).fit(table, y, sample_weight=w).tree_
        assume(rules_agree(tree))
        # Codes of the fold's own vocabulary are turned into those of all rows.
        places = {f"c{code:02d}": code for code in range(20)}
        given = nested(tree)
        _translate(given, tree, places)
        return annotate(given, values, kinds, y, w, settings)

    return grow


def _translate(node: dict[str, Any], tree: Tree, places: dict[str, int]) -> None:
    for test in [node, *node.get("surrogates", [])]:
        for side in ("left_categories", "right_categories"):
            if test.get(side):
                words = tree.schema.columns[test["feature"]].categories
                test[side] = [places[str(words[code])] for code in test[side]]
    for child in node["children"]:
        _translate(child, tree, places)


def rules_agree(tree: Tree) -> bool:
    """Whether both rules of pruning give the same sequence."""
    one, other = (cost_complexity_path(tree, method=m) for m in ("rpart", "exact"))
    same_trees = one.n_leaves.tolist() == other.n_leaves.tolist()
    return same_trees and np.allclose(one.alphas, other.alphas, rtol=1e-9, atol=0)


@pytest.mark.slow
@given(problem=classification(kinds=KINDS, max_classes=3), n_folds=st.integers(2, 4), rule=rules)
def test_cross_validation_is_the_oracles_where_both_rules_of_pruning_agree(
    problem: Problem, n_folds: int, rule: str
) -> None:
    folds = fold_rows(problem.y, n_folds)
    assume(usable(problem, folds, labels=True))
    options = {"pruning": "cost_complexity", "cv": folds, "rule": rule}
    fitted = fit_classifier(problem, "gini", **options)
    full = CARTClassifier(**problem.limits).fit(
        problem.table, problem.y, sample_weight=problem.weights
    )
    assume(rules_agree(full.tree_))
    grower = package_grower(problem, CARTClassifier, problem.limits)
    root = Fitted(
        full, fitted.values, fitted.kinds, fitted.y, fitted.weights, fitted.settings
    ).oracle()
    expected = select_by_cv(
        root, problem.cells, problem.kinds, fitted.y, problem.weights, fitted.settings, folds,
        rule, grower,
    )  # fmt: skip
    assert_chosen(fitted.model.pruning_path_, expected)


def test_one_standard_error_gives_a_tree_no_larger_than_the_least_error() -> None:
    rng = np.random.default_rng(3)
    X = rng.random((300, 4))
    y = (X[:, 0] > 0.5) ^ (rng.random(300) < 0.25)
    sizes = [
        CARTClassifier(pruning="cost_complexity", rule=rule, random_state=0)
        .fit(X, y)
        .tree_.n_leaves
        for rule in ("1se", "min")
    ]
    assert 2 <= sizes[0] <= sizes[1] < 40


def test_folds_by_number_are_the_same_for_the_same_seed() -> None:
    rng = np.random.default_rng(4)
    X, y = rng.random((200, 3)), rng.normal(size=200)
    paths = [
        CARTRegressor(pruning="cost_complexity", cv=5, random_state=seed).fit(X, y).pruning_path_
        for seed in (1, 1, 2)
    ]
    assert paths[0].errors.tolist() == paths[1].errors.tolist()
    assert paths[0].errors.tolist() != paths[2].errors.tolist()


def test_risk_and_cross_validated_error_of_a_root_are_of_one_kind() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = 4.0 * np.exp(X[:, 0]) + rng.normal(scale=3.0, size=300)
    path = (
        CARTRegressor("absolute_error", pruning="cost_complexity", random_state=0)
        .fit(X, y)
        .pruning_path_
    )
    assert path.risks[-1] == pytest.approx(np.abs(y - np.median(y)).mean())
    assert path.errors[-1] == pytest.approx(path.risks[-1], rel=0.02)


def test_a_tree_that_was_stored_is_judged_by_its_criterion() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 3))
    y = X[:, 0] + rng.standard_t(2, size=400)
    tree = CARTRegressor("absolute_error").fit(X[:200], y[:200]).tree_
    answers = []
    for copy in (tree, Tree.from_dict(json.loads(json.dumps(tree.to_dict())))):
        path = cost_complexity_path(copy)
        select(path, X[200:], y[200:])
        assert path.errors is not None
        assert path.errors[-1] == pytest.approx(np.abs(y[200:] - tree.root.prediction).mean())
        answers.append(reduced_error(copy, X[200:], y[200:]))
    assert answers[0] == answers[1]
