"""A fitted tree: the core's arrays under the names of the field, its nodes, and its methods.

A `Tree` never changes. What prunes it or simplifies it returns another one.
"""

from collections.abc import Iterable, Iterator, Mapping
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from spinney import _core
from spinney._checks import Number
from spinney._constraints import is_monotone, monotone_signs
from spinney._export_mixin import AsCode
from spinney._format import plural
from spinney._libraries import import_pandas
from spinney._state import plain_state
from spinney._state._kinds import same_labels
from spinney._table import Schema, encode_for
from spinney._typing import Floats
from spinney.shapley._additive import Additive
from spinney.shapley._explained import (
    ExpectedValue,
    Explainer,
    reasons,
    shap_explanation,
    shap_interaction_values,
    shap_values,
)
from spinney.tree._from_dict import tree_from_dict
from spinney.tree._leaf_lifetimes import LeafLifetimes, owners
from spinney.tree._measures import (
    description_length,
    impurity_importances,
    path_matrix,
    surrogate_importances,
)
from spinney.tree._node import Node
from spinney.tree._node_arrays import NodeArrays, same_state
from spinney.tree._to_dict import tree_to_dict

if TYPE_CHECKING:
    from spinney.rules import Explanation, RuleSet


@plain_state
class Tree(NodeArrays, AsCode):
    """A decision tree, as parallel arrays with one entry for each node.

    A fitted estimator holds one as `tree_`; `Tree.from_dict` makes one by hand. Node 0 is the root;
    the children of a node are neighbours, numbered after it: `first_child` to
    `first_child + n_children - 1`. The first child is where the node's test is true. The arrays are
    read-only.

    Parameters
    ----------
    core : spinney._core.Tree
        The arrays and what runs on them.
    schema : Schema
        Names, kinds and categories of the columns.
    classes : array of shape (n_classes,) or None, default=None
        The labels, in the order of the columns of `value`; None for regression.
    lifetimes : LeafLifetimes or None, default=None
        For a survival tree, the lifetimes in its leaves, which their curves follow from.

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
    >>> tree
    Tree(3 nodes, 2 leaves, depth 1; root: income <= 36)
    >>> tree.risk.tolist()
    [0.5, 0.1, 0.1]
    """

    def __init__(
        self,
        core: _core.Tree,
        schema: Schema,
        classes: NDArray[Any] | None = None,
        lifetimes: LeafLifetimes | None = None,
    ) -> None:
        super().__init__(core, schema, classes)
        self.lifetimes = lifetimes

    @property
    def root(self) -> Node:
        """The first node."""
        return Node(self, 0)

    @property
    def leaves(self) -> tuple[Node, ...]:
        """The leaves, in the order of their numbers."""
        return tuple(Node(self, node) for node in np.flatnonzero(self.first_child < 0).tolist())

    def __len__(self) -> int:
        return self.n_nodes

    def __getitem__(self, id: int) -> Node:
        place = index(id)
        if not -self.n_nodes <= place < self.n_nodes:
            raise IndexError(f"node {place} of a tree with {self.n_nodes} nodes")
        return Node(self, place % self.n_nodes)

    def __iter__(self) -> Iterator[Node]:
        return (Node(self, node) for node in range(self.n_nodes))

    # -- Rows through the tree

    def _encode(self, X: Any, encoded: bool) -> Floats:
        if encoded:
            values: Floats = X
            return values
        return encode_for("the tree", self.schema, X)

    def _additive(self) -> Additive:
        return Additive(self._core, "number" if self.classes is None else "shares")

    def _explainer(self) -> Explainer:
        labels = None if self.classes is None else self.classes.tolist()
        return Explainer(self._additive(), self.schema, lambda X: self._encode(X, False), labels)

    expected_value_ = ExpectedValue()
    shap_values = shap_values
    shap_interaction_values = shap_interaction_values
    shap_explanation = shap_explanation
    reasons = reasons

    def apply(self, X: Any, *, encoded: bool = False) -> NDArray[np.int32]:
        """Return the leaf that each row reaches.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            An array or a table with the columns of the tree.
        encoded : bool, default=False
            Whether X is a float64 array that already holds category codes.

        Returns
        -------
        array of shape (n_rows,)
        """
        return self._core.apply(self._encode(X, encoded))

    def predict(self, X: Any, *, encoded: bool = False) -> NDArray[Any]:
        """Return the class or the mean that the tree predicts for each row.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            An array or a table with the columns of the tree.
        encoded : bool, default=False
            Whether X is a float64 array that already holds category codes.

        Returns
        -------
        array of shape (n_rows,)
        """
        values = self._encode(X, encoded)
        if self.classes is None:
            return self._core.predict_values(values)[:, 0]
        return self.classes[self._core.predict_labels(values)]

    def predict_proba(self, X: Any, *, encoded: bool = False) -> Floats:
        """Return the shares of the classes in the leaf that each row reaches.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            An array or a table with the columns of the tree.
        encoded : bool, default=False
            Whether X is a float64 array that already holds category codes.

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        if self.classes is None:
            raise ValueError("a regression tree has no classes to give probabilities of.")
        return self._core.predict_values(self._encode(X, encoded))

    def decision_path(self, X: Any, *, encoded: bool = False) -> csr_matrix:
        """Return which nodes each row passes, its leaf included.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            An array or a table with the columns of the tree.
        encoded : bool, default=False
            Whether X is a float64 array that already holds category codes.

        Returns
        -------
        sparse matrix of shape (n_rows, n_nodes)
            1 where a row passes a node.
        """
        return path_matrix(self.apply(X, encoded=encoded), self.parent, self.depth)

    # -- Other trees

    def prune_at(self, node_ids: Iterable[int | Node]) -> "Tree":
        """Return a copy in which the given nodes are leaves.

        Parameters
        ----------
        node_ids : iterable of int or Node
            The nodes below which everything is cut off. Leaves may be among them.

        Returns
        -------
        Tree
            With its nodes numbered anew.
        """
        marked = np.zeros(self.n_nodes, dtype=bool)
        for node in node_ids:
            marked[self[node.id if isinstance(node, Node) else node].id] = True
        return self._collapsed(marked)

    def _collapsed(self, make_leaf: NDArray[np.bool_]) -> "Tree":
        lifetimes = self.lifetimes
        if lifetimes is not None:
            lifetimes = lifetimes.collapsed(*owners(self.first_child, self.n_children, make_leaf))
        return Tree(self._core.collapse(make_leaf), self.schema, self.classes, lifetimes)

    def simplify(self) -> "Tree":
        """Return a copy without tests that make no difference to what is predicted.

        Sibling leaves that predict the same as each other and as their parent are merged, from the
        bottom up. Every row that goes down the tree whole is predicted as before; probabilities
        become those of the parent. (Under the fractional rule a row with gaps mixes the
        probabilities of several leaves, so its prediction may change.)

        Returns
        -------
        Tree
        """
        predictions = (self._predicted[:, 0] if self.classes is None else self.labels).tolist()
        parents = self.parent.tolist()
        merged = (self.first_child < 0).tolist()
        may_merge = [True] * self.n_nodes
        for node in range(self.n_nodes - 1, 0, -1):  # children come before their parent here
            merged[node] = merged[node] or may_merge[node]
            if not merged[node] or predictions[node] != predictions[parents[node]]:
                may_merge[parents[node]] = False
        merged[0] = merged[0] or may_merge[0]
        return self._collapsed(np.array(merged))

    def shrink(self, strength: float) -> "Tree":
        """Return a copy whose predictions are pulled towards those of the nodes above.

        Hierarchical shrinkage: on the way from the root to a leaf, each step from a node to its
        child counts 1 / (1 + strength / n), n being the weight of the rows in the node. Tests and
        counts do not change; small leaves no longer predict extremes.

        Parameters
        ----------
        strength : float
            At least 0, which changes nothing.

        Returns
        -------
        Tree

        References
        ----------
        Agarwal, Tan, Ronen, Singh and Yu (2022). Hierarchical Shrinkage. ICML.
        """
        strength = Number(0.0).check("strength", strength)
        return Tree(
            _core.shrunk(self._core, float(strength)), self.schema, self.classes, self.lifetimes
        )

    def _unshrunk(self) -> "Tree":
        """Return a copy that predicts as it was grown."""
        return Tree(_core.unshrunk(self._core), self.schema, self.classes, self.lifetimes)

    # -- Rules

    def rules(self) -> "RuleSet":
        """Return every path from the root to a leaf as a rule, from the first leaf to the last.

        Returns
        -------
        RuleSet
            It predicts just as the tree does. Where rules are taken out of it, what the root
            would predict is the default.
        """
        from spinney.rules._extract import path_rules
        from spinney.rules._ruleset import RuleSet

        root = self.root
        return RuleSet(
            path_rules(self),
            schema=self.schema,
            classes=self.classes,
            default=root.prediction,
            default_counts=root.counts if self.answer is None else root.probabilities,
            cost_matrix=self.cost_matrix,
            ordered=False,
        )

    def explain(self, row: Any) -> "Explanation":
        """Return why a row is predicted as it is, and what would have to change for another answer.

        Parameters
        ----------
        row : dict, Series, one-row table or 1-D array
            One row.

        Returns
        -------
        Explanation
            `print` shows it as text.
        """
        return self.rules().explain(row)

    # -- Importances

    def importances(self, surrogates: bool = False) -> Floats:
        """Return how much each feature matters.

        Parameters
        ----------
        surrogates : bool, default=False
            False: the feature's share of the weighted impurity that the tests remove; they add up
            to 1, or are all 0 if the tree has no test. True: as rpart, the gain of the feature's
            own tests, and for each surrogate the gain of its node's test times the adjusted
            agreement; they do not add up to anything in particular. What an expression over several
            columns removes is shared equally by them.

        Returns
        -------
        array of shape (n_features,)
        """
        return (surrogate_importances if surrogates else impurity_importances)(self._state)

    # -- In and out

    def check_monotonic(self, monotonic_cst: Any = None) -> bool:
        """Return whether the tree meets monotone constraints, from its nodes alone.

        Parameters
        ----------
        monotonic_cst : dict, array-like of -1, 0, 1 or None, default=None
            The constraints. None for those that the tree was grown with.

        Returns
        -------
        bool
            For any two rows without missing values that differ in one constrained column.
        """
        signs = self._state.get("monotone", np.zeros(0, np.int8))
        if monotonic_cst is not None:
            signs = monotone_signs(monotonic_cst, self.schema)
        if not signs.size:
            return True
        if self.classes is not None and len(self.classes) != 2:
            raise ValueError(
                f"The tree has {len(self.classes)} classes; a monotone constraint needs two, or "
                "numbers."
            )
        answer = self._state.get("answer", self._state["value"]).reshape(len(self), -1)
        if self.classes is not None:
            answer = answer / answer.sum(axis=1, keepdims=True)
        return is_monotone(self._state, answer[:, -1], signs)

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as a dict of lists, text and numbers, which `json` can write.

        Returns
        -------
        dict
            With 'classes', 'features' and 'nodes', each node with its 'test' (text, or None in a
            leaf), 'children' and 'counts' (for regression 'value'), and what else it takes to
            restore the tree exactly, such as 'answers' of nodes that do not predict by their
            counts.
        """
        return tree_to_dict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Tree":
        """Return the tree that a dict describes.

        Parameters
        ----------
        data : mapping
            As written by `to_dict`, or by hand: 'classes' (labels; None for regression), 'features'
            (names) and 'nodes'. Node 0 is the root. Each node has a 'test' such as "income <= 36",
            "purpose in {A40, A43}", for a child per category "purpose" (with 'branches', the
            categories of the children), or an expression over several columns such as
            "sin(age) + bmi > 30 and sex = f"; 'children', by their place in the list; and 'counts',
            the weight of each class. A leaf has the test None. For regression a node has 'value',
            'n_samples' and 'impurity' instead of 'counts'. 'categories' may list the categories of
            a feature, in order if it is tested with `<=`; otherwise they are collected from the
            tests, and a category that no test names goes to the second child, as it is not in
            the set. 'answers' may list what each node predicts where that is not what its rows
            say: the shares of the classes, or for regression a number.

        Returns
        -------
        Tree
            Numbered anew if children did not follow their parents as neighbours.

        Raises
        ------
        ValueError
            If the dict is no tree. The message names the node.
        """
        return cls(*tree_from_dict(data))

    def to_frame(self) -> Any:
        """Return the nodes as a pandas frame, a row for each, in the order of their numbers.

        Returns
        -------
        DataFrame
            Indexed by `node`: `parent`, `depth`, `is_leaf`, `branch` (what leads here from the
            parent, as text), `test` (of the node; empty in a leaf), `n_samples`, `impurity`,
            `risk`, `prediction`, and for classes a column `counts[LABEL]` for each of them.
        """
        pandas = import_pandas("Tree.to_frame needs pandas: pip install pandas.")
        nodes = list(self)
        columns = {
            "parent": self.parent,
            "depth": self.depth,
            "is_leaf": self.first_child < 0,
            "branch": [_branch_text(node) for node in nodes],
            "test": ["" if node.is_leaf else str(node.test) for node in nodes],
            "n_samples": self.n_samples,
            "impurity": self.impurity,
            "risk": self.risk,
            "prediction": [node.prediction for node in nodes],
        }
        if self.classes is not None:
            columns |= {
                f"counts[{label}]": self.value[:, k]
                for k, label in enumerate(self.classes.tolist())
            }
        return pandas.DataFrame(columns, index=pandas.RangeIndex(self.n_nodes, name="node"))

    def to_text(self, max_depth: int | None = 10, **options: Any) -> str:
        """Return the tree as indented text; see `spinney.export.to_text` for the options."""
        from spinney.export import to_text

        return to_text(self, max_depth=max_depth, **options)

    def to_graphviz(self, max_depth: int | None = 10, **options: Any) -> str:
        """Return the tree in the DOT language; see `spinney.export.to_graphviz` for the options."""
        from spinney.export import to_graphviz

        return to_graphviz(self, max_depth=max_depth, **options)

    def description_length(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> float:
        """Return the length, in bits, of a message that describes the tree and the classes of rows.

        The receiver has the table without the classes. Each node costs a bit for whether it
        is a leaf; a test its column, and a threshold among the places between the node's rows or a
        set among the subsets of its categories; a leaf the classes of its rows in an adaptive code:
        the next row is of class c with probability (seen of c + 1) / (seen + n_classes).
        `pruning="mdl"` cuts a tree back to the subtree with the shortest message.

        Parameters
        ----------
        X : table of shape (n_rows, n_features), default=None
            The rows whose classes are coded; None for those that grew the tree.
        y : array of shape (n_rows,), default=None
            Their classes.
        sample_weight : array of shape (n_rows,), default=None
            Their weights.

        Returns
        -------
        float
        """
        return description_length(self, X, y, sample_weight)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the tree with Matplotlib; see `spinney.plot.plot_tree` for the options."""
        from spinney.plot import plot_tree

        return plot_tree(self, ax=ax, **options)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        root = self.root
        nodes, leaves = plural(self.n_nodes, "node"), plural(self.n_leaves, "leaf", "leaves")
        what = f"predicts {root.prediction!r}" if root.is_leaf else str(root.test)
        return f"Tree({nodes}, {leaves}, depth {self.max_depth}; root: {what})"

    def _repr_html_(self) -> str:
        from spinney._html import tree_html

        return tree_html(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return (
            self.schema == other.schema
            and same_labels(self.classes, other.classes)
            and same_state(self._state, other._state)
            and self.lifetimes == other.lifetimes
        )

    __hash__ = None  # type: ignore[assignment]


def _branch_text(node: Node) -> str:
    """Return the condition under which rows reach a node from its parent."""
    parent = node.parent
    if parent is None or parent.test is None:
        return ""
    return str(parent.test.branch_text(node.id - parent.children[0].id))
