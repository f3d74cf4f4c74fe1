"""The checker: it passes good trees, and names what is wrong with bad ones."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from . import (
    Settings,
    check_tree,
    grow,
    tree_to_dict,
)
from .conftest import COSTS, KINDS, make_table
from .settings import Array


def some_settings() -> Iterator[Settings]:
    criteria: list[Any] = ["gini", "entropy", "misclassification", "exponent", "twoing"]
    criteria.append(lambda p: 1 - (p**3).sum(axis=1))
    for criterion in criteria:
        yield Settings(n_classes=3, criterion=criterion)
    yield Settings(n_classes=3, cost_matrix=COSTS)
    yield Settings(n_classes=3, missing="majority", min_samples_leaf=3)
    yield Settings(n_classes=3, missing="fractional", min_impurity_decrease=0.02)
    yield Settings(n_classes=3, max_depth=2, max_surrogates=1, min_samples_split=8)
    yield Settings(n_classes=3, min_weight_leaf=5.0)
    yield Settings(n_classes=None)
    yield Settings(n_classes=None, missing="fractional", max_depth=3)
    yield Settings(n_classes=None, criterion="absolute_error")


@pytest.mark.parametrize("settings", [*some_settings()])
@pytest.mark.parametrize("seed", range(3))
def test_grown_trees_pass(settings: Settings, seed: int) -> None:
    values, codes, reals, w = make_table(seed)
    y = codes if settings.is_classification else reals
    tree = tree_to_dict(grow(values, KINDS, y, w, settings))
    assert check_tree(tree, values, KINDS, y, w, settings, strict_ties=True) == []


def test_whole_weights_act_as_repeated_rows() -> None:
    values, codes, _, w = make_table(5)
    settings = Settings(n_classes=3)
    twice = np.repeat(np.arange(len(w)), w.astype(int))
    one = tree_to_dict(grow(values, KINDS, codes, w, settings.but(missing="majority")))
    faults = check_tree(
        one, values[twice], KINDS, codes[twice], None, settings.but(missing="majority")
    )
    assert faults  # the numbers of rows differ
    assert {text.split(": ")[1].split()[0] for text in faults} == {"n_samples"}


def sklearn_dict(model: Any, node: int = 0) -> dict[str, Any]:
    """A scikit-learn tree as a nested dict; its values are shares, ours class weights."""
    tree = model.tree_
    weight = tree.weighted_n_node_samples[node]
    value = tree.value[node, 0]
    result: dict[str, Any] = {
        "counts": (value * weight if hasattr(model, "classes_") else value).tolist(),
        "n_samples": int(tree.n_node_samples[node]),
        "impurity": float(tree.impurity[node]),
    }
    if tree.children_left[node] >= 0:
        sides = (tree.children_left[node], tree.children_right[node])
        result |= {
            "kind": "threshold",
            "feature": int(tree.feature[node]),
            "threshold": float(tree.threshold[node]),
            "children": [sklearn_dict(model, int(side)) for side in sides],
        }
    return result


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "absolute_error"])
@pytest.mark.parametrize(
    "limits",
    [{}, {"max_depth": 3, "min_samples_leaf": 3}, {"min_impurity_decrease": 0.02}],
    ids=str,
)
def test_scikit_learn_trees_pass(criterion: str, limits: dict[str, Any]) -> None:
    values, codes, reals, w = make_table(7, gaps=0)
    kept = w > 0
    values, codes, reals, w = values[kept], codes[kept], reals[kept], w[kept]
    if criterion.endswith("error"):
        y, settings = reals, Settings(n_classes=None, criterion=criterion, **limits)
        model = DecisionTreeRegressor(criterion=criterion, random_state=0, **limits)
    else:
        y, settings = codes, Settings(n_classes=3, criterion=criterion, **limits)
        model = DecisionTreeClassifier(criterion=criterion, random_state=0, **limits)
    model.fit(values, y, sample_weight=w)
    assert model.tree_.node_count > 3
    faults = check_tree(sklearn_dict(model), values, ["numeric"] * 4, y, w, settings)
    assert faults == []


# Every way to spoil a tree below must be found.


def spoil_threshold(node: dict[str, Any]) -> None:
    node["threshold"] += 0.01


def spoil_feature(node: dict[str, Any]) -> None:
    node.update(feature=2, threshold=0.5)


def spoil_counts(node: dict[str, Any]) -> None:
    node["counts"][0] += 1


def spoil_children(node: dict[str, Any]) -> None:
    node["children"].reverse()


def spoil_by_stopping(node: dict[str, Any]) -> None:
    node.update(kind=None, children=[])


def spoil_surrogate_order(node: dict[str, Any]) -> None:
    node["surrogates"].reverse()


def spoil_surrogate_direction(node: dict[str, Any]) -> None:
    first = node["surrogates"][0]
    first["reverse"] = not first["reverse"]


def spoil_surrogate_agreement(node: dict[str, Any]) -> None:
    node["surrogates"][0]["agreement"] += 0.01


def spoil_surrogate_number(node: dict[str, Any]) -> None:
    node["surrogates"].pop(0)


def spoil_majority(node: dict[str, Any]) -> None:
    node["majority"] = 1 - node["majority"]


def spoil_n_samples(node: dict[str, Any]) -> None:
    node["n_samples"] += 1


def spoil_impurity(node: dict[str, Any]) -> None:
    node["impurity"] *= 0.99


@pytest.fixture
def planted() -> tuple[dict[str, Any], Array, Array]:
    """Column 0 decides, columns 1 and 3 are good stand-ins for it, column 2 is noise."""
    rng = np.random.default_rng(1)
    x = np.arange(25.0)
    values = np.column_stack([x, (x > 10) + 0.0, rng.integers(0, 2, 25), 30 - x])
    values[:3, 1], values[:2, 3], values[11:13, 0] = 1, 3, np.nan
    y = (x > 11).astype(float)
    y[20] = 0
    return tree_to_dict(grow(values, KINDS, y, None, Settings())), values, y


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (spoil_threshold, "not halfway"),
        (spoil_feature, "but Test(feature=0"),
        (spoil_counts, "counts are"),
        (spoil_children, "counts are"),
        (spoil_by_stopping, "is a leaf"),
        (spoil_surrogate_order, "wrong order"),
        (spoil_surrogate_direction, "agrees on"),
        (spoil_surrogate_agreement, "says it agrees"),
        (spoil_surrogate_number, "is absent"),
        (spoil_majority, "majority side"),
        (spoil_n_samples, "n_samples is"),
        (spoil_impurity, "impurity is"),
    ],
)
def test_a_spoilt_root_is_found(
    planted: tuple[dict[str, Any], Array, Array], spoil: Any, words: str
) -> None:
    tree, values, y = planted
    assert check_tree(tree, values, KINDS, y, None, Settings()) == []
    spoilt = deepcopy(tree)
    spoil(spoilt)
    faults = check_tree(spoilt, values, KINDS, y, None, Settings())
    assert any(words in text for text in faults)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"max_depth": 1}, "at max_depth=1"),
        ({"min_samples_split": 13}, "is divided with"),
        ({"min_samples_leaf": 2}, "rows with a value"),
        ({"min_weight_leaf": 2.0}, "the lighter one weighs 1.0"),
        ({"min_impurity_decrease": 0.2}, "too small"),
        ({"max_surrogates": 1}, "2 surrogates"),
        ({"missing": "majority"}, "has surrogates"),
    ],
)
def test_a_tree_grown_past_its_limits_is_found(
    planted: tuple[dict[str, Any], Array, Array], changes: dict[str, Any], words: str
) -> None:
    tree, values, y = planted
    faults = check_tree(tree, values, KINDS, y, None, Settings(**changes))
    assert any(words in text for text in faults)


def test_subset_sides_must_hold_exactly_the_nodes_categories() -> None:
    values, y = np.array([[1.0], [2], [2], [4]]), np.array([0.0, 1, 1, 1])
    tree = tree_to_dict(grow(values, ["nominal"], y, None, Settings()))
    assert check_tree(tree, values, ["nominal"], y, None, Settings()) == []
    for left, right in [([1, 3], [2, 4]), ([1], [2])]:
        tree.update(left_categories=left, right_categories=right)
        faults = check_tree(tree, values, ["nominal"], y, None, Settings())
        assert "sides have categories" in faults[0]
    tree.update(left_categories=[2, 4], right_categories=[1], majority=0)
    tree["children"].reverse()
    (fault,) = check_tree(tree, values, ["nominal"], y, None, Settings())
    assert "on the second side" in fault


def test_ties_are_faults_only_when_strict() -> None:
    values, y = np.array([[0.0, 0], [1, 1]]), np.array([0.0, 1])
    tree = tree_to_dict(grow(values, ["numeric"] * 2, y, None, Settings()))
    tree["feature"] = 1
    args = (tree, values, ["numeric"] * 2, y, None, Settings())
    assert check_tree(*args) == []
    (fault,) = check_tree(*args, strict_ties=True)
    assert "comes first" in fault
