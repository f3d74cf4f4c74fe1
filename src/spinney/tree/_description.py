"""The length of the message that tells a tree and the classes of some rows."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from spinney import _core
from spinney._target import check_weights, class_target

if TYPE_CHECKING:
    from spinney.tree._view import Tree


def description_length(tree: "Tree", X: Any, y: Any, sample_weight: Any) -> float:
    """Return bits for the tree and for the classes; see `Tree.description_length`."""
    if tree.classes is None:
        raise ValueError("description_length is for trees of classes; this one predicts numbers.")
    if (X is None) != (y is None):
        raise ValueError("description_length needs both X and y, or neither of them.")
    tests, classes = _core.describe(tree._core)
    leaf = tree.first_child < 0
    told = classes[leaf].sum() if X is None else _bits(_leaf_counts(tree, X, y, sample_weight))
    return float(tree.n_nodes + tests[~leaf].sum() + told)


def _leaf_counts(tree: "Tree", X: Any, y: Any, sample_weight: Any) -> NDArray[np.float64]:
    """Return the weight of each class of some rows in each node that is a leaf."""
    values = tree._encode(X, encoded=False)
    weight = check_weights(sample_weight, len(values), counted=True)
    target = class_target(y, weight, estimator_name="Tree", classes=tree.classes)
    row, leaf, share = _core.leaf_shares(tree._core, values)
    counts = np.zeros_like(tree.value)
    np.add.at(counts, (leaf, target.truth[row]), share * target.weight[row])
    return counts


def _bits(counts: NDArray[np.float64]) -> float:
    """Return what the classes of each group cost, told adaptively from one of each class."""
    n_classes = counts.shape[1]
    nats = gammaln(counts.sum(axis=1) + n_classes) - gammaln(n_classes)
    return float((nats - gammaln(counts + 1.0).sum(axis=1)).sum() / np.log(2.0))
