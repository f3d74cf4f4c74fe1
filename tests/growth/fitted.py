"""Fit a problem with the package, and hand the tree to the oracle."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from reference import Node, Settings, annotate, check_tree, impurity_scale, node_risks

from spinney import CARTClassifier, CARTRegressor, Tree
from spinney._table import encode_with

from .problems import Array, Problem


@dataclass(frozen=True)
class Fitted:
    """A fitted estimator, with its training rows and settings as the oracle wants them."""

    model: Any
    values: Array
    kinds: tuple[str, ...]
    y: Array
    weights: Array | None
    settings: Settings

    @property
    def tree(self) -> Tree:
        tree: Tree = self.model.tree_
        return tree

    @property
    def nested(self) -> dict[str, Any]:
        return nested(self.tree)

    def faults(self, strict_ties: bool = False) -> list[str]:
        return check_tree(
            self.nested, self.values, self.kinds, self.y, self.weights, self.settings, strict_ties
        )

    def oracle(self, tree: Tree | None = None) -> Node:
        """The tree as the oracle knows it: its own numbers, from the training rows."""
        given = nested(self.tree if tree is None else tree)
        return annotate(given, self.values, self.kinds, self.y, self.weights, self.settings)

    def encode(self, table: Any) -> Array:
        return np.asarray(encode_with(self.tree.schema, table))


def nested(tree: Tree, node_id: int = 0) -> dict[str, Any]:
    """The nested dict that the oracle reads."""
    node = tree[node_id]
    result: dict[str, Any] = {
        "id": node.id,
        "counts": tree.value[node_id].tolist(),
        "n_samples": node.n_samples,
        "weight": node.weight,
        "impurity": node.impurity,
        "children": [nested(tree, child.id) for child in node.children],
    }
    if not node.is_leaf:
        assert node.default_child is not None
        result |= _test(node.test, tree)
        result["majority"] = node.default_child.id - node.children[0].id
        result["surrogates"] = [
            _test(s.test, tree, s.reversed) | {"agreement": s.agreement} for s in node.surrogates
        ]
    return result


def _test(test: Any, tree: Tree, turned: bool = False) -> dict[str, Any]:
    if test.kind == "threshold":
        threshold = {"threshold": test.threshold, "reverse": turned}
        return {"kind": "threshold", "feature": test.feature, **threshold}
    column = tree.schema.columns[test.feature]
    sides = [
        sorted(column.categories.index(c) for c in part)
        for part in (test.categories, test.other_categories)
    ]
    left, right = reversed(sides) if turned else sides
    return {
        "kind": "subset",
        "feature": test.feature,
        "left_categories": left,
        "right_categories": right,
    }


def fit_classifier(
    problem: Problem, criterion: Any = "gini", costs: Array | None = None, **parameters: Any
) -> Fitted:
    """Fit classes. Costs are those of all classes there might be; the ones present are taken."""
    w = np.ones(len(problem.y)) if problem.weights is None else problem.weights
    classes = np.unique(problem.y[w > 0])
    chosen = classes.astype(int)
    matrix = None if costs is None else costs[np.ix_(chosen, chosen)]
    options = {**problem.limits, **parameters}
    model = CARTClassifier(criterion, cost_matrix=matrix, **options)
    model.fit(problem.table, problem.y, sample_weight=problem.weights)
    assert model.classes_.tolist() == classes.tolist()
    codes = np.searchsorted(classes, problem.y).clip(max=len(classes) - 1).astype(float)
    limits = oracle_limits(options, w)
    settings = Settings(n_classes=len(classes), criterion=criterion, cost_matrix=matrix, **limits)
    return _fitted(model, problem, codes, settings)


def fit_regressor(problem: Problem, criterion: str = "squared_error", **parameters: Any) -> Fitted:
    """Fit numbers."""
    w = np.ones(len(problem.y)) if problem.weights is None else problem.weights
    options = {**problem.limits, **parameters}
    model = CARTRegressor(criterion, **options)
    model.fit(problem.table, problem.y, sample_weight=problem.weights)
    limits = oracle_limits(options, w)
    settings = Settings(n_classes=None, criterion=criterion, **limits)
    return _fitted(model, problem, problem.y, settings)


def oracle_limits(options: dict[str, Any], w: Array) -> dict[str, Any]:
    """The parameters that the oracle knows, under its names."""
    known = {field.name for field in fields(Settings)} - {"criterion", "cost_matrix"}
    limits = {name: value for name, value in options.items() if name in known}
    limits["min_weight_leaf"] = options.get("min_weight_fraction_leaf", 0.0) * math.fsum(w)
    return limits


def _fitted(model: Any, problem: Problem, y: Array, settings: Settings) -> Fitted:
    tree = model.tree_
    values = np.asarray(encode_with(tree.schema, problem.table))
    assert tuple(column.kind for column in tree.schema.columns) == problem.kinds
    return Fitted(model, values, problem.kinds, y, problem.weights, settings)


def number_faults(fitted: Fitted) -> list[str]:
    """Gains and risks that the tree reports, against the oracle's."""
    root, tree = fitted.oracle(), fitted.tree
    scale = impurity_scale(fitted.y[root.rows], root.row_weights, fitted.settings)
    risks = node_risks(root, fitted.settings)
    faults = []
    for node in root.walk():
        risk, gain = float(tree.risk[node.id]), float(tree.gain[node.id])
        if not math.isclose(risk, risks[node.id], abs_tol=1e-9 * scale):
            faults.append(f"node {node.id}: risk {risk}, counted {risks[node.id]}")
        counted = 0.0 if node.is_leaf else node.gain * node.weight
        if not math.isclose(gain, counted, abs_tol=1e-9 * scale * root.weight):
            faults.append(f"node {node.id}: gain {gain}, counted {counted}")
    return faults
