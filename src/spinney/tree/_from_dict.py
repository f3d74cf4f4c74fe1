"""A tree from a dict: links, columns and numbers of nodes that may be written by hand."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import index
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._constraints import are_signs, monotone_signs
from spinney._expression.expression_test import ExpressionTest
from spinney._expression.tokens import truth
from spinney._params import CLASS_CRITERIA, REGRESSION_CRITERIA
from spinney._table import Schema
from spinney._typing import Floats
from spinney.tree._dict_parts import Columns, node_numbers
from spinney.tree._leaf_lifetimes import LeafLifetimes
from spinney.tree._measures import impurity_decreases
from spinney.tree._node_arrays import GAP_RULES, MISSING_RULES, pack_tests
from spinney.tree._parse import build_test
from spinney.tree._tests import IS_KNOWN, OR_MISSING, SubsetTest, Test

Entry: TypeAlias = Mapping[str, Any]
T = TypeVar("T")


def tree_from_dict(
    data: Entry,
) -> tuple[_core.Tree, Schema, NDArray[Any] | None, LeafLifetimes | None]:
    """Return the core's tree, columns, classes and lifetimes that a dict describes."""
    nodes, missing = _nodes(data), _missing_rule(data)
    if MISSING_RULES[missing] in GAP_RULES:
        nodes = [with_gaps_placed(node) for node in nodes]
    children = child_lists(nodes)
    classes = _classes(data)
    cost_matrix = _cost_matrix(data, classes)
    labels = [node.get("id", place) for place, node in enumerate(nodes)]
    columns = Columns(data)
    for label, node in zip(labels, nodes, strict=True):
        for entry in _tests_of(label, node):
            _naming(label, columns.note, entry)
    schema = columns.schema()

    order = reading_order(children)
    labels, entries = [labels[place] for place in order], [nodes[place] for place in order]
    state = links_state(children, order)
    tests = [
        _naming(label, _node_test, entry, schema, columns.places, n_children)
        for label, entry, n_children in zip(labels, entries, state["n_children"], strict=True)
    ]
    state |= pack_tests(tests, schema)
    state |= _surrogates_state(
        labels, entries, state["n_children"].tolist(), schema, columns.places
    )
    state |= _numbers_state(labels, entries, state["parent"].tolist(), classes, cost_matrix)
    state["default_branch"] = np.array(
        [
            _naming(labels[i], _default_branch, entries[i], test, _weights_below(state, i), columns)
            for i, test in enumerate(tests)
        ],
        dtype=np.int32,
    )
    state["n_features"] = len(schema.columns)
    state["n_classes"] = 0 if classes is None else len(classes)
    state["gain"] = _gains(labels, entries, state)
    state["missing"] = missing
    state["cost"] = np.zeros(0) if cost_matrix is None else cost_matrix.ravel()
    if "objective" in data:
        state["objective"] = _objective(data, classes)
    if data.get("monotonic_cst") is not None:
        state["monotone"] = _signs(data["monotonic_cst"], schema)
    if data.get("answers") is not None:
        state["answer"] = _answers(data["answers"], order, labels, state["value"].shape[1])
    lifetimes = data.get("lifetimes")
    counted = None if lifetimes is None else LeafLifetimes.from_dict(lifetimes, order)
    return _core.Tree(state), schema, classes, counted


def _naming(label: Any, read: Callable[..., T], *arguments: Any) -> T:
    """Call a function and put the name of the node before the message of its error."""
    try:
        return read(*arguments)
    except (TypeError, ValueError, OverflowError) as problem:
        raise ValueError(f"node {label}: {problem}") from None


def _nodes(data: Entry) -> Sequence[Entry]:
    if not isinstance(data, Mapping):
        raise ValueError(f"a tree is read from a dict, got {type(data).__name__}.")
    for key in ("classes", "features", "nodes"):
        if key not in data:
            raise ValueError(f"the dict of a tree needs {key!r}.")
    nodes = data["nodes"]
    if not isinstance(nodes, Sequence) or isinstance(nodes, str) or not nodes:
        raise ValueError("'nodes' must be a list with at least one node.")
    for place, node in enumerate(nodes):
        if not isinstance(node, Mapping):
            raise ValueError(f"node {place}: must be a dict, got {type(node).__name__}.")
    return nodes


def _classes(data: Entry) -> NDArray[Any] | None:
    labels = data["classes"]
    if labels is None:
        return None
    labels = list(labels) if isinstance(labels, Sequence | np.ndarray) else []
    if not labels or isinstance(data["classes"], str):
        raise ValueError(f"'classes' must be a list of labels, or None; got {data['classes']!r}.")
    if "classes_dtype" in data:
        classes = np.array(labels, dtype=np.dtype(data["classes_dtype"]))
    else:
        texts = sum(isinstance(label, str) for label in labels)
        classes = np.array(labels, dtype=object if 0 < texts < len(labels) else None)
    if classes.ndim != 1 or len(set(classes.tolist())) != len(classes):
        raise ValueError(f"'classes' must be a list of labels that differ, got {labels!r}.")
    return classes


def _cost_matrix(data: Entry, classes: NDArray[Any] | None) -> Floats | None:
    given = data.get("cost_matrix")
    if given is None:
        return None
    n_classes = 0 if classes is None else len(classes)
    matrix = np.array(given, dtype=np.float64)
    if matrix.shape != (n_classes, n_classes):
        raise ValueError("'cost_matrix' must have a row and a column for each class.")
    return matrix


def _objective(data: Entry, classes: NDArray[Any] | None) -> str:
    """Return the criterion by which rows are judged."""
    name = data["objective"]
    known = CLASS_CRITERIA if classes is not None else (*REGRESSION_CRITERIA, "logrank")
    if str(name).partition("(")[0] not in known:
        raise ValueError(f"'objective' must be one of {known}, got {name!r}.")
    return str(name)


def _signs(given: Any, schema: Schema) -> NDArray[np.int8]:
    if not are_signs(given):
        raise ValueError(f"'monotonic_cst' must map columns to -1, 0 or 1, got {given!r}.")
    return monotone_signs(given, schema)


def _answers(given: Any, order: Sequence[int], labels: Sequence[Any], n_outputs: int) -> Floats:
    """Return what each node predicts, in the order of the tree; the core checks the numbers."""
    if not isinstance(given, Sequence | np.ndarray) or len(given) != len(order):
        raise ValueError(f"'answers' must be a list with an entry for each of {len(order)} nodes.")
    answers = np.empty((len(order), n_outputs))
    for place, label, row in zip(order, labels, answers, strict=True):
        found = _naming(label, np.array, given[place], np.float64)
        if found.size != n_outputs or found.ndim > 1:
            what = "a number" if n_outputs == 1 else f"a list of {n_outputs} numbers"
            raise ValueError(f"node {label}: its entry in 'answers' must be {what}.")
        row[:] = found
    return answers


def _missing_rule(data: Entry) -> int:
    rule = data.get("missing", "surrogate")
    if rule not in MISSING_RULES:
        raise ValueError(f"'missing' must be one of {MISSING_RULES}, got {rule!r}.")
    return MISSING_RULES.index(rule)


def with_gaps_placed(node: Entry) -> Entry:
    """Return a node whose test is plain: where missing values go stands in 'default_branch'."""
    text = node.get("test")
    if not isinstance(text, str):
        return node
    if text.endswith(OR_MISSING):
        return {"default_branch": 0, **node, "test": text.removesuffix(OR_MISSING)}
    if text.endswith(IS_KNOWN):
        plain = {key: entry for key, entry in node.items() if key != "threshold"}
        return {"default_branch": 1, **plain, "test": text.removesuffix(IS_KNOWN) + " <= inf"}
    return node


def _tests_of(label: Any, node: Entry) -> Iterable[Entry]:
    """Return the entries of a node that hold a test: its own, and those of its surrogates."""
    surrogates = node.get("surrogates") or []
    if not isinstance(surrogates, list | tuple) or not all(
        isinstance(entry, Mapping) and entry.get("test") is not None for entry in surrogates
    ):
        raise ValueError(f"node {label}: 'surrogates' must be a list of dicts that have a 'test'.")
    return [entry for entry in (node, *surrogates) if entry.get("test") is not None]


def _node_test(
    entry: Entry, schema: Schema, places: Mapping[str, int], n_children: int
) -> Test | None:
    if entry.get("test") is None:
        if n_children:
            raise ValueError("it has children but no 'test'.")
        return None
    if not n_children:
        raise ValueError(f"it has the test {entry['test']!r} but no 'children'.")
    return build_test(entry, schema, places, int(n_children))


def links_state(children: list[list[int]], order: list[int]) -> dict[str, Any]:
    """Return parents and children of nodes, numbered in an order."""
    number = {place: new for new, place in enumerate(order)}
    parent = np.full(len(order), -1, dtype=np.int32)
    first = np.full(len(order), -1, dtype=np.int32)
    count = np.zeros(len(order), dtype=np.int32)
    for new, place in enumerate(order):
        below = [number[child] for child in children[place]]
        if below:
            first[new], count[new] = below[0], len(below)
            parent[below] = new
    return {"parent": parent, "first_child": first, "n_children": count}


def _surrogates_state(
    labels: Sequence[Any],
    entries: Sequence[Entry],
    counts: Sequence[int],
    schema: Schema,
    places: Mapping[str, int],
) -> dict[str, Any]:
    tests: list[Test] = []
    turned: list[bool] = []
    shares: list[tuple[float, float]] = []
    begin = [0]
    for label, entry, n_children in zip(labels, entries, counts, strict=True):
        for given in entry.get("surrogates") or ():
            tests.append(_naming(label, build_test, given, schema, places, n_children))
            turned.append(bool(given.get("reversed", False)))
            agreement, adjusted = given.get("agreement", 1.0), given.get("adjusted", 1.0)
            shares.append((_naming(label, float, agreement), _naming(label, float, adjusted)))
        begin.append(len(tests))
    return {
        **pack_tests(tests, schema, prefix="surrogate_"),
        "surrogate_reversed": np.array(turned, dtype=np.uint8),
        "surrogate_agreement": np.array([pair[0] for pair in shares], dtype=np.float64),
        "surrogate_adjusted": np.array([pair[1] for pair in shares], dtype=np.float64),
        "surrogate_begin": np.array(begin, dtype=np.int64),
    }


def _numbers_state(
    labels: Sequence[Any],
    entries: Sequence[Entry],
    parents: Sequence[int],
    classes: NDArray[Any] | None,
    cost_matrix: Floats | None,
) -> dict[str, Any]:
    n_classes = None if classes is None else len(classes)
    rows = [
        _naming(label, node_numbers, entry, n_classes, cost_matrix)
        for label, entry in zip(labels, entries, strict=True)
    ]
    if n_classes is not None:
        for row, entry, parent in zip(rows, entries, parents, strict=True):
            # A child without rows predicts as its parent; `to_dict` has written that already.
            if parent >= 0 and "weight" not in entry and not row.value.any():
                row.value = rows[parent].value
    return {
        "value": np.array([row.value for row in rows]),
        "n_samples": np.array([row.n_samples for row in rows], dtype=np.int64),
        "weight": np.array([row.weight for row in rows], dtype=np.float64),
        "impurity": np.array([row.impurity for row in rows], dtype=np.float64),
        "risk": np.array([row.cost for row in rows], dtype=np.float64),
    }


def _gains(labels: Sequence[Any], entries: Sequence[Entry], state: Entry) -> Floats:
    """Return what each node's test gains: as written, or from the impurities."""
    gains = impurity_decreases(state)
    for node, (label, entry) in enumerate(zip(labels, entries, strict=True)):
        if "gain" in entry:
            gains[node] = _naming(label, float, entry["gain"])
    return gains


def _weights_below(state: Entry, node: int) -> Floats:
    first, count = state["first_child"][node], state["n_children"][node]
    weights: Floats = state["weight"][max(first, 0) : max(first, 0) + count]
    return weights


def _default_branch(entry: Entry, test: Test | None, weights: Floats, columns: Columns) -> int:
    """Return where a row goes that the test cannot place: to the heavier child.

    A category that no test names looks like a missing one. It is not in the set, so where the
    vocabulary was collected from the tests, what a subset test cannot place is not in its set.
    """
    if test is None:
        return 0
    if "default_branch" in entry:
        branch = int(entry["default_branch"])
        if not 0 <= branch < len(weights):
            raise ValueError(f"'default_branch' must be the place of a child, got {branch}.")
        return branch
    if isinstance(test, ExpressionTest):
        return _unless_known(test, columns, int(weights.argmax()))
    collected = not columns.vocabulary_is_listed(test.feature) and "branches" not in entry
    return 1 if collected and isinstance(test, SubsetTest) else int(weights.argmax())


def _unless_known(test: ExpressionTest, columns: Columns, default: int) -> int:
    """Return where an expression sends categories that no test names, if it does."""
    nameless = np.full((1, len(test.columns)), np.nan)
    for feature, column in enumerate(test.columns):
        if column.kind != "numeric" and not columns.vocabulary_is_listed(feature):
            nameless[0, feature] = -1.0
    value = float(truth(test.tokens, nameless)[0])
    return default if value != value else 1 - int(value)


def child_lists(nodes: Sequence[Mapping[str, Any]]) -> list[list[int]]:
    """Return the places in the list of each node's children, or raise an error naming a node.

    Children are named by their place in the list, or by `id` if the nodes have one.
    """
    ids = [node.get("id", place) for place, node in enumerate(nodes)]
    places = {id: place for place, id in enumerate(ids) if isinstance(id, int | str)}
    if len(places) != len(ids):
        twice = next(i for place, i in enumerate(ids) if places.get(i) != place)
        raise ValueError(f"node {twice}: 'id' must be a number or a name that is given only once.")
    children = [_children_of(node, ids[place], places) for place, node in enumerate(nodes)]
    parents: list[int | None] = [None] * len(nodes)
    for place, below in enumerate(children):
        for child in below:
            if child in (0, place):
                raise ValueError(f"node {ids[place]}: a cycle, it leads to itself.")
            if parents[child] is not None:
                above = (ids[parents[child] or 0], ids[place])
                raise ValueError(f"node {ids[child]}: shared by two parents, {above}.")
            parents[child] = place
    for place in _not_reached(children):
        if parents[place] is None:
            raise ValueError(f"node {ids[place]}: an orphan, no node leads to it.")
    for place in _not_reached(children):
        raise ValueError(f"node {ids[place]}: part of a cycle that the root does not lead to.")
    return children


def _children_of(node: Mapping[str, Any], id: Any, places: Mapping[Any, int]) -> list[int]:
    listed = node.get("children") or []
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        raise ValueError(f"node {id}: 'children' must be a list, got {listed!r}.")
    found = []
    for child in listed:
        try:
            found.append(places[child if isinstance(child, str) else index(child)])
        except (KeyError, TypeError):
            raise ValueError(f"node {id}: there is no node {child!r} to be its child.") from None
    return found


def _not_reached(children: list[list[int]]) -> list[int]:
    reached = set(reading_order(children))
    return [place for place in range(len(children)) if place not in reached]


def reading_order(children: list[list[int]]) -> list[int]:
    """Return the nodes in an order in which siblings are neighbours and follow their parent.

    The order of the list itself if it is such an order, level by level if not.
    """
    as_listed = [0, *(child for below in children for child in below)]
    if sorted(as_listed) == list(range(len(children))) and all(
        below[0] > place and below == list(range(below[0], below[0] + len(below)))
        for place, below in enumerate(children)
        if below
    ):
        return list(range(len(children)))
    order = [0]
    for place in order:  # grows while it is walked
        order.extend(children[place])
    return order
