"""Monotone and interaction constraints: every choice against trying everything, and no exception.

The oracle divides the training rows by the tree's own tests, works out what bounds and groups of
columns the tests above leave to each node, and tries all splits that these allow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from reference import Node, impurity_scale, required_splits, split_gain
from reference.criteria import is_pure
from reference.grow import is_worthwhile, node_counts
from sklearn.base import clone
from sklearn.tree import DecisionTreeRegressor

import spinney
from spinney import CARTClassifier, CARTRegressor

from .fitted import Fitted, fit_classifier, fit_regressor
from .problems import Problem, classification, make_table, regression

NEAR = 1e-9
Groups = list[frozenset[int]]


@dataclass(frozen=True)
class Bounds:
    low: float = -math.inf
    high: float = math.inf

    def clip(self, answer: float) -> float:
        return min(max(answer, self.low), self.high)

    def hold(self, answer: float, margin: float) -> bool:
        return self.low + margin <= answer <= self.high - margin


def own_answer(y: Any, w: Any, settings: Any) -> float:
    """The number that rows predict, or the share of the second class."""
    counts = node_counts(y, w, settings)
    return float(counts[0] if settings.n_classes is None else counts[1] / counts.sum())


@dataclass
class Oracle:
    fitted: Fitted
    signs: tuple[int, ...]
    groups: Groups

    def faults(self) -> list[str]:
        fitted = self.fitted
        root = fitted.oracle()
        self.scale = impurity_scale(fitted.y[root.rows], root.row_weights, fitted.settings)
        self.total = root.weight
        self.near = NEAR * max(1.0, float(np.ptp(fitted.y)))
        found: list[str] = []
        self._walk(root, Bounds(), self.groups, found)
        return found

    def _sign(self, test: Any) -> int:
        """That of the column; whether there is a value at all may be asked of any."""
        return self.signs[test.feature] if self.signs and test.threshold != math.inf else 0

    def _keeps_order(self, node: Node, split: Any, bounds: Bounds, margin: float) -> bool:
        sign = self._sign(split.test)
        if sign == 0:
            return True
        sides = split.test.sides(self.fitted.values[node.rows])
        y, w = self.fitted.y[node.rows], node.row_weights
        left, right = (
            own_answer(y[sides == s], w[sides == s], self.fitted.settings) for s in (0, 1)
        )
        ordered = sign * (right - left) >= margin
        return ordered and bounds.hold(left, margin) and bounds.hold(right, margin)

    def _candidates(self, node: Node, bounds: Bounds, groups: Groups) -> list[Any]:
        fitted, rows = self.fitted, node.rows
        splits = required_splits(
            fitted.values[rows], fitted.kinds, fitted.y[rows], node.row_weights, fitted.settings
        )
        return [
            split
            for split in splits
            if any(split.test.feature in group for group in groups)
            and self._keeps_order(node, split, bounds, self.near)
        ]

    def _walk(self, node: Node, bounds: Bounds, groups: Groups, found: list[str]) -> None:
        settings, y, name = self.fitted.settings, self.fitted.y, f"node {node.id}"
        told = self._told(node.id)
        wanted = bounds.clip(own_answer(y[node.rows], node.row_weights, settings))
        if not math.isclose(told, wanted, abs_tol=self.near):
            found.append(f"{name} answers {told}, wanted {wanted}")
        best = max((s.gain for s in self._candidates(node, bounds, groups)), default=-math.inf)
        if node.is_leaf:
            deep = settings.max_depth is not None and node.depth >= settings.max_depth
            small = node.n_rows < settings.min_samples_split or is_pure(y[node.rows])
            least = max(settings.min_impurity_decrease, 2e-12 * self.scale)
            if not deep and not small and best * node.weight / self.total > least + self.near:
                found.append(f"{name} is a leaf, but {best} could be gained")
            return
        assert node.test is not None
        split = split_gain(
            self.fitted.values[node.rows], y[node.rows], node.row_weights, node.test, settings
        )
        assert split is not None
        if not any(node.test.feature in group for group in groups):
            found.append(f"{name} tests column {node.test.feature} outside of {groups}")
        if not self._keeps_order(node, split, bounds, -self.near):
            found.append(f"{name}: {node.test} goes against the order")
        if split.gain < best - self.near:
            found.append(f"{name} gains {split.gain}, but {best} could be gained")
        if not is_worthwhile(split.gain, node, self.total, self.scale, settings):
            found.append(f"{name} gains too little")
        left = [group for group in groups if node.test.feature in group]
        for child, limit in zip(node.children, self._below(node, bounds), strict=True):
            self._walk(child, limit, left, found)

    def _below(self, node: Node, bounds: Bounds) -> tuple[Bounds, Bounds]:
        assert node.test is not None
        sign = self._sign(node.test)
        if sign == 0:
            return bounds, bounds
        middle = (
            sum(
                bounds.clip(own_answer(self.fitted.y[c.rows], c.row_weights, self.fitted.settings))
                for c in node.children
            )
            / 2
        )
        lower, upper = Bounds(bounds.low, middle), Bounds(middle, bounds.high)
        return (lower, upper) if sign > 0 else (upper, lower)

    def _told(self, id: int) -> float:
        tree = self.fitted.tree
        answer = tree.value if tree.answer is None else tree.answer
        if tree.classes is None:
            return float(answer[id, 0])
        return float(answer[id, 1] / answer[id].sum())


@st.composite
def signs_for(draw: st.DrawFn, kinds: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(0 if kind == "nominal" else draw(st.sampled_from([-1, 0, 1])) for kind in kinds)


@st.composite
def groups_for(draw: st.DrawFn, n_columns: int) -> list[list[int]]:
    one = st.lists(st.integers(0, n_columns - 1), min_size=1, max_size=n_columns, unique=True)
    return draw(st.lists(one, min_size=1, max_size=3))


def with_rest(groups: list[list[int]], n_columns: int) -> Groups:
    named = {column for group in groups for column in group}
    return [*map(frozenset, groups), frozenset(range(n_columns)) - named]


def without_surrogates(problem: Problem) -> dict[str, Any]:
    return {"missing": "majority"} if problem.limits["missing"] == "surrogate" else {}


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification", "twoing"])
@given(problem=classification(max_classes=2), data=st.data())
def test_every_constrained_choice_of_a_classifier_is_a_best_one(
    criterion: str, problem: Problem, data: st.DataObject
) -> None:
    w = np.ones(len(problem.y)) if problem.weights is None else problem.weights
    if len(np.unique(problem.y[w > 0])) < 2:
        return
    n_columns = len(problem.kinds)
    signs, groups = data.draw(signs_for(problem.kinds)), data.draw(groups_for(n_columns))
    options = without_surrogates(problem) | {"monotonic_cst": signs, "interaction_cst": groups}
    fitted = fit_classifier(problem, criterion, **options)
    note(str(fitted.tree))
    assert Oracle(fitted, signs, with_rest(groups, n_columns)).faults() == []
    assert fitted.tree.check_monotonic()


@pytest.mark.slow
@given(problem=regression(), data=st.data())
def test_every_constrained_choice_of_a_regressor_is_a_best_one(
    problem: Problem, data: st.DataObject
) -> None:
    n_columns = len(problem.kinds)
    signs, groups = data.draw(signs_for(problem.kinds)), data.draw(groups_for(n_columns))
    options = without_surrogates(problem) | {"monotonic_cst": signs, "interaction_cst": groups}
    fitted = fit_regressor(problem, **options)
    note(str(fitted.tree))
    assert Oracle(fitted, signs, with_rest(groups, n_columns)).faults() == []
    assert fitted.tree.check_monotonic()


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("weighted", [False, True])
def test_the_tree_is_that_of_scikit_learn(seed: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 400))
    X = rng.normal(size=(n, 4))
    y = X[:, 0] - X[:, 1] ** 2 + rng.normal(size=n)
    w = rng.random(n) if weighted else None
    signs = rng.integers(-1, 2, 4)
    options = {"min_samples_leaf": 8, "monotonic_cst": signs}
    ours = CARTRegressor(**options, max_surrogates=0).fit(X, y, w)
    theirs = DecisionTreeRegressor(**options, random_state=0).fit(X, y, w)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-10)
    assert ours.get_n_leaves() == theirs.get_n_leaves()


# -- Predictions never go against a constraint

SMALL = {"n_estimators": 5, "random_state": 0, "oob_score": False}
MODELS: dict[str, Any] = {
    "cart": lambda end: f"CART{end}",
    "bins": lambda end: (f"CART{end}", {"max_bins": 8}),
    "cost complexity": lambda end: (f"CART{end}", {"pruning": "cost_complexity", "cv": 3}),
    "reduced error": lambda end: (f"CART{end}", {"pruning": "reduced_error"}),
    "raised": lambda end: ("CARTClassifier", {"pruning": "error_based"}),
    "description length": lambda end: ("CARTClassifier", {"pruning": "mdl"}),
    "stopped": lambda end: (f"CART{end}", {"early_stopping": True}),
    "median": lambda end: ("CARTRegressor", {"criterion": "absolute_error"}),
    "shares": lambda end: (f"CART{end}", {"missing": "fractional"}),
    "priors": lambda end: ("CARTClassifier", {"class_weight": "balanced"}),
    "igpa": lambda end: f"IGPA{end}",
    "igpa renewed": lambda end: (f"IGPA{end}", {"labels": "renewed", "recount": False}),
    "forest": lambda end: (f"RandomForest{end}", SMALL),
    "igpa forest": lambda end: (f"IGPAForest{end}", SMALL),
    "bagging": lambda end: (f"Bagging{end}", SMALL),
    "boosting": lambda end: (f"AdaBoost{end}", {"n_estimators": 5, "random_state": 0}),
}


def make_model(name: str, end: str, signs: Any) -> Any:
    made = MODELS[name](end)
    kind, options = made if isinstance(made, tuple) else (made, {})
    cls = getattr(spinney, kind)
    if "monotonic_cst" in cls().get_params():
        return cls(**options, monotonic_cst=signs)
    tree = CARTClassifier if kind.endswith("Classifier") else CARTRegressor
    return cls(tree(max_depth=4, monotonic_cst=signs), **options)


def numbers_of(model: Any, rows: Any) -> Any:
    if hasattr(model, "predict_proba"):
        return model.predict_proba(rows)[:, 1]
    return model.predict(rows)


def violations(model: Any, rows: Any, signs: Any, rng: np.random.Generator) -> int:
    """Count pairs of rows that differ in one constrained column and are predicted against it."""
    count = 0
    shares = getattr(model, "missing", "") == "fractional" and np.isnan(rows).any()
    slack = 1e-12 if shares else 0.0  # shares of a row are added up
    for column in np.flatnonzero(signs):
        higher = rows.copy()
        higher[:, column] = rows[:, column] + rng.exponential(1.0, len(rows))
        step = numbers_of(model, higher) - numbers_of(model, rows)
        count += int((signs[column] * step < -slack).sum())
    return count


@pytest.mark.parametrize("end", ["Classifier", "Regressor"])
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("gaps", [0.0, 0.2], ids=["whole", "gaps"])
def test_no_prediction_goes_against_a_constraint(name: str, end: str, gaps: float) -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(int(rng.integers(20, 120)), 4))
        if seed % 2:
            X = np.round(X, 1)
        y = X[:, 0] + rng.normal(size=len(X))
        X[rng.random(X.shape) < gaps] = np.nan
        signs = rng.integers(-1, 2, 4)
        model = make_model(name, end, signs)
        target = y if not hasattr(model, "predict_proba") else (y > 0).astype(int)
        model.fit(X, target)
        rows = rng.normal(size=(200, 4))
        assert violations(model, rows, signs, rng) == 0
        rows[rng.random(rows.shape) < gaps] = np.nan  # a gap stays a gap in the higher row
        assert violations(model, rows, signs, rng) == 0
        for tree in [model, *getattr(model, "estimators_", [])]:
            assert not hasattr(tree, "tree_") or tree.tree_.check_monotonic()


def test_the_check_finds_what_an_unconstrained_tree_does() -> None:
    X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    tree = CARTRegressor().fit(X, [0.0, 2.0, 1.0, 5.0, 6.0, 7.0]).tree_
    assert not tree.check_monotonic([1, 0])
    assert tree.check_monotonic({"x1": 1})
    assert tree.check_monotonic()


def test_leaves_that_no_pair_of_rows_reaches_are_not_compared() -> None:
    """On the left of x0 only x1 <= 0 is high, on the right only x1 > 0 is low."""
    X = np.array([[a, b] for a in (0.0, 1.0) for b in (0.0, 1.0)])
    tree = CARTRegressor().fit(X, [4.0, 0.0, 5.0, 1.0]).tree_
    assert tree.check_monotonic([1, -1])
    assert not tree.check_monotonic([1, 1])


def columns_of_paths(tree: spinney.Tree) -> list[set[int]]:
    """Columns tested on the way to each leaf."""
    paths = []
    for leaf in tree.leaves:
        columns, node = set(), leaf.parent
        while node is not None:
            columns.add(node.test.feature)
            node = node.parent
        paths.append(columns)
    return paths


def test_interactions_that_are_not_allowed_do_not_occur() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    y = X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3]
    tree = CARTRegressor(interaction_cst="no_interactions", min_samples_leaf=5).fit(X, y).tree_
    assert all(len(columns) <= 1 for columns in columns_of_paths(tree))
    pairs = CARTRegressor(interaction_cst=[["x0", "x1"]], min_samples_leaf=5, max_bins=32)
    used = columns_of_paths(pairs.fit(X, y).tree_)
    assert all(columns <= {0, 1} or columns <= {2, 3} for columns in used)
    assert {0, 1} in used or {2, 3} in used


# -- Bad input

TABLE = make_table(np.array([[1.0, 0], [2.0, 1], [3.0, 0], [4.0, 1]]), ("numeric", "nominal"))


@pytest.mark.parametrize(
    ("settings", "y", "message"),
    [
        ({"monotonic_cst": {"x1": 1}}, [0, 1, 0, 1], "'x1', a nominal column"),
        ({"monotonic_cst": {"x9": 1}}, [0, 1, 0, 1], "names 'x9', which is not a column"),
        ({"monotonic_cst": {5: 1}}, [0, 1, 0, 1], r"names column 5, but X has 2 columns"),
        ({"monotonic_cst": [1]}, [0, 1, 0, 1], "has 1 entries, but X has 2 columns"),
        ({"monotonic_cst": {"x0": 1, 0: -1}}, [0, 1, 0, 1], "cannot have both"),
        ({"monotonic_cst": {"x0": 1}}, [0, 1, 2, 1], "needs two classes"),
        ({"monotonic_cst": {"x0": 2}}, [0, 1, 0, 1], "monotonic_cst must be"),
        ({"monotonic_cst": {"x0": 1}, "splitter": "oblique"}, [0, 1, 0, 1], "oblique"),
        ({"interaction_cst": [["x0", "age"]]}, [0, 1, 0, 1], "names 'age', which is not a column"),
        ({"interaction_cst": "none"}, [0, 1, 0, 1], "interaction_cst must be"),
        ({"interaction_cst": [["x0"]], "splitter": "oblique"}, [0, 1, 0, 1], "oblique"),
    ],
)
def test_a_constraint_that_cannot_be_met_is_refused(
    settings: dict[str, Any], y: Any, message: str
) -> None:
    model = CARTClassifier(**settings)
    with pytest.raises(ValueError, match=message):
        model.fit(TABLE, y)
    assert not hasattr(model, "tree_")


def test_a_warm_start_does_not_change_constraints() -> None:
    model = CARTClassifier(warm_start=True, max_depth=1).fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    model.set_params(monotonic_cst=[1], max_depth=3)
    with pytest.raises(ValueError, match="warm_start would continue"):
        model.fit([[0.0], [1.0], [2.0]], [0, 1, 0])


@pytest.mark.parametrize("end", ["Classifier", "Regressor"])
def test_a_warm_start_finds_bounds_and_groups_again_from_the_tree(end: str) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 4))
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=400)
    y = y if end == "Regressor" else (y > 0).astype(int)
    options = {"monotonic_cst": [1, 0, -1, 1], "interaction_cst": [[0, 1], [1, 2, 3]]}
    model = getattr(spinney, f"CART{end}")(**options, min_samples_leaf=5)
    steps = clone(model).set_params(warm_start=True, max_depth=2).fit(X, y)
    steps.set_params(max_depth=4).fit(X, y)
    steps.set_params(max_depth=None).fit(X, y)
    model.fit(X, y)
    assert steps.get_n_leaves() == model.get_n_leaves() > 20
    assert np.array_equal(numbers_of(steps, X), numbers_of(model, X))


def test_constraints_are_kept_by_files_and_dicts(tmp_path: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    model = CARTClassifier(monotonic_cst={"x0": 1, "x2": -1}).fit(X, y)
    spinney.save(model, tmp_path / "m.spinney")
    forest = spinney.RandomForestClassifier(30, monotonic_cst=[1, 0, -1], random_state=0).fit(X, y)
    spinney.save(forest, tmp_path / "f.spinney")
    again = spinney.load(tmp_path / "m.spinney")
    trees = [
        again.tree_,
        spinney.Tree.from_dict(model.tree_.to_dict()),
        spinney.load(tmp_path / "f.spinney").estimators_[0].tree_,
    ]
    for tree in trees:
        assert tree._state["monotone"].tolist() == [1, 0, -1]
        assert tree.check_monotonic()
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert clone(again).get_params() == model.get_params()


@pytest.mark.parametrize("missing", ["category", "learned"])
@pytest.mark.parametrize("kind", [CARTClassifier, CARTRegressor])
def test_gaps_are_parted_where_no_cut_of_the_values_keeps_the_order(
    kind: Any, missing: str
) -> None:
    x3 = [0, 0, np.nan, np.nan, 0, 0, 0, 0, 1, np.nan, 0, np.nan, 0, np.nan, 0, np.nan]
    x1 = [0] * 8 + [1, 0, 0, 0, 0, 1, 1, 1]
    y = np.array([0] * 10 + [1, 0, 1, 0, 0, 1])
    model = kind(missing=missing, monotonic_cst=[0, -1], categorical_features=[0])
    model.fit(np.column_stack([x1, x3]), y)
    assert "x1 is known" in str(model.tree_)
    assert model.tree_.check_monotonic()
