"""Tests that place missing values: where gaps go, and that all readers of a tree know it."""

from __future__ import annotations

import math
import sqlite3
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, note, settings
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import spinney
from spinney import (
    AdaBoostClassifier,
    BaggingClassifier,
    CARTClassifier,
    CARTRegressor,
    IGPAClassifier,
    RandomForestClassifier,
    Tree,
)
from spinney.export import from_json, to_json, to_python, to_sql

from .problems import Problem, classification, regression

RULES = ["learned", "category"]
few_examples = settings(max_examples=max(1, settings.default.max_examples // 4))


def gappy(n: int = 400, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Return a number and a category whose gaps say something, and a number whose gaps do not."""
    rng = np.random.default_rng(seed)
    x, z, c = rng.normal(size=n), rng.normal(size=n), rng.choice(list("abcd"), n).astype(object)
    no_x, no_z, no_c = (rng.random(n) < share for share in (0.2, 0.1, 0.2))
    y = np.where(no_x, z > 0, (x > 0.5) | (no_c & (z > 1)))
    frame = {"x": np.where(no_x, np.nan, x), "z": np.where(no_z, np.nan, z)}
    return pd.DataFrame({**frame, "c": np.where(no_c, None, c)}), y.astype(int)


# -- What tests look like


@pytest.mark.parametrize("rule", RULES)
def test_gaps_alone_are_told_from_all_values(rule: str) -> None:
    X = np.array([[1.0], [np.nan], [3.0], [np.nan], [2.0]])
    tree = CARTClassifier(missing=rule).fit(X, [0, 1, 0, 1, 0]).tree_
    assert str(tree.root.test) == "x0 is known"
    assert [tree.root.test.branch_text(b) for b in (0, 1)] == ["x0 is known", "x0 is missing"]
    assert tree.threshold[0] == math.inf
    assert tree.root.test.branch(np.nan) == 1
    assert [str(rule.conditions[0]) for rule in tree.rules()] == ["x0 is known", "x0 is missing"]


def test_learned_gaps_go_to_the_side_that_gains_most() -> None:
    X = np.array([[1.0], [2.0], [3.0], [4.0], [np.nan], [np.nan]])
    low = CARTClassifier(missing="learned").fit(X, [0, 0, 1, 1, 0, 0]).tree_
    assert str(low.root.test) == "x0 <= 2.5 or missing"
    assert low.root.test.branch_text(1) == "x0 > 2.5"
    assert low.n_leaves == 2
    high = CARTClassifier(missing="learned").fit(X, [0, 0, 1, 1, 1, 1]).tree_
    assert str(high.root.test) == "x0 <= 2.5"
    assert high.root.test.branch_text(1) == "x0 > 2.5 or missing"


def test_a_gap_as_a_category_is_beyond_the_largest_value() -> None:
    X = np.array([[1.0], [2.0], [3.0], [4.0], [np.nan], [np.nan]])
    tree = CARTClassifier(missing="category").fit(X, [0, 0, 1, 1, 0, 0]).tree_
    assert {str(node.test) for node in tree if not node.is_leaf} == {"x0 <= 2.5", "x0 is known"}
    assert tree.n_leaves == 3


@pytest.mark.parametrize("rule", RULES)
def test_a_gap_in_a_nominal_column_is_a_category(rule: str) -> None:
    X = pd.DataFrame({"c": ["a", "b", None, "d", "a", "b", None, "d"]})
    tree = CARTClassifier(missing=rule).fit(X, [0, 1, 1, 0, 0, 1, 1, 0]).tree_
    assert str(tree.root.test) == "c in {a, d}"
    assert tree.root.test.branch_text(1) == "c in {b} or missing"
    assert tree.n_leaves == 2
    assert tree.root.test.branch("never seen") == 1  # as a gap


@pytest.mark.parametrize("rule", RULES)
def test_without_gaps_in_training_they_go_to_the_larger_child(rule: str) -> None:
    X = np.arange(10.0).reshape(-1, 1)
    for n_low, larger in ((3, 1), (7, 0)):
        y = (np.arange(10) >= n_low).astype(int)
        model = CARTClassifier(missing=rule).fit(X, y)
        assert model.tree_.root.test.gaps == larger
        assert model.predict([[np.nan]]) == [larger]


def test_an_ordered_column_says_where_gaps_go() -> None:
    sizes = pd.Categorical(["S", "M", "L", None] * 3, ["S", "M", "L"], ordered=True)
    X = pd.DataFrame({"size": sizes})
    tree = CARTClassifier(missing="learned").fit(X, ["a", "b", "b", "a"] * 3).tree_
    assert str(tree.root.test) == "size <= S or missing"
    known = CARTClassifier(missing="learned").fit(X, ["a", "a", "a", "b"] * 3).tree_
    assert str(known.root.test) == "size is known"
    assert Tree.from_dict(known.to_dict()) == known


def test_a_tree_written_by_hand_says_where_gaps_go() -> None:
    leaves = [{"test": None, "counts": counts} for counts in ([4, 1], [1, 4])]
    for text, branch in (("income <= 36 or missing", 0), ("income is known", 1)):
        root = {"test": text, "children": [1, 2], "counts": [5, 5]}
        data = {"classes": ["bad", "good"], "features": ["income"], "missing": "learned"}
        tree = Tree.from_dict({**data, "nodes": [root, *leaves]})
        assert str(tree.root.test) == text
        assert tree.root.default_child == tree[1 + branch]


def test_rows_of_both_sides_count_the_gaps() -> None:
    X = np.array([[1.0], [2.0], [np.nan], [np.nan], [np.nan]])
    y = [0, 1, 0, 0, 0]
    assert CARTClassifier(missing="learned", min_samples_leaf=2).fit(X, y).tree_.n_leaves == 2
    assert CARTClassifier(missing="majority", min_samples_leaf=2).fit(X, y).tree_.n_leaves == 1


# -- Everything that reads a tree


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("model", [CARTClassifier, CARTRegressor], ids=["classes", "numbers"])
def test_every_form_of_a_tree_sends_gaps_the_same_way(rule: str, model: Any) -> None:
    X, y = gappy()
    tree = model(missing=rule).fit(X, y).tree_
    predicted = model(missing=rule).fit(X, y).predict(X)
    rows = [[None if v != v else v for v in row] for row in X.itertuples(index=False)]
    assert Tree.from_dict(tree.to_dict()) == tree
    assert from_json(to_json(tree)) == tree
    np.testing.assert_array_equal(tree.rules().predict(X), predicted)
    module: dict[str, Any] = {}
    exec(to_python(tree), module)
    np.testing.assert_allclose([module["predict"](row) for row in rows], predicted)
    np.testing.assert_allclose(_by_sql(to_sql(tree, "t", keep=["x"]), rows), predicted)
    assert " or missing" in tree.to_text()


def _by_sql(query: str, rows: list[list[Any]]) -> list[Any]:
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE t (x REAL, z REAL, c TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        return [found[-1] for found in connection.execute(query)]


@pytest.mark.parametrize("rule", RULES)
def test_pruned_rules_cover_gaps_in_all_their_forms(rule: str, tmp_path: Any) -> None:
    X, y = gappy()
    rules = CARTClassifier(missing=rule).fit(X, y).tree_.rules().prune(X, y)
    assert any("missing" in str(r) for r in rules)
    rows = [[None if v != v else v for v in row] for row in X.itertuples(index=False)]
    predicted = rules.predict(X)
    assert (predicted == y).mean() > 0.95
    module: dict[str, Any] = {}
    exec(to_python(rules), module)
    assert [module["predict"](row) for row in rows] == predicted.tolist()
    assert _by_sql(to_sql(rules, "t", keep=["x"]), rows) == predicted.tolist()
    spinney.save(rules, tmp_path / "rules.spinney")
    kept = spinney.load(tmp_path / "rules.spinney")
    assert [str(r) for r in kept] == [str(r) for r in rules]
    np.testing.assert_array_equal(kept.predict(X), predicted)


@pytest.mark.parametrize("rule", RULES)
def test_a_gap_is_explained_by_the_condition_that_admits_it(rule: str) -> None:
    X, y = gappy()
    model = CARTClassifier(missing=rule, max_depth=3).fit(X, y)
    row = X[X["x"].isna()].iloc[0]
    fired = model.explain(row).fired[0]
    assert any("missing" in str(c) for c in fired.rule.conditions)
    assert "not known" not in str(fired)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    "make",
    [
        lambda rule: RandomForestClassifier(20, missing=rule, random_state=0),
        lambda rule: BaggingClassifier(CARTClassifier(missing=rule), n_estimators=9),
        lambda rule: AdaBoostClassifier(CARTClassifier(missing=rule, max_depth=2), n_estimators=9),
        lambda rule: IGPAClassifier(missing=rule, random_state=0),
        lambda rule: CARTClassifier(missing=rule, max_bins=64),
        lambda rule: CARTClassifier(missing=rule, pruning="cost_complexity", random_state=0),
    ],
    ids=["forest", "bagging", "boosting", "IGPA", "bins", "pruned"],
)
def test_every_learner_of_binary_trees_learns_from_gaps(rule: str, make: Any) -> None:
    X, y = gappy(600)
    assert make(rule).fit(X[:400], y[:400]).score(X[400:], y[400:]) > 0.9


@pytest.mark.parametrize("rule", RULES)
def test_a_forest_sends_gaps_the_same_way_coded_or_not(rule: str) -> None:
    X, y = gappy(300)
    forest = RandomForestClassifier(30, missing=rule, random_state=0).fit(X, y)
    votes = np.mean([member.predict(X) for member in forest.estimators_], axis=0)
    many = pd.concat([X] * 40, ignore_index=True)  # often enough asked to be coded
    for _ in range(3):
        np.testing.assert_allclose(forest.predict_proba(many)[:300, 1], votes)


@pytest.mark.parametrize("rule", RULES)
def test_many_bins_are_as_good_as_exact_search(rule: str) -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 40, (6000, 4)).astype(float)
    X[rng.random(X.shape) < 0.15] = np.nan
    y = np.nansum(X[:, :2], axis=1) + 30 * np.isnan(X[:, 2]) + rng.normal(size=6000)
    exact, binned = (
        CARTRegressor(missing=rule, max_depth=6, max_bins=bins).fit(X, y).tree_
        for bins in (None, 64)
    )
    assert exact.to_text() == binned.to_text()


@pytest.mark.parametrize("rule", RULES)
def test_a_constrained_column_may_still_tell_gaps_from_values(rule: str) -> None:
    x = np.r_[np.arange(40.0), np.full(20, np.nan)]
    y = np.r_[np.arange(40.0), np.full(20, -50.0)]
    X = x.reshape(-1, 1)
    model = CARTRegressor(missing=rule, monotonic_cst=[1], max_depth=3).fit(X, y)
    assert model.predict([[np.nan]])[0] == -50.0
    assert model.tree_.check_monotonic()
    assert (np.diff(model.predict(np.arange(40.0).reshape(-1, 1))) >= 0).all()


@few_examples
@given(problem=regression(kinds=("numeric", "numeric")))
def test_values_stay_in_order_where_gaps_are_placed(problem: Problem) -> None:
    signs = (1, -1)
    for rule in RULES:
        model = CARTRegressor(missing=rule, monotonic_cst=signs, max_bins=None)
        model.fit(problem.cells, problem.y, sample_weight=problem.weights)
        note(str(model.tree_))
        assert model.tree_.check_monotonic()
        grid = np.unique(problem.cells[~np.isnan(problem.cells)])
        for column, sign in enumerate(signs):
            for other in (np.nan, 0.0):  # also beside a gap in the other column
                rows = np.full((len(grid), 2), other)
                rows[:, column] = grid
                steps = np.diff(model.predict(rows)) if len(grid) else np.zeros(0)
                assert (sign * steps >= -1e-9).all()


# -- Against scikit-learn, whose trees place gaps, too


@few_examples
@given(problem=classification(kinds=("numeric", "numeric", "numeric"), max_classes=3))
def test_the_first_split_is_as_good_as_scikit_learns(problem: Problem) -> None:
    _compare(problem, CARTClassifier, DecisionTreeClassifier)


@few_examples
@given(problem=regression(kinds=("numeric", "numeric", "numeric")))
def test_the_first_split_of_numbers_is_as_good_as_scikit_learns(problem: Problem) -> None:
    _compare(problem, CARTRegressor, DecisionTreeRegressor)


def _compare(problem: Problem, ours: Any, theirs: Any) -> None:
    """scikit-learn takes values for equal that differ by 1e-7, and none that are so here."""
    w = problem.weights
    X = np.round(problem.cells, 3)
    mine = ours(missing="learned", max_depth=1).fit(X, problem.y, sample_weight=w)
    peer = theirs(max_depth=1, random_state=0).fit(X, problem.y, sample_weight=w)
    note(str(mine.tree_))
    leaves = mine.tree_.weight * mine.tree_.impurity * (mine.tree_.first_child < 0)
    tree = peer.tree_
    left = tree.weighted_n_node_samples * tree.impurity * (tree.children_left < 0)
    scale = max(1.0, float(np.abs(problem.y).max()) ** 2) * mine.tree_.weight[0]
    assert leaves.sum() <= left.sum() + 1e-9 * scale


# -- Rows without any value


def test_rows_without_any_value_can_be_left_out() -> None:
    X, y = gappy(200)
    empty = pd.DataFrame({"x": [np.nan] * 9, "z": [np.nan] * 9, "c": [None] * 9})
    both, target = pd.concat([X, empty], ignore_index=True), np.r_[y, np.ones(9, int)]
    some = ~both.isna().all(axis=1).to_numpy()
    settings: dict[str, Any] = {"pruning": "cost_complexity", "cv": 5, "random_state": 0}
    kept = CARTClassifier(**settings).fit(both, target).tree_
    assert kept.n_samples[0] == 209
    dropped = CARTClassifier(all_missing="drop", **settings).fit(both, target).tree_
    assert dropped.n_samples[0] == some.sum()
    grown = CARTClassifier(all_missing="drop").fit(both, target).tree_
    assert grown == CARTClassifier().fit(both[some], target[some]).tree_
    bagged = BaggingClassifier(CARTClassifier(all_missing="drop"), n_estimators=3, random_state=0)
    assert max(m.tree_.weight[0] for m in bagged.fit(both, target).estimators_) <= some.sum()


def test_a_table_without_any_value_is_refused_if_such_rows_are_left_out() -> None:
    X = np.full((4, 2), np.nan)
    assert CARTClassifier().fit(X, [0, 1, 0, 1]).tree_.n_leaves == 1
    with pytest.raises(ValueError, match="no row of X has any value, and all_missing='drop'"):
        CARTClassifier(all_missing="drop").fit(X, [0, 1, 0, 1])
    with pytest.raises(ValueError, match="all_missing must be"):
        CARTClassifier(all_missing="omit").fit(X, [0, 1, 0, 1])
