"""One node of a tree: a light view that reads the tree's arrays when it is asked."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spinney.tree._arrays import read_test
from spinney.tree._tests import Surrogate, Test

if TYPE_CHECKING:
    from spinney.tree._tree import Tree

__all__ = ["Node"]


class Node:
    """A node of a `Tree`, made by `tree.root`, `tree[i]` or by iterating over the tree.

    Parameters
    ----------
    tree : Tree
        The tree that the node belongs to.
    id : int
        The number of the node; the root is 0, a child's number is higher than its parent's.

    Examples
    --------
    >>> from spinney import Tree
    >>> tree = Tree.from_dict({
    ...     "classes": ["bad", "good"],
    ...     "features": ["income"],
    ...     "nodes": [
    ...         {"test": "income <= 36", "children": [1, 2], "counts": [5, 5]},
    ...         {"test": None, "children": [], "counts": [4, 1]},
    ...         {"test": None, "children": [], "counts": [1, 4]},
    ...     ],
    ... })
    >>> str(tree.root.test)
    'income <= 36'
    >>> [leaf.prediction for leaf in tree.root.children]
    ['bad', 'good']
    """

    __slots__ = ("_id", "_tree")

    def __init__(self, tree: "Tree", id: int) -> None:
        self._tree = tree
        self._id = id

    @property
    def tree(self) -> "Tree":
        """The tree that the node belongs to."""
        return self._tree

    @property
    def id(self) -> int:
        """The number of the node; the root is 0."""
        return self._id

    @property
    def is_leaf(self) -> bool:
        """Whether the node has no test and no children."""
        return bool(self._tree.first_child[self._id] < 0)

    @property
    def kind(self) -> str:
        """The kind of test: 'leaf', 'threshold', 'subset', 'multiway' or 'expression'."""
        return str(self._tree.kind[self._id])

    @property
    def test(self) -> Test | None:
        """What the node asks about a row; None in a leaf."""
        tree = self._tree
        n_branches = int(tree.n_children[self._id])
        return read_test(tree._state, self._id, tree.schema, n_branches)

    @property
    def children(self) -> tuple["Node", ...]:
        """The children, in the order of the test's branches: where the test is true comes first."""
        first = int(self._tree.first_child[self._id])
        count = int(self._tree.n_children[self._id])
        return tuple(Node(self._tree, first + k) for k in range(count))

    @property
    def parent(self) -> "Node | None":
        """The node above; None for the root."""
        parent = int(self._tree.parent[self._id])
        return None if parent < 0 else Node(self._tree, parent)

    @property
    def branch(self) -> int | None:
        """Which child of its parent the node is, from 0; None for the root."""
        parent = int(self._tree.parent[self._id])
        return None if parent < 0 else self._id - int(self._tree.first_child[parent])

    @property
    def default_child(self) -> "Node | None":
        """Where a row goes that neither the test nor a surrogate can place; None in a leaf."""
        if self.is_leaf:
            return None
        branch = int(self._tree._state["default_branch"][self._id])
        return Node(self._tree, int(self._tree.first_child[self._id]) + branch)

    @property
    def depth(self) -> int:
        """The number of tests between the root and the node."""
        return int(self._tree.depth[self._id])

    @property
    def counts(self) -> NDArray[np.float64] | None:
        """The weight of each class among the node's training rows; None for regression."""
        return None if self._tree.classes is None else self._tree.value[self._id]

    @property
    def probabilities(self) -> NDArray[np.float64] | None:
        """The share of each class that the node predicts; None for regression.

        Those among its training rows, unless the tree has answers of its own (`Tree.answer`).
        """
        return None if self._tree.classes is None else self._tree._predicted[self._id]

    @property
    def prediction(self) -> Any:
        """What the node predicts as a leaf: the class of least expected cost, or the mean."""
        tree = self._tree
        if tree.classes is None:
            return float(tree._predicted[self._id, 0])
        return tree.classes.item(int(tree.labels[self._id]))

    @property
    def impurity(self) -> float:
        """The impurity of the node's training rows."""
        return float(self._tree.impurity[self._id])

    @property
    def gain(self) -> float:
        """The gain of the test over the rows that it can place, times weight; 0 in a leaf."""
        return float(self._tree.gain[self._id])

    @property
    def risk(self) -> float:
        """The cost of the node as a leaf, per unit of weight of all training rows."""
        return float(self._tree.risk[self._id])

    @property
    def n_samples(self) -> int:
        """The number of training rows."""
        return int(self._tree.n_samples[self._id])

    @property
    def weight(self) -> float:
        """The weight of the training rows."""
        return float(self._tree.weight[self._id])

    @property
    def surrogates(self) -> tuple[Surrogate, ...]:
        """The tests that stand in where a row lacks the value that is asked for, best first."""
        tree, state = self._tree, self._tree._state
        n_branches = int(tree.n_children[self._id])
        begin, end = state["surrogate_begin"][self._id : self._id + 2].tolist()
        found = []
        for index in range(begin, end):
            test = read_test(state, index, tree.schema, n_branches, prefix="surrogate_")
            assert test is not None  # the core refuses a leaf among the surrogates
            found.append(
                Surrogate(
                    test,
                    bool(state["surrogate_reversed"][index]),
                    float(state["surrogate_agreement"][index]),
                    float(state["surrogate_adjusted"][index]),
                )
            )
        return tuple(found)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        return self._tree is other._tree and self._id == other._id

    def __hash__(self) -> int:
        return hash((id(self._tree), self._id))

    def __repr__(self) -> str:
        what = f"predicts {self.prediction!r}" if self.is_leaf else str(self.test)
        return f"Node({self._id}: {what}; n_samples={self.n_samples})"
