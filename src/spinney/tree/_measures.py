"""Measures of a tree: depths, paths, importances, description length; and their units."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from spinney import _core
from spinney._expression.tokens import OPS
from spinney._target import check_weights, class_target
from spinney._typing import Floats

if TYPE_CHECKING:
    from spinney.tree._tree import Tree


_COLUMN = OPS.index("column")


def node_depths(parent: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the depth of every node."""
    depths = [0] * len(parent)
    for node, above in enumerate(parent[1:].tolist(), start=1):
        depths[node] = depths[above] + 1
    return np.array(depths, dtype=np.int64)


def path_matrix(
    leaves: NDArray[np.integer[Any]], parent: NDArray[np.int32], depth: NDArray[np.int64]
) -> csr_matrix:
    """Return a matrix with a one for each node on the way from the root to each row's leaf."""
    node: NDArray[np.integer[Any]] = leaves
    ends = np.cumsum(depth[node] + 1)
    indices = np.empty(ends[-1] if len(ends) else 0, dtype=np.int64)
    place = ends - 1
    while len(node):  # one step up for all rows at once, each filling its slice from the back
        indices[place] = node
        node, place = parent[node], place - 1
        inside = node >= 0
        node, place = node[inside], place[inside]
    data = np.ones(len(indices), dtype=np.int64)
    indptr = np.concatenate(([0], ends))
    return csr_matrix((data, indices, indptr), shape=(len(leaves), len(parent)))


def impurity_decreases(state: Mapping[str, Any]) -> Floats:
    """Return for every node the weighted impurity that its test removes; 0 in a leaf."""
    total = state["weight"] * state["impurity"]
    below = np.zeros_like(total)
    np.add.at(below, state["parent"][1:], total[1:])
    return np.where(state["first_child"] >= 0, total - below, 0.0)


def impurity_importances(state: Mapping[str, Any]) -> Floats:
    """Return each feature's share of the impurity that the tests remove; all 0 without a test."""
    largest = state["impurity"].max()  # shares do not depend on the unit: keep sums in range
    if largest == np.finfo(np.float64).max:  # impurities are clipped, gains are kept in range
        sums = _sum_by_feature(state, state["gain"])
    else:
        unit = largest if largest > 0 else 1.0
        sums = _sum_by_feature(
            state, impurity_decreases({**state, "impurity": state["impurity"] / unit})
        )
    total = sums.sum()
    return sums / total if total > 0 else sums


def surrogate_importances(state: Mapping[str, Any]) -> Floats:
    """Return what each feature removes as a test, and times its agreement as a surrogate."""
    gain = state["gain"]
    sums = _sum_by_feature(state, gain)
    owner = np.repeat(np.arange(len(gain)), np.diff(state["surrogate_begin"]))
    credit = gain[owner] * state["surrogate_adjusted"]
    _share_out(sums, state, "surrogate_", np.arange(len(owner)), credit)
    return np.minimum(sums, np.finfo(np.float64).max)


def _sum_by_feature(state: Mapping[str, Any], amounts: Floats) -> Floats:
    sums = np.zeros(state["n_features"])
    inner = np.flatnonzero(state["first_child"] >= 0)
    _share_out(sums, state, "", inner, amounts[inner])
    return sums


def _share_out(
    sums: Floats,
    state: Mapping[str, Any],
    prefix: str,
    tests: NDArray[np.intp],
    amounts: Floats,
) -> None:
    """Add what each test earns to its column; an expression's is shared equally by its columns."""
    feature = state[prefix + "feature"][tests]
    single = feature >= 0
    np.add.at(sums, feature[single], amounts[single])
    begin, op = state[prefix + "token_begin"], state[prefix + "token_op"]
    for test, amount in zip(tests[~single].tolist(), amounts[~single].tolist(), strict=True):
        here = slice(begin[test], begin[test + 1])
        columns = np.unique(state[prefix + "token_arg"][here][op[here] == _COLUMN])
        sums[columns] += amount / max(len(columns), 1)


def description_length(tree: "Tree", X: Any, y: Any, sample_weight: Any) -> float:
    """Return bits for the tree and for the classes; see `Tree.description_length`."""
    if tree.classes is None:
        raise ValueError("description_length is for trees of classes; this one predicts numbers.")
    if (X is None) != (y is None):
        raise ValueError("description_length needs both X and y, or neither of them.")
    tests, classes = _core.describe(tree._core)
    leaf = tree.first_child < 0
    bits = classes[leaf].sum() if X is None else _bits(_leaf_counts(tree, X, y, sample_weight))
    return float(tree.n_nodes + tests[~leaf].sum() + bits)


def _leaf_counts(tree: "Tree", X: Any, y: Any, sample_weight: Any) -> Floats:
    """Return the weight of each class of some rows in each node that is a leaf."""
    values = tree._encode(X, encoded=False)
    weight = check_weights(sample_weight, len(values), counted=True)
    target = class_target(y, weight, estimator_name="Tree", classes=tree.classes)
    row, leaf, share = _core.leaf_shares(tree._core, values)
    counts = np.zeros_like(tree.value)
    np.add.at(counts, (leaf, target.truth[row]), share * target.weight[row])
    return counts


def _bits(counts: Floats) -> float:
    """Return the length in bits of an adaptive code for the classes of each group."""
    from scipy.special import gammaln  # here: seldom needed

    n_classes = counts.shape[1]
    nats = gammaln(counts.sum(axis=1) + n_classes) - gammaln(n_classes)
    return float((nats - gammaln(counts + 1.0).sum(axis=1)).sum() / np.log(2.0))


def scaled(numbers: Floats, exponent: int) -> Floats:
    """Return numbers * 2**exponent, at most the largest finite number."""
    limit = np.finfo(np.float64).max
    with np.errstate(over="ignore"):
        return np.clip(np.ldexp(numbers, exponent), -limit, limit)


def rescaled_tree(tree: "Tree", exponent: int, loss_exponent: int) -> "Tree":
    """Return a regression tree with its values and its losses in other units."""
    state = dict(tree._state)
    for name in ("value", "answer"):
        if name in state:
            state[name] = np.ldexp(state[name], exponent)
    for name in ("impurity", "risk"):
        state[name] = scaled(state[name], loss_exponent)
    gain = scaled(state["gain"], loss_exponent)
    most, before = np.abs(gain).max(initial=0.0), np.abs(state["gain"]).max(initial=0.0)
    if most < np.finfo(np.float64).max and (most > 0) == (before > 0):
        state["gain"] = gain  # else unchanged: only shares of it are ever used
    return type(tree)(_core.Tree(state), tree.schema, tree.classes, tree.lifetimes)
