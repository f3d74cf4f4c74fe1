"""The arrays of a tree: one entry for each node, read-only, under names that people know."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._table import Schema
from spinney.tree._arrays import KINDS, MISSING_RULES
from spinney.tree._measures import node_depths


class NodeArrays:
    """What a tree is made of. See `Tree`, which adds what can be done with it."""

    def __init__(
        self, core: _core.Tree, schema: Schema, classes: NDArray[Any] | None = None
    ) -> None:
        self._core = core
        self.schema = schema
        self.classes = None if classes is None else _frozen(np.array(classes))

    @cached_property
    def _state(self) -> dict[str, Any]:
        state: dict[str, Any] = self._core.state()
        for value in state.values():
            if isinstance(value, np.ndarray):
                _frozen(value)
        return state

    def _array(self, name: str) -> NDArray[Any]:
        array: NDArray[Any] = self._state[name]
        return array

    @cached_property
    def kind(self) -> NDArray[np.str_]:
        """Kind of each node's test: 'leaf', 'threshold', 'subset', 'multiway' or 'expression'."""
        return _frozen(np.array(KINDS)[self._array("kind")])

    @property
    def feature(self) -> NDArray[np.int32]:
        """Column that each node asks about; -1 in a leaf and where it asks an expression."""
        return self._array("feature")

    @property
    def threshold(self) -> NDArray[np.float64]:
        """Threshold of each node's test; NaN unless its kind is 'threshold'."""
        return self._array("threshold")

    @property
    def first_child(self) -> NDArray[np.int32]:
        """First child of each node; -1 in a leaf."""
        return self._array("first_child")

    @property
    def n_children(self) -> NDArray[np.int32]:
        """Number of children of each node; 0 in a leaf."""
        return self._array("n_children")

    @property
    def parent(self) -> NDArray[np.int32]:
        """Parent of each node; -1 for the root."""
        return self._array("parent")

    @property
    def value(self) -> NDArray[np.float64]:
        """Class weights, of shape (n_nodes, n_classes); means, of shape (n_nodes, 1)."""
        return self._array("value")

    @property
    def answer(self) -> NDArray[np.float64] | None:
        """What each node predicts where that is not its `value`: class shares, or numbers.

        Of the shape of `value`, which stays what the training rows add up to. None if every node
        predicts by its value.
        """
        return self._state.get("answer")

    @cached_property
    def _predicted(self) -> NDArray[np.float64]:
        """What each node predicts as a leaf, of the shape of `value`: class shares, or the number.

        The one place in Python that knows whether a node answers by its value. Sums go from class
        to class, so that the shares are those of the core to the last bit.
        """
        answer = self.value if self.answer is None else self.answer
        if self.classes is None:
            return answer
        total = np.array([sum(row) for row in answer.tolist()])[:, None]
        with np.errstate(invalid="ignore", divide="ignore"):
            return _frozen(np.where(total > 0, answer / total, 1.0 / answer.shape[1]))

    @property
    def n_samples(self) -> NDArray[np.int64]:
        """Number of training rows in each node."""
        return self._array("n_samples")

    @property
    def weight(self) -> NDArray[np.float64]:
        """Weight of the training rows in each node."""
        return self._array("weight")

    @property
    def impurity(self) -> NDArray[np.float64]:
        """Impurity of the training rows in each node."""
        return self._array("impurity")

    @property
    def gain(self) -> NDArray[np.float64]:
        """Impurity that each node's test removes from the rows with its value, times weight."""
        return self._array("gain")

    @cached_property
    def risk(self) -> NDArray[np.float64]:
        """Cost of each node as a leaf, per unit of weight of all training rows."""
        total = self.weight[0]
        if not total > 0:
            return _frozen(np.zeros(self.n_nodes))
        cost = self._array("risk")
        limit = np.finfo(np.float64).max
        with np.errstate(over="ignore"):
            means = np.minimum(cost / total, limit)
        # A sum of huge losses is cut off at the limit; their mean may well be below it.
        return _frozen(np.where(cost == limit, self.impurity * (self.weight / total), means))

    @cached_property
    def depth(self) -> NDArray[np.int64]:
        """Number of tests between the root and each node."""
        return _frozen(node_depths(self.parent))

    @cached_property
    def labels(self) -> NDArray[np.int64]:
        """Code of the class that each node predicts as a leaf; -1 for regression."""
        if self.classes is None:
            return _frozen(np.full(self.n_nodes, -1, dtype=np.int64))
        return _frozen(self._core.labels())

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.first_child)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.first_child < 0))

    @property
    def max_depth(self) -> int:
        """Depth of the deepest leaf; 0 if the root is one."""
        return int(self.depth.max())

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.schema.names

    @property
    def missing(self) -> str:
        """How rows with gaps are routed: 'surrogate', 'majority' or 'fractional'."""
        return MISSING_RULES[self._state["missing"]]

    @property
    def cost_matrix(self) -> NDArray[np.float64] | None:
        """Cost of each label (column) for rows of each class (row); None if mistakes cost 1."""
        cost = self._array("cost")
        return cost.reshape(self._state["n_classes"], -1) if len(cost) else None


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array
