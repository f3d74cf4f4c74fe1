"""Rows for an editor: trees that are grown again, and those that are only cut."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from spinney import _core
from spinney.edit._regrowth import Regrowth, encoded, folds_of, mean_cost
from spinney.tree._c45 import C45Classifier
from spinney.tree._cart import CARTClassifier, CARTRegressor
from spinney.tree._forced import Tests, node_at
from spinney.tree._id3 import ID3Classifier
from spinney.tree._node import Node
from spinney.tree._tree import Tree

_CUT = (C45Classifier, ID3Classifier)
_GROWN = (CARTClassifier, CARTRegressor)


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
