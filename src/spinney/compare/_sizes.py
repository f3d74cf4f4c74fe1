"""How large a fitted model is: leaves and nodes of all its trees, and members that vote."""

from typing import Any

import numpy as np

__all__ = ["model_size"]


def model_size(model: Any) -> dict[str, int]:
    """Return `n_leaves`, `n_nodes` and `n_members`, as far as the model has them.

    Parameters
    ----------
    model : estimator
        Fitted; of spinney or scikit-learn. The last step of a pipeline counts.
    """
    while hasattr(model, "steps"):
        model = model.steps[-1][1]
    if hasattr(model, "tree_"):
        return _size_of_trees([model.tree_])
    members = getattr(model, "forest_", None)
    if members is None:
        members = getattr(model, "estimators_", None)
    if members is None:
        return {}
    chosen = getattr(model, "selected_", None)
    if isinstance(members, np.ndarray):  # scikit-learn's gradient boosting: a row for each round
        members = list(members.ravel())
    voting = [members[int(i)] for i in (range(len(members)) if chosen is None else chosen)]
    trees = [getattr(member, "tree_", member) for member in voting]
    if trees and all(_is_tree(tree) for tree in trees):
        return {**_size_of_trees(trees), "n_members": len(trees)}
    return {"n_members": len(trees)}


def _is_tree(tree: Any) -> bool:
    return hasattr(tree, "n_leaves") and (hasattr(tree, "n_nodes") or hasattr(tree, "node_count"))


def _size_of_trees(trees: list[Any]) -> dict[str, int]:
    nodes = [tree.n_nodes if hasattr(tree, "n_nodes") else tree.node_count for tree in trees]
    return {"n_leaves": int(sum(tree.n_leaves for tree in trees)), "n_nodes": int(sum(nodes))}
