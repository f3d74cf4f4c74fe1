"""Tests given by hand, each for the node at the end of a path from the root.

A path is text that survives another fit: `"root"`, `"root/yes"` for the child where the root's test
is true, `"root/yes/no"` and so on. Branches of a test with one for each category, or for each
interval, are numbered from 1: `"root/3"`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._format import did_you_mean
from spinney._table import Schema
from spinney.tree._from_dict import links_state, reading_order, with_gaps_placed
from spinney.tree._node import Node
from spinney.tree._node_arrays import pack_tests
from spinney.tree._parse import build_test, column_places
from spinney.tree._tests import IntervalTest, MultiwayTest, SubsetTest, Test, ThresholdTest
from spinney.tree._to_dict import test_to_dict, without_gaps
from spinney.tree._tree import Tree

ROOT = "root"
BRANCHES = ("yes", "no")
Tests = Mapping[str, Test | None]  # by path; None: the node stays a leaf


def path_of(node: Node) -> str:
    """Return the path that leads from the root to a node."""
    steps = []
    while node.parent is not None:
        steps.append(_branch_names(node.parent)[node.branch or 0])
        node = node.parent
    return "/".join([ROOT, *reversed(steps)])


def node_at(tree: Tree, path: str) -> Node:
    """Return the node at the end of a path; the error of a wrong one says how far it leads."""
    steps = _steps(path)
    node = tree.root
    for place, step in enumerate(steps):
        if node.is_leaf:
            seen = "/".join([ROOT, *steps[:place]])
            raise ValueError(f"there is no node {path!r}: {seen!r} is a leaf.")
        names = _branch_names(node)
        if step not in names:
            raise ValueError(
                f"there is no node {path!r}: the branches of {'/'.join([ROOT, *steps[:place]])!r} "
                f"are {names[0]!r} to {names[-1]!r}."
            )
        node = node.children[names.index(step)]
    return node


def _branch_names(node: Node) -> tuple[str, ...]:
    """Return what the branches of a node are called."""
    if isinstance(node.test, MultiwayTest | IntervalTest):
        return tuple(str(place + 1) for place in range(len(node.children)))
    return BRANCHES


def _steps(path: str) -> list[str]:
    first, *steps = path.split("/")
    if first != ROOT or not all(step in BRANCHES or step.isdigit() for step in steps):
        raise ValueError(
            f"{path!r} is not the path of a node. Write it as 'root', 'root/yes' or 'root/yes/no'; "
            "'yes' is the child where the test is true."
        )
    return steps


def tests_below(node: Node) -> Iterator[tuple[str, Test | None]]:
    """Yield path and test of a node and of all below it; leaves have no test."""
    stack = [(path_of(node), node)]
    while stack:
        path, node = stack.pop()
        yield path, node.test
        pairs = zip(_branch_names(node), node.children, strict=False)
        stack += [(f"{path}/{branch}", child) for branch, child in pairs]


def tests_to_dict(tests: Tests, schema: Schema) -> dict[str, dict[str, Any] | None]:
    """Return tests in the form that `forced_tests` takes, which JSON can hold."""
    return {
        path: None if test is None else forced_to_dict(test, schema) for path, test in tests.items()
    }


def forced_to_dict(test: Test, schema: Schema) -> dict[str, Any]:
    """Return a test in the form that `forced_tests` takes, with the branch of its gaps if any."""
    entry = test_to_dict(without_gaps(test), schema, column_places(schema.names))
    gaps = gaps_of(test)
    return entry if gaps is None else {**entry, "test": str(test), "default_branch": gaps}


def gaps_of(test: Test | None) -> int | None:
    """Return the branch to which a test sends missing values; None if it has none for them."""
    return test.gaps if isinstance(test, ThresholdTest | SubsetTest) else None


def read_forced_test(given: Any, schema: Schema) -> Test | None:
    """Return a test from its text, or from its dict; None for None."""
    if given is None:
        return None
    entry = {"test": given} if isinstance(given, str) else given
    names = column_places(schema.names)
    plain = entry if entry.get("test") in names else with_gaps_placed(entry)
    test = build_test(plain, schema, names, len(BRANCHES))
    gaps = plain.get("default_branch")
    if gaps is None or not isinstance(test, ThresholdTest | SubsetTest):
        return test
    if gaps not in (0, 1):
        raise ValueError(
            f"'default_branch' of a test is 0 if missing values go where it is true, else 1; got "
            f"{gaps!r}."
        )
    return replace(test, gaps=gaps)


def read_forced_tests(given: Mapping[str, Any], schema: Schema) -> dict[str, Test | None]:
    """Return the tests of `forced_tests` by path; each has one above it, up to the root."""
    tests = {}
    for path, test in given.items():
        try:
            if not set(_steps(path)) <= set(BRANCHES):
                raise ValueError("forced tests have the branches 'yes' and 'no'.")
            tests[path] = read_forced_test(test, schema)
        except ValueError as problem:
            raise ValueError(f"forced_tests[{path!r}]: {problem}") from None
    for path in tests:
        above = path.rpartition("/")[0]
        if above and tests.get(above) is None:
            hint = did_you_mean(above, tests)
            raise ValueError(
                f"forced_tests[{path!r}] has no test above it: give {above!r} a test, too.{hint}"
            )
    return tests


def forced_tree(
    tests: Tests, schema: Schema
) -> tuple[_core.Tree, NDArray[np.bool_], NDArray[np.int32]]:
    """Return the tests as a tree, which leaves are not to be divided, and where gaps go (or -1)."""
    paths, children = [ROOT], []
    for path in paths:  # grows while it is walked
        below = [f"{path}/{branch}" for branch in BRANCHES] if tests.get(path) is not None else []
        children.append([len(paths) + k for k in range(len(below))])
        paths.extend(below)
    state = links_state(children, reading_order(children))
    state |= pack_tests([tests.get(path) for path in paths], schema)
    state |= pack_tests([], schema, prefix="surrogate_")
    n = len(paths)
    state |= {
        "surrogate_reversed": np.zeros(0, np.uint8),
        "surrogate_agreement": np.zeros(0),
        "surrogate_adjusted": np.zeros(0),
        "surrogate_begin": np.zeros(n + 1, np.int64),
        "value": np.zeros((n, 1)),
        "n_samples": np.ones(n, np.int64),
        "default_branch": np.zeros(n, np.int32),
        "n_features": len(schema.columns),
        "n_classes": 0,
        "missing": 0,
        "cost": np.zeros(0),
        "weight": np.ones(n),
        "gain": np.zeros(n),
    }
    state |= {"impurity": np.zeros(n), "risk": np.zeros(n)}
    closed = np.array([path in tests and tests[path] is None for path in paths])
    gaps = [gaps_of(tests.get(path)) for path in paths]
    return _core.Tree(state), closed, np.array([-1 if g is None else g for g in gaps], np.int32)


def unused_tests(tree: Tree, tests: Tests) -> list[str]:
    """Return the paths whose tests the tree does not have: no row went one of their ways."""
    lost = []
    for path in sorted(path for path, test in tests.items() if test is not None):
        try:
            if node_at(tree, path).is_leaf:
                lost.append(path)
        except ValueError:
            lost.append(path)
    return lost


def require_tests(tree: Tree, tests: Tests) -> None:
    """Refuse a tree without some of the tests that were forced on it."""
    for path in unused_tests(tree, tests):
        raise ValueError(
            f"forced_tests[{path!r}], {str(tests[path])!r}, sends all rows of its node the same "
            "way. Choose another test, or leave it out."
        )
