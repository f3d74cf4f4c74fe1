"""Trees whose nodes do not predict by what their rows add up to, made of fitted ones."""

import numpy as np

from spinney import Tree, _core
from spinney.ensemble import Forest


def answering(tree: Tree, pull: float = 0.75) -> Tree:
    """Return a tree whose nodes predict between what their own rows say and what the root says."""
    state = dict(tree._state)
    own = state["value"] / (1.0 if tree.classes is None else state["value"].sum(1, keepdims=True))
    state["answer"] = (1.0 - pull) * own + pull * own[:1, ::-1]  # classes the other way round
    return Tree(_core.Tree(state), tree.schema, tree.classes)


def answering_forest(forest: Forest) -> Forest:
    """Return a forest whose first tree has such answers."""
    trees = [answering(forest[0])._core, *(tree._core for tree in forest[1:])]
    groups = [forest._core.groups(i) for i in range(len(forest))]
    return Forest(_core.Forest(trees, groups), forest.schema, forest.classes)


def answers(tree: Tree) -> np.ndarray:
    """Return the class shares, or the numbers, that the nodes predict, worked out anew."""
    found = tree.value if tree.answer is None else tree.answer
    return found if tree.classes is None else found / found.sum(1, keepdims=True)
