"""Rows for an editor: trees that are grown again under tests chosen by hand, and those only cut."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from spinney import _core
from spinney._base import core_dataset, encode_training
from spinney._counts import with_exposure
from spinney._folds import make_folds
from spinney._settings import thread_count
from spinney._table import Schema
from spinney._target import FitTarget
from spinney._typing import Floats
from spinney.edit._history import Competitor
from spinney.tree._c45 import C45Classifier
from spinney.tree._cart import CARTClassifier, CARTLearner, CARTRegressor
from spinney.tree._forced import Tests, node_at, tests_to_dict
from spinney.tree._id3 import ID3Classifier
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

_CUT = (C45Classifier, ID3Classifier)
_GROWN = (CARTClassifier, CARTRegressor)


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


def rows_for(
    model: Any, X: Any, y: Any, sample_weight: Any, exposure: Any
) -> "Regrowth | CutBranches":
    """Return the rows of an editor; other models are refused."""
    if not isinstance(model, _CUT + _GROWN):
        raise TypeError(
            "TreeEditor edits trees of CARTClassifier, CARTRegressor, C45Classifier and "
            f"ID3Classifier, got {type(model).__name__}. Fit one of these."
        )
    check_is_fitted(model)
    if isinstance(model, _CUT):
        if exposure is not None:
            raise ValueError("exposure is given, but the model predicts classes. Leave it out.")
        return CutBranches(model, X, y, sample_weight)
    return Regrowth(model, X, y, sample_weight, exposure)


def is_editable(model: Any) -> bool:
    """Return whether an editor takes a fitted model."""
    return isinstance(model, _CUT) or is_regrown(model)


def is_regrown(model: Any) -> bool:
    """Return whether the trees of a model can be grown again under other tests."""
    return isinstance(model, _GROWN) and model.missing != "fractional"


class CutBranches:
    """Rows, and a tree with many branches that is cut, and not grown again.

    Its rows may be in several nodes at a time, in shares, so that counts stay those of the fit.

    Parameters
    ----------
    model : C45Classifier or ID3Classifier
        A fitted tree.
    X, y, sample_weight : table and arrays
        Those of its `fit`.
    """

    def __init__(self, model: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self.model = model
        self.values, self.schema, self.target = encoded(model, X, y, sample_weight)
        n_rows, wanted = int((self.target.weight > 0).sum()), int(model.tree_.n_samples[0])
        if n_rows != wanted:
            raise ValueError(
                f"the tree of {type(model).__name__} was grown on {wanted} rows, got {n_rows}. A "
                "tree with many branches is cut, not counted anew: give the rows of its fit, or "
                "fit it on these."
            )

    def need(self, action: str) -> None:
        """Refuse what would need another growth."""
        if action in ("split", "grow", "competitors"):
            raise ValueError(
                f"{action} does not work with {type(self.model).__name__}, whose tests have many "
                "branches: prune and lock do. Fit a CARTClassifier for other edits."
            )

    def tree(self, tests: Tests, max_depth: int | None = None, *, strict: bool = True) -> Tree:
        """Return the tree of the model, cut at the nodes that have no test."""
        whole: Tree = self.model.tree_
        ends = [node_at(whole, path) for path, test in tests.items() if test is None]
        cut = [node for node in ends if not node.is_leaf]
        return whole.prune_at(cut) if cut else whole

    def best_tests(self, node: Node, columns: list[int]) -> list[Any]:
        """Return no tests: the tree is not grown again."""
        return []

    def error(self, tests: Tests) -> tuple[float, float]:
        """Return the cross-validated error of the tree with its tests, and its standard error.

        The tests stay; what the leaves answer is learned without the rows that judge it.
        """
        target, tree = self.target, self.tree(tests)
        n_rows, n_classes = len(target.weight), len(target.classes)
        row, leaf, share = _core.leaf_shares(tree._core, self.values)
        costs = np.zeros(n_rows)
        price = target.cost if target.cost.size else 1.0 - np.eye(n_classes)
        for train, test in folds_of(self.values, target):
            known = train[row]
            counts = np.zeros((tree.n_nodes, n_classes))
            place = (leaf[known], target.truth[row[known]])
            np.add.at(counts, place, (share * target.weight[row])[known])
            counts[counts.sum(axis=1) == 0] = counts.sum(axis=0)  # leaves without rows
            answers = np.zeros((n_rows, n_classes))
            np.add.at(answers, row, share[:, None] * (counts / counts.sum(axis=1)[:, None])[leaf])
            predicted = (answers @ price).argmin(axis=1)
            costs[test] = price[target.truth, predicted][test]
        return mean_cost(target, costs)
