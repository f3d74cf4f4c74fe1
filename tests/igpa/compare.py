"""Fit a problem with the package and with the oracle, and hold the trees side by side."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from growth.fitted import nested
from reference import Settings, tree_to_dict
from reference.igpa import Grown, Loop, Table, igpa
from sklearn.exceptions import ConvergenceWarning

from spinney import IGPAClassifier, IGPARegressor, Tree, _core
from spinney._settings import random_seed
from spinney._table import encode_with

from .problems import Array, Problem

NEAR = 1e-9


@dataclass(frozen=True)
class Both:
    """A fitted estimator, and what the oracle made of the same problem."""

    model: Any
    warned: bool
    oracle: Grown

    def differences(self) -> list[str]:
        """What differs, in words; nothing is good."""
        found = []
        if self.warned == self.oracle.settled:
            found.append(f"warned: {self.warned}, settled: {self.oracle.settled}")
        if self.model.n_iterations_ != len(self.oracle.history):
            found.append(f"{self.model.n_iterations_} iterations")
        for i, pair in enumerate(zip(self.model.history_, self.oracle.history, strict=False)):
            for name, ours, theirs in zip(pair[1]._fields, *pair, strict=True):
                if not math.isclose(ours, theirs, rel_tol=NEAR, abs_tol=NEAR):
                    found.append(f"iteration {i}: {name} is {ours}, the oracle's {theirs}")
        return [*found, *node_differences(self.model.tree_, self.oracle)]


def node_differences(tree: Tree, oracle: Grown) -> Iterator[str]:
    """Compare trees node for node."""
    ours, theirs = nested(tree), tree_to_dict(oracle.root)
    risks, gains = tree._core.state()["risk"], tree.gain

    def visit(a: dict[str, Any], b: dict[str, Any], path: str) -> Iterator[str]:
        a = a | {"risk": float(risks[a["id"]]), "gain": float(gains[a["id"]])}
        for name in a.keys() & b.keys() - {"id", "children", "surrogates"}:
            if not same(a[name], b[name]):
                yield f"node {path}: {name} is {a[name]}, the oracle's {b[name]}"
        if len(a["children"]) != len(b["children"]):
            yield f"node {path}: {len(a['children'])} children, the oracle's {len(b['children'])}"
            return
        stand_ins = a.get("surrogates", []), b.get("surrogates", [])
        if [s["feature"] for s in stand_ins[0]] != [s["feature"] for s in stand_ins[1]]:
            yield f"node {path}: surrogates {stand_ins[0]}, the oracle's {stand_ins[1]}"
            return
        for one, other in zip(*stand_ins, strict=True):
            wrong = [name for name in one if not same(one[name], other[name])]
            if wrong:
                yield f"node {path}: surrogate {one}, the oracle's {other}"
        for side, pair in enumerate(zip(a["children"], b["children"], strict=True)):
            yield from visit(*pair, f"{path}{'LR'[side]}")

    def with_sums(b: dict[str, Any], node: Any) -> dict[str, Any]:
        children = [with_sums(*pair) for pair in zip(b["children"], node.children, strict=True)]
        gain = 0.0 if node.is_leaf else node.gain
        return b | {"risk": risk_of(node, oracle.settings), "gain": gain, "children": children}

    yield from visit(ours, with_sums(theirs, oracle.root), "-")


def risk_of(node: Any, settings: Settings) -> float:
    """Least cost, or error, of a node's own rows as a leaf; not divided by any weight."""
    if settings.is_classification:
        return float((node.counts @ settings.costs).min())
    return float(node.weight * node.impurity)


def same(a: Any, b: Any) -> bool:
    """Equal, numbers up to rounding."""
    if isinstance(a, str):
        return bool(a == b)
    return np.shape(a) == np.shape(b) and bool(np.allclose(a, b, rtol=NEAR, atol=NEAR))


def fit(model: Any, problem: Problem) -> bool:
    """Fit, and tell whether it was warned that the loop did not settle."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(problem.table, problem.y, sample_weight=problem.weights)
    assert {w.category for w in caught} <= {ConvergenceWarning}
    return len(caught) > 0


def parts_of(model: Any, problem: Problem) -> np.ndarray:
    """The part of each row."""
    target = model._encode_target(problem.y, problem.row_weights).core()
    n_parts = min(model.n_parts, int((problem.row_weights > 0).sum()))
    return np.asarray(_core.deal_parts(target, n_parts, random_seed(model.random_state)))


def solve_classes(
    problem: Problem, criterion: str, costs: Array | None = None, **parameters: Any
) -> Both:
    """Classes. Costs and shares are those of all classes there might be."""
    classes = problem.classes
    chosen = classes.astype(int)
    matrix = None if costs is None else costs[np.ix_(chosen, chosen)]
    shares = {name: parameters[name] for name in ("class_weight", "priors") if name in parameters}
    options, scale = class_scale(problem, shares)
    options = {**problem.options, **parameters, **options}
    model = IGPAClassifier(criterion=criterion, cost_matrix=matrix, **options)
    warned = fit(model, problem)
    settings = oracle_settings(
        problem, n_classes=len(classes), criterion=criterion, cost_matrix=matrix
    )
    search, split_scale = settings, None
    if matrix is not None and matrix.any() and parameters.get("cost_method") == "altered_priors":
        search = settings.but(cost_matrix=None)
        plain = np.ones(len(classes)) if scale is None else scale
        altered = plain * matrix.sum(axis=1)
        totals = class_totals(problem)
        split_scale = altered * (plain @ totals) / (altered @ totals)  # the sum stays the same
    codes = np.searchsorted(classes, problem.y).clip(max=len(classes) - 1).astype(float)
    return solve(model, warned, problem, codes, (scale, split_scale), (settings, search))


def class_totals(problem: Problem) -> Array:
    return np.array([problem.row_weights[problem.y == c].sum() for c in problem.classes])


def class_scale(problem: Problem, shares: dict[str, Any]) -> tuple[dict[str, Any], Array | None]:
    """The parameter as the estimator takes it, and the factor of each class."""
    classes, w = problem.classes, problem.row_weights
    totals = class_totals(problem)
    if not shares:
        return {}, None
    [(name, given)] = shares.items()
    if given == "balanced":
        return shares, w.sum() / (len(classes) * totals)
    numbers = np.array(given)[classes.astype(int)]
    if name == "priors":
        numbers = numbers / numbers.sum()
    options = {name: dict(zip(classes.tolist(), numbers.tolist(), strict=True))}
    return options, numbers * w.sum() / totals if name == "priors" else numbers


def solve_numbers(problem: Problem, criterion: str = "squared_error") -> Both:
    """Regression; rows are judged by the criterion."""
    model = IGPARegressor(criterion, **problem.options)
    warned = fit(model, problem)
    settings = oracle_settings(problem, n_classes=None, criterion=criterion)
    return solve(model, warned, problem, problem.y, (None, None), (settings, settings))


def oracle_settings(problem: Problem, **others: Any) -> Settings:
    known = {field.name for field in fields(Settings)}
    limits = {name: value for name, value in problem.options.items() if name in known}
    return Settings(**limits, **others)


def solve(
    model: Any,
    warned: bool,
    problem: Problem,
    y: Array,
    scales: tuple[Array | None, Array | None],
    settings: tuple[Settings, Settings],
) -> Both:
    """Hand the problem and the parts of its rows to the oracle."""
    values = np.asarray(encode_with(model.tree_.schema, problem.table))
    assert tuple(column.kind for column in model.tree_.schema.columns) == problem.kinds
    known = {field.name for field in fields(Loop)}
    loop = Loop(**{name: v for name, v in problem.options.items() if name in known})
    table = Table(values, problem.kinds, y, problem.row_weights, *scales)
    return Both(model, warned, igpa(table, parts_of(model, problem), *settings, loop))
