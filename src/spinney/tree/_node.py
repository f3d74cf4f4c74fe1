"""A node to read, and the words about nodes that text, graphs and plots share."""

from typing import TYPE_CHECKING, Any

from spinney._format import SHORT_DIGITS, category_text, number_text, set_text
from spinney._typing import Floats
from spinney.tree._node_arrays import read_test
from spinney.tree._tests import OR_MISSING, IntervalTest, MultiwayTest, Surrogate, Test

if TYPE_CHECKING:
    from spinney.tree._tree import Tree

_MOST_CLASSES = 5


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
        """The test of the node; None in a leaf."""
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
    def counts(self) -> Floats | None:
        """The weight of each class among the node's training rows; None for regression."""
        return None if self._tree.classes is None else self._tree.value[self._id]

    @property
    def probabilities(self) -> Floats | None:
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
    def n_events(self) -> float | None:
        """The weight of the events among the node's training rows; None but for lifetimes."""
        lifetimes = self._tree.lifetimes
        return None if lifetimes is None else lifetimes.n_events(self._leaves_below())

    def _leaves_below(self) -> list[int]:
        """Return the numbers of the leaves that the node is, or is divided into."""
        first, count = self._tree.first_child, self._tree.n_children
        leaves, open_nodes = [], [self._id]
        while open_nodes:
            node = open_nodes.pop()
            if first[node] < 0:
                leaves.append(node)
            open_nodes.extend(range(int(first[node]), int(first[node]) + int(count[node])))
        return leaves

    @property
    def surrogates(self) -> tuple[Surrogate, ...]:
        """The surrogate tests, for rows without the value of the main test, best first."""
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


def question_words(test: Test, digits: int = SHORT_DIGITS, max_categories: int = 6) -> str:
    """Return a test as text, shorter than `str(test)`; missing values are part of the answer."""
    if isinstance(test, MultiwayTest | IntervalTest):
        return test.feature_name
    return test.branch_text(0, digits, max_categories).removesuffix(OR_MISSING)


def answer_words(test: Test, branch: int, max_categories: int = 6) -> str:
    """Return the answer to a test that leads to a branch: "yes", "no", or what is held there."""
    if isinstance(test, IntervalTest):
        return test.interval_text(branch, SHORT_DIGITS)
    if not isinstance(test, MultiwayTest):
        with_gaps = test.branch_text(branch).endswith(OR_MISSING)
        return ("no" if branch else "yes") + (OR_MISSING if with_gaps else "")
    categories = test.branches[branch]
    if len(categories) == 1:
        return category_text(categories[0])
    return set_text(categories, max_categories)


def class_words(node: Node, digits: int = SHORT_DIGITS) -> str:
    """Return the weight of each class that a node holds; of many classes the heaviest.

    Of lifetimes it is the weight of the events.
    """
    counts, classes = node.counts, node.tree.classes
    if node.n_events is not None:
        return f"{number_text(node.n_events, digits)} events"
    if counts is None or classes is None or node.weight == 0:
        return ""
    present = [(c, label) for c, label in zip(counts.tolist(), classes, strict=True) if c > 0]
    more = len(present) - _MOST_CLASSES
    if more > 0:
        present = sorted(present, key=lambda pair: -pair[0])[:_MOST_CLASSES]
    # Shares of rows add up to whole numbers but for rounding, which nobody wants to read.
    words = [f"{number_text(float(f'{count:.12g}'), digits)} {label}" for count, label in present]
    if more > 0:
        words.append(f"{more} more")
    return ", ".join(words)


def answer_text(node: Node, digits: int = SHORT_DIGITS) -> str:
    """Return the number that a node predicts; a risk of 1 but for rounding is 1."""
    value = node.prediction
    return number_text(value if node.n_events is None else float(f"{value:.12g}"), digits)


def answer_name(node: Node) -> str:
    """Return what the number that a node predicts is called."""
    return "mean" if node.n_events is None else "risk"


def below_counts(tree: "Tree") -> list[int]:
    """Return how many nodes stand below each node."""
    sizes = [0] * tree.n_nodes
    parents = tree.parent.tolist()
    for node in range(tree.n_nodes - 1, 0, -1):  # children come before their parent here
        sizes[parents[node]] += sizes[node] + 1
    return sizes
