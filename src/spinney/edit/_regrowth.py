"""Trees that some rows give under tests chosen by hand, and how well these do.

The tests are forced on a new growth (`forced_tests` of CART), so that counts, risks, surrogate
splits and answers are those of the rows, and so are the trees of a cross-validation.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from spinney import _core
from spinney._base import core_dataset, encode_training
from spinney._counts import with_exposure
from spinney._folds import make_folds
from spinney._settings import thread_count
from spinney._table import Schema
from spinney._target import FitTarget
from spinney._typing import Floats
from spinney.edit._history import Competitor
from spinney.tree._cart import CARTLearner, CARTRegressor
from spinney.tree._forced import Tests, tests_to_dict
from spinney.tree._learner import ALL_ROWS
from spinney.tree._node import Node
from spinney.tree._tree import Tree

_N_FOLDS, _SEED = 10, 0  # the same folds for every edit, so that their effects compare
_FREE = {  # what would keep tests that were chosen by hand from being used
    "pruning": None,
    "ccp_alpha": None,
    "max_bins": None,
    "max_leaf_nodes": None,
    "early_stopping": False,
    "warm_start": False,
}


class Regrowth:
    """Rows, and a model with whose parameters trees are grown on them.

    Parameters
    ----------
    model : CARTClassifier or CARTRegressor
        A fitted tree.
    X, y, sample_weight, exposure : table and arrays
        As for its `fit`.
    """

    def __init__(self, model: Any, X: Any, y: Any, sample_weight: Any, exposure: Any) -> None:
        _refuse_others(model, exposure)
        self.model = model
        target = y if exposure is None else with_exposure(y, exposure)
        self.values, self.schema, self.target = encoded(model, X, target, sample_weight)

    def need(self, action: str) -> None:
        """Refuse what cannot be done with these trees: nothing."""

    def tree(self, tests: Tests, max_depth: int | None = None, *, strict: bool = True) -> Tree:
        """Return the tree that the rows give.

        Parameters
        ----------
        tests : mapping
            By path; None for a leaf that stays one. Leaves that are not named are grown.
        max_depth : int or None
            Where growth ends; None for where it ends in the model.
        strict : bool
            Whether a test that sends all rows the same way is an error, or makes a leaf.
        """
        learner = self._learner(tests, max_depth, strict)
        tree: Tree = learner.learn(self.values, self.schema, self.target)["tree_"]
        return tree

    def _learner(self, tests: Tests, max_depth: int | None, strict: bool) -> CARTLearner:
        estimator = clone(self.model).set_params(
            **_FREE, forced_tests=tests_to_dict(tests, self.schema)
        )
        if max_depth is not None:
            estimator.max_depth = max_depth
        learner: CARTLearner = estimator._learner()
        learner.needs_forced_tests = strict
        return learner

    def error(self, tests: Tests) -> tuple[float, float]:
        """Return the cross-validated error of a tree with given tests, and its standard error.

        The tests stay; what the leaves answer is learned without the rows that judge it.
        """
        learner = self._learner(tests, None, False)
        costs = np.zeros(len(self.target.weight))
        for train, test in folds_of(self.values, self.target):
            target = replace(self.target, weight=np.where(train, self.target.weight, 0.0))
            tree, _ = learner.grow(self.values, self.schema, target, ALL_ROWS, None)
            costs[test] = self._costs(tree, test)
        return mean_cost(self.target, costs)

    def _costs(self, tree: Tree, rows: NDArray[np.bool_]) -> Floats:
        """Return what the answers of a tree cost some rows."""
        target, truth = self.target, self.target.truth[rows]
        if target.classes is None:
            answers = tree._core.predict_values(self.values[rows])[:, 0]
            exposure = target.exposure[rows] if len(target.exposure) else target.exposure
            return _core.number_costs(target.criterion, answers, truth, exposure)
        labels = tree._core.predict_labels(self.values[rows])
        costs = target.cost[truth, labels] if target.cost.size else labels != truth
        return np.asarray(costs, dtype=np.float64)

    def best_tests(self, node: Node, columns: list[int]) -> list[Competitor]:
        """Return the best test of each column for the rows of a node, of those that have any."""
        rows = self._rows_of(node)
        if not rows.any():
            return []
        learner = self._learner({}, None, False)
        params = learner.growth(self.values, self.schema, self.target)
        found = _core.grow_stumps(
            core_dataset(np.ascontiguousarray(self.values[rows]), self.schema),
            _taken(self.target, rows).core(),
            params,
            columns,
            n_threads=thread_count(self.model.n_jobs),
        )
        trees = [Tree(core, self.schema, self.target.classes) for core in found]
        stumps = [tree.root for tree in trees if tree.n_nodes > 1]
        return [Competitor(root.test, root.gain, self._sides(root, rows)) for root in stumps]

    def _rows_of(self, node: Node) -> NDArray[np.bool_]:
        """Return which rows pass a node."""
        passed = node.tree.decision_path(self.values, encoded=True)[:, [node.id]]
        mask: NDArray[np.bool_] = passed.toarray()[:, 0] > 0
        return mask & (self.target.weight > 0)

    def _sides(self, root: Node, rows: NDArray[np.bool_]) -> tuple[int, int]:
        """Return how many rows a test sends each way, of those that have a value."""
        assert root.test is not None
        known = rows & ~np.isnan(self.values[:, root.tree.feature[0]])
        leaf = root.tree.apply(self.values[known], encoded=True)
        return int((leaf == 1).sum()), int((leaf == 2).sum())


def encoded(model: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Floats, Schema, FitTarget]:
    """Return rows and target as a model encodes them, for the classes that it was trained on."""
    values, schema, target = encode_training(
        model,
        X,
        y,
        sample_weight,
        encode_target=model._encode_target,
        counts_weight=False,
        drops_empty_rows=model._learner().drops_empty_rows,
        schema=model._schema,
    )
    known = vars(model).get("classes_")
    if known is not None and not np.array_equal(target.classes, known):
        raise ValueError(
            f"y has the classes {target.classes.tolist()}, the model has {known.tolist()}. Edit a "
            "model of this target."
        )
    return values, schema, target


def folds_of(values: Floats, target: FitTarget) -> Any:
    """Return the folds that judge all edits."""
    return make_folds(_N_FOLDS, values, target.strata, target.weight > 0, _SEED)


def mean_cost(target: FitTarget, costs: Floats) -> tuple[float, float]:
    """Return the mean of the costs of the rows, and its standard error."""
    scale = target.class_scale
    weight = target.weight * (scale[target.truth] if len(scale) else 1.0)
    mean = np.average(costs, weights=weight)
    n_rows = np.count_nonzero(target.weight > 0)
    spread = np.sqrt(np.average((costs - mean) ** 2, weights=weight) / n_rows)
    exponent = target.loss_exponent
    return float(np.ldexp(mean, exponent)), float(np.ldexp(spread, exponent))


def _taken(target: FitTarget, rows: NDArray[np.bool_]) -> FitTarget:
    """Return the target of some rows."""
    parts = {"weight": target.weight, "codes": target.codes, "y": target.y}
    parts |= {"exposure": target.exposure if len(target.exposure) else None}
    some: dict[str, Any] = {k: part[rows] for k, part in parts.items() if part is not None}
    return replace(target, **some)


def _refuse_others(model: Any, exposure: Any) -> None:
    if model.missing == "fractional":
        raise ValueError(
            "TreeEditor does not edit trees with missing='fractional': their rows are in several "
            "nodes at a time. Use another rule, such as missing='learned'."
        )
    if exposure is not None and not isinstance(model, CARTRegressor):
        raise ValueError("exposure is given, but the model predicts classes. Leave it out.")
