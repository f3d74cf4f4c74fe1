"""The arrays of a tree: one entry for each node, read-only, under the names of scikit-learn.

Tests are a table of parallel arrays: kind, feature and threshold, for tests on categories a slice
of (code, branch) pairs, sorted by code, for tests on intervals a slice of cuts, and for expressions
a slice of tokens. A tree has two such tables: that of its nodes, and with the prefix "surrogate_"
that of their surrogates.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._expression.expression_test import ExpressionTest
from spinney._expression.tokens import OPS, Token
from spinney._table import Schema
from spinney._typing import Floats
from spinney.tree._measures import node_depths
from spinney.tree._tests import IntervalTest, MultiwayTest, SubsetTest, Test, ThresholdTest

# Both in the order of the core's codes.
KINDS = ("leaf", "threshold", "subset", "multiway", "expression")
MISSING_RULES = ("surrogate", "majority", "fractional", "learned", "category")
# Those under which the tests themselves place missing values.
GAP_RULES = ("learned", "category")


def read_test(
    state: Mapping[str, Any], index: int, schema: Schema, n_branches: int, prefix: str = ""
) -> Test | None:
    """Return test number `index` from the arrays of a tree; None for a leaf.

    Parameters
    ----------
    state : mapping
        The arrays of the core's tree.
    index : int
        A node, or with the prefix of the surrogates, a surrogate.
    schema : Schema
        Names and categories of the columns.
    n_branches : int
        The number of children.
    prefix : {"", "surrogate_"}
        Which of the two tables of tests to read.
    """
    kind = KINDS[state[prefix + "kind"][index]]
    if kind == "leaf":
        return None
    if kind == "expression":
        return ExpressionTest(read_tokens(state, index, prefix), schema.columns)
    feature = int(state[prefix + "feature"][index])
    column = schema.columns[feature]
    places_gaps = not prefix and MISSING_RULES[state["missing"]] in GAP_RULES
    gaps = int(state["default_branch"][index]) if places_gaps else None
    if kind == "threshold":
        threshold = float(state[prefix + "threshold"][index])
        return ThresholdTest(feature, column.name, threshold, column.categories, gaps)
    begin, end = state[prefix + "cut_begin"][index : index + 2].tolist()
    if begin < end:
        cuts = tuple(state[prefix + "cut"][begin:end].tolist())
        return IntervalTest(feature, column.name, cuts, column.categories)
    codes = _codes(state, index, n_branches, prefix)
    groups = tuple([tuple([column.categories[code] for code in branch]) for branch in codes])
    if kind == "subset":
        return SubsetTest(feature, column.name, groups[0], groups[1], gaps)
    return MultiwayTest(feature, column.name, groups)


def read_branches(
    state: Mapping[str, Any], index: int, n_branches: int, prefix: str = ""
) -> tuple[tuple[float, ...], tuple[tuple[int, ...], ...]]:
    """Read a test on one column from the arrays of a tree: its cuts, and each branch's codes.

    Parameters
    ----------
    state : mapping of str to array
        The arrays.
    index : int
        The node, or the surrogate.
    n_branches : int
        Number of children of the node.
    prefix : str, default=""
        "surrogate_" for surrogates.

    Returns
    -------
    cuts : tuple of float
        Ascending; empty for a test by categories.
    codes : tuple of tuple of int
        The category codes of each branch; all empty for a test by cuts.
    """
    if KINDS[state[prefix + "kind"][index]] == "threshold":
        return (float(state[prefix + "threshold"][index]),), ((),) * n_branches
    begin, end = state[prefix + "cut_begin"][index : index + 2].tolist()
    if begin < end:
        return tuple(state[prefix + "cut"][begin:end].tolist()), ((),) * n_branches
    return (), tuple(map(tuple, _codes(state, index, n_branches, prefix)))


def _codes(state: Mapping[str, Any], index: int, n_branches: int, prefix: str) -> list[list[int]]:
    """Return the category codes of each branch."""
    groups: list[list[int]] = [[] for _ in range(n_branches)]
    begin, end = state[prefix + "code_begin"][index : index + 2].tolist()
    codes, branches = state[prefix + "code"][begin:end], state[prefix + "branch"][begin:end]
    for code, branch in zip(codes.tolist(), branches.tolist(), strict=True):
        groups[branch].append(code)
    return groups


def read_tokens(state: Mapping[str, Any], index: int, prefix: str = "") -> tuple[Token, ...]:
    """Return the tokens of an expression test."""
    begin, end = state[prefix + "token_begin"][index : index + 2].tolist()
    parts = [state[f"{prefix}token_{name}"][begin:end].tolist() for name in ("op", "arg", "value")]
    return tuple(Token(OPS[op], arg, value) for op, arg, value in zip(*parts, strict=True))


def pack_tests(tests: Iterable[Test | None], schema: Schema, prefix: str = "") -> dict[str, Any]:
    """Return the arrays that hold the tests, in order; None is a leaf."""
    tests = list(tests)
    kinds = ["leaf" if test is None else test.kind for test in tests]
    pairs = [sorted(_code_pairs(test, schema)) for test in tests]
    cuts = [test.cuts if isinstance(test, IntervalTest) else () for test in tests]
    tokens = [test.tokens if isinstance(test, ExpressionTest) else () for test in tests]
    codes, branches = np.array([*chain(*pairs)], np.int32).reshape(-1, 2).T.copy()
    flat = [*chain(*tokens)]
    arrays = {
        "kind": np.array([KINDS.index(kind) for kind in kinds], np.uint8),
        "feature": np.array([getattr(test, "feature", -1) for test in tests], np.int32),
        "threshold": np.array([getattr(test, "threshold", np.nan) for test in tests], np.float64),
        "code_begin": np.cumsum([0, *map(len, pairs)], dtype=np.int64),
        "code": codes,
        "branch": branches,
        "cut_begin": np.cumsum([0, *map(len, cuts)], dtype=np.int64),
        "cut": np.array([*chain(*cuts)], np.float64),
        "token_begin": np.cumsum([0, *map(len, tokens)], dtype=np.int64),
        "token_op": np.array([OPS.index(token.op) for token in flat], np.int32),
        "token_arg": np.array([token.arg for token in flat], np.int32),
        "token_value": np.array([token.value for token in flat], np.float64),
    }
    return {prefix + name: array for name, array in arrays.items()}


def _code_pairs(test: Test | None, schema: Schema) -> list[tuple[int, int]]:
    if test is None or isinstance(test, ThresholdTest | IntervalTest | ExpressionTest):
        return []
    if isinstance(test, SubsetTest):
        groups: tuple[tuple[Any, ...], ...] = (test.categories, test.other_categories)
    else:
        groups = test.branches
    column, pairs = schema.columns[test.feature], []
    for branch, categories in enumerate(groups):
        for category in categories:
            code = column.code_of(category)
            assert code is not None, "tests are made from the vocabulary"
            pairs.append((code, branch))
    return pairs


def same_state(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two trees have the same arrays; NaN equals NaN."""
    return one.keys() == other.keys() and all(
        np.array_equal(one[name], other[name], equal_nan=np.asarray(one[name]).dtype.kind == "f")
        for name in one
    )


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
        """Column that each node tests; -1 in a leaf and for an expression."""
        return self._array("feature")

    @property
    def threshold(self) -> Floats:
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
    def value(self) -> Floats:
        """Class weights, of shape (n_nodes, n_classes); means, of shape (n_nodes, 1)."""
        return self._array("value")

    @property
    def answer(self) -> Floats | None:
        """What each node predicts where that is not its `value`: class shares, or numbers.

        Of the shape of `value`, which stays what the training rows add up to. None if every node
        predicts by its value.
        """
        return self._state.get("answer")

    @cached_property
    def _predicted(self) -> Floats:
        """What each node predicts as a leaf, of the shape of `value`: class shares, or the number.

        The one place in Python that decides whether a node predicts its value. Sums go from class
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
    def weight(self) -> Floats:
        """Weight of the training rows in each node."""
        return self._array("weight")

    @property
    def impurity(self) -> Floats:
        """Impurity of the training rows in each node."""
        return self._array("impurity")

    @property
    def gain(self) -> Floats:
        """Impurity that each node's test removes from the rows that it places, times weight."""
        return self._array("gain")

    @cached_property
    def risk(self) -> Floats:
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

    # The same under scikit-learn's names, for code that reads its trees.

    @property
    def node_count(self) -> int:
        """Number of nodes, as `n_nodes`."""
        return self.n_nodes

    @property
    def children_left(self) -> NDArray[np.int32]:
        """Child of each node where its test is true; -1 in a leaf. For tests of two branches."""
        return self._child(0)

    @property
    def children_right(self) -> NDArray[np.int32]:
        """Child of each node where its test is not true; -1 in a leaf."""
        return self._child(1)

    def _child(self, branch: int) -> NDArray[np.int32]:
        if self.n_children.max() > 2:
            raise AttributeError(
                "children_left and children_right are of trees whose tests have two branches. Use "
                "first_child and n_children."
            )
        return np.where(self.first_child >= 0, self.first_child + np.int32(branch), np.int32(-1))

    @property
    def n_node_samples(self) -> NDArray[np.int64]:
        """Number of training rows in each node, as `n_samples`."""
        return self.n_samples

    @property
    def weighted_n_node_samples(self) -> Floats:
        """Weight of the training rows in each node, as `weight`."""
        return self.weight

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.schema.columns)

    @property
    def n_outputs(self) -> int:
        """Number of targets, which is 1."""
        return 1

    @property
    def n_classes(self) -> NDArray[np.intp]:
        """Number of classes, as an array of one number; 1 for regression."""
        return np.array([1 if self.classes is None else len(self.classes)], dtype=np.intp)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.schema.names

    @property
    def missing(self) -> str:
        """How rows with gaps are routed: the `missing` of the learner, such as 'surrogate'."""
        return MISSING_RULES[self._state["missing"]]

    @property
    def cost_matrix(self) -> Floats | None:
        """Cost of each label (column) for rows of each class (row); None if mistakes cost 1."""
        cost = self._array("cost")
        return cost.reshape(self._state["n_classes"], -1) if len(cost) else None


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array
