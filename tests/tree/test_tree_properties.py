import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tree_makers import codes, trees

from spinney.tree import Node, Tree

steady = settings(deadline=None)  # a busy machine is no failure


@steady
@given(trees())
def test_a_tree_comes_back_from_json(tree: Tree) -> None:
    assert Tree.from_dict(json.loads(json.dumps(tree.to_dict(), allow_nan=False))) == tree


@pytest.mark.slow
@steady
@given(trees())
def test_a_tree_comes_back_from_a_pickle(tree: Tree) -> None:
    assert pickle.loads(pickle.dumps(tree)) == tree


def walk(node: Node, row: list[Any]) -> Node:
    """Go down by the words of the tests alone, to the leaf."""
    while node.test is not None:
        ways = [node.test, *node.surrogates]
        answers = (way.branch(row[getattr(way, "test", way).feature]) for way in ways)
        branch = next((answer for answer in answers if answer is not None), None)
        below = node.default_child if branch is None else node.children[branch]
        assert below is not None
        node = below
    return node


@pytest.mark.slow
@steady
@given(trees(), st.data())
def test_walking_the_nodes_in_python_ends_in_the_same_leaves(
    tree: Tree, data: st.DataObject
) -> None:
    table = data.draw(codes(tree.schema))
    raw = [
        [
            value if not column.categories or np.isnan(value) else column.categories[int(value)]
            for value, column in zip(row, tree.schema.columns, strict=True)
        ]
        for row in table
    ]
    leaves = tree.apply(table, encoded=True)
    assert [walk(tree.root, row).id for row in raw] == leaves.tolist()
    path = tree.decision_path(table, encoded=True)
    assert path.sum(axis=1).ravel().tolist()[0] == (tree.depth[leaves] + 1).tolist()


@pytest.mark.slow
@steady
@given(trees(), st.data())
def test_pruning_sends_rows_to_the_nearest_ancestor_left(tree: Tree, data: st.DataObject) -> None:
    table = data.draw(codes(tree.schema))
    cut = data.draw(st.lists(st.integers(0, tree.n_nodes - 1)))
    pruned = tree.prune_at(cut)
    assert pruned.n_nodes <= tree.n_nodes
    before = [tree[leaf] for leaf in tree.apply(table, encoded=True).tolist()]
    after = [pruned[leaf] for leaf in pruned.apply(table, encoded=True).tolist()]
    for old, new in zip(before, after, strict=True):
        above = [old]
        while above[-1].parent is not None:
            above.append(above[-1].parent)
        stop = next((node for node in reversed(above) if node.id in cut), old)
        assert (stop.prediction, stop.depth, stop.weight) == (new.prediction, new.depth, new.weight)


@pytest.mark.slow
@steady
@given(trees(), st.data())
def test_simplifying_keeps_what_is_predicted(tree: Tree, data: st.DataObject) -> None:
    table = data.draw(codes(tree.schema))
    simple = tree.simplify()
    if tree.missing != "fractional":
        np.testing.assert_array_equal(
            simple.predict(table, encoded=True), tree.predict(table, encoded=True)
        )
    for node in simple:
        below = node.children
        mergeable = below and all(
            child.is_leaf and child.prediction == node.prediction for child in below
        )
        assert not mergeable


@pytest.mark.slow
@steady
@given(trees())
def test_any_tree_can_be_shown(tree: Tree) -> None:
    assert tree.to_text(max_depth=None).count("n=") >= tree.n_nodes
    assert tree.to_graphviz(max_depth=None).count(" -> ") >= tree.n_nodes - 1
    assert repr(tree).startswith("Tree(")
    assert all(repr(node).startswith(f"Node({node.id}") for node in tree)


@pytest.mark.slow
@steady
@given(trees())
def test_importances_are_shares_of_one(tree: Tree) -> None:
    own = tree.importances()
    assert own.shape == (len(tree.schema.columns),)
    if own.sum() > 0:
        np.testing.assert_allclose(own.sum(), 1)
