import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from spinney.tree import MultiwayTest, SubsetTest, ThresholdTest, Tree

LEAVES = [
    {"test": None, "children": [], "counts": [4, 0]},
    {"test": None, "children": [], "counts": [0, 4]},
]


def stump(test: str, leaves: list[dict[str, Any]] = LEAVES, **more: Any) -> dict[str, Any]:
    """Return a tree of one test; what else is given goes to the root, or if known, to the dict."""
    header = {key: more.pop(key) for key in ("features", "categories", "kinds") if key in more}
    root = {"test": test, "children": [1, 2], "counts": [4, 4], **more}
    return {"classes": ["a", "b"], "features": ["x", "size"], **header, "nodes": [root, *leaves]}


def through_json(tree: Tree) -> Tree:
    return Tree.from_dict(json.loads(json.dumps(tree.to_dict(), allow_nan=False)))


def test_a_hand_written_tree_survives_json(credit: Tree, prices: Tree) -> None:
    assert through_json(credit) == credit
    assert through_json(prices) == prices


def test_the_dict_holds_what_a_reader_wants(credit: Tree) -> None:
    written = credit.to_dict()
    assert written["classes"] == ["bad", "good"]
    assert written["features"] == ["income", "purpose", "deadline"]
    node = written["nodes"][1]
    assert node["test"] == "purpose in {A40, A43}"
    assert node["children"] == [3, 4]
    assert node["counts"] == [40, 10]
    assert written["nodes"][3]["test"] is None
    assert written["nodes"][3]["children"] == []


def test_numbers_of_the_nodes_follow_from_the_counts() -> None:
    leaves = [{"counts": [3, 1, 0]}, {"counts": [0, 2, 4]}]
    nodes = [{"test": "x <= 1", "children": [1, 2], "counts": [3, 3, 4]}, *leaves]
    cost = [[0, 1, 5], [1, 0, 1], [1, 1, 0]]
    header = {"classes": ["a", "b", "c"], "features": ["x"], "nodes": nodes}
    tree = Tree.from_dict(header)
    np.testing.assert_allclose(tree.impurity, [0.66, 0.375, 4 / 9])
    np.testing.assert_allclose(tree.risk, [0.6, 0.1, 0.2])
    costly = Tree.from_dict({**header, "cost_matrix": cost})
    # Labels of the root cost 3+4=7, 3+4=7, 15+3=18: the first of the cheapest is chosen.
    np.testing.assert_allclose(costly.risk, [0.7, 0.1, 0.2])
    assert costly.root.prediction == "a"
    assert through_json(costly) == costly


def test_a_row_that_a_test_cannot_place_goes_to_the_heavier_child() -> None:
    leaves = [{"counts": [1, 0]}, {"counts": [3, 4]}]
    tree = Tree.from_dict(stump("x <= 1", leaves))
    assert tree.root.default_child == tree[2]
    even = Tree.from_dict(stump("x <= 1"))
    assert even.root.default_child == even[1]
    told = Tree.from_dict(stump("x <= 1", leaves, default_branch=0))
    assert told.root.default_child == told[1]
    assert through_json(told) == told


def test_a_category_that_no_test_names_is_not_in_the_set() -> None:
    leaves = [{"counts": [9, 0]}, {"counts": [0, 1]}]
    tree = Tree.from_dict(stump("x in {a, b}", leaves, features=["x"]))
    assert tree.predict(pd.DataFrame({"x": ["b", "other"]})).tolist() == ["a", "b"]
    assert tree.root.test == SubsetTest(0, "x", ("a", "b"), ())


def test_the_rest_of_a_listed_vocabulary_is_the_other_side() -> None:
    tree = Tree.from_dict(stump("x in {b}", categories={"x": ["a", "b", "c"]}))
    assert tree.root.test == SubsetTest(0, "x", ("b",), ("a", "c"))
    assert tree.root.default_child == tree[1]


def test_categories_are_collected_from_all_tests_on_a_feature() -> None:
    nodes = [
        {"test": "x in {b, 'c, d'}", "children": [1, 2], "counts": [2, 2]},
        {"test": 'x in { a , "b" }', "children": [3, 4], "counts": [1, 1]},
        *({"counts": [1, 1]} for _ in range(3)),
    ]
    tree = Tree.from_dict({"classes": ["p", "q"], "features": ["x"], "nodes": nodes})
    assert tree.schema.columns[0].categories == ("b", "c, d", "a")
    assert tree.root.test == SubsetTest(0, "x", ("b", "c, d"), ("a",))
    assert str(tree.root.test) == "x in {b, 'c, d'}"
    assert through_json(tree) == tree


def test_an_ordered_feature_is_asked_by_category() -> None:
    tree = Tree.from_dict(stump("size <= med", categories={"size": ["low", "med", "high"]}))
    assert str(tree.root.test) == "size <= med"
    assert tree.schema.columns[1].kind == "ordered"
    table = pd.DataFrame({"x": [0.0] * 3, "size": ["low", "med", "high"]})
    assert tree.predict(table).tolist() == ["a", "a", "b"]
    assert through_json(tree) == tree


def test_a_multiway_test_takes_the_vocabulary_in_order() -> None:
    data = stump("size", categories={"size": ["low", "high"]})
    test = Tree.from_dict(data).root.test
    assert test == MultiwayTest(1, "size", (("low",), ("high",)))


def test_thresholds_come_back_to_the_last_bit() -> None:
    for threshold in (0.1 + 0.2, 1 / 3, 1e-310, -np.inf, 2.0**60 + 256, 1234567891.5):
        tree = Tree.from_dict(stump(f"x <= {threshold!r}"))
        assert tree.threshold[0] == threshold
        assert through_json(tree) == tree
        if threshold == 1 / 3:
            assert tree.to_dict()["nodes"][0]["threshold"] == threshold
        if threshold == 1234567891.5:
            assert "threshold" not in tree.to_dict()["nodes"][0]


def test_a_changed_text_beside_an_exact_threshold_is_refused() -> None:
    written = Tree.from_dict(stump(f"x <= {1 / 3!r}")).to_dict()
    written["nodes"][0]["test"] = "x <= 0.5"
    with pytest.raises(ValueError, match=r"node 0: .*'threshold' .*disagree"):
        Tree.from_dict(written)


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [0, 4, 3, 2, 1], [0, 3, 1, 4, 2]])
def test_nodes_may_be_listed_in_any_order(order: list[int]) -> None:
    nodes = [
        {"test": "x <= 1", "children": [1, 2], "counts": [3, 3]},
        {"test": "x <= 0", "children": [3, 4], "counts": [3, 1]},
        {"counts": [0, 2]},
        {"counts": [2, 0]},
        {"counts": [1, 1]},
    ]
    place = {old: new for new, old in enumerate(order)}
    listed = [
        {**nodes[old], "children": [place[c] for c in nodes[old].get("children", [])]}
        for old in order
    ]
    header = {"classes": ["a", "b"], "features": ["x"]}
    tree = Tree.from_dict({**header, "nodes": listed})
    assert tree == Tree.from_dict({**header, "nodes": nodes})


def test_nodes_may_have_ids_of_their_own() -> None:
    data = stump("x <= 1", [{**LEAVES[0], "id": 20}, {**LEAVES[1], "id": 10}], id=7)
    data["nodes"][0]["children"] = [10, 20]
    assert Tree.from_dict(data)[1].prediction == "b"


def test_an_order_that_is_possible_is_kept() -> None:
    nodes = [
        {"test": "x <= 1", "children": [1, 2], "counts": [3, 3]},
        {"test": "x <= 0", "children": [5, 6], "counts": [3, 1]},
        {"test": "x <= 2", "children": [3, 4], "counts": [3, 1]},
        *({"counts": [1, 1]} for _ in range(4)),
    ]
    tree = Tree.from_dict({"classes": ["a", "b"], "features": ["x"], "nodes": nodes})
    assert tree.first_child.tolist()[:3] == [1, 5, 3]


def test_a_child_without_rows_predicts_as_its_parent() -> None:
    leaves = [{"counts": [2, 4]}, {"counts": [0, 0]}]
    tree = Tree.from_dict(stump("x <= 1", leaves, counts=[2, 4]))
    assert tree[2].prediction == "b"
    assert (tree[2].n_samples, tree[2].weight, tree[2].risk) == (0, 0, 0)
    assert through_json(tree) == tree


@pytest.mark.parametrize(
    ("classes", "dtype"),
    [
        (["a", "b"], "<U1"),
        ([3, 7], "int64"),
        ([False, True], "bool"),
        ([0.5, 1.5], "float64"),
        ([1, "b"], "object"),
    ],
)
def test_classes_keep_their_type(classes: list[Any], dtype: str) -> None:
    tree = Tree.from_dict({**stump("x <= 1"), "classes": classes})
    assert tree.classes is not None
    assert tree.classes.dtype == np.dtype(dtype)
    assert tree[2].prediction == classes[1]
    assert through_json(tree) == tree


def test_surrogates_and_weights_survive_json() -> None:
    surrogates = [
        {"test": "size in {m}", "branches": [["m"], ["l"]], "agreement": 0.9, "adjusted": 0.8},
        {"test": "y <= 0.5", "reversed": True, "agreement": 2 / 3, "adjusted": 1 / 3},
    ]
    data = stump(
        "x <= 1",
        features=["x", "size", "y"],
        categories={"size": ["s", "m", "l"]},
        surrogates=surrogates,
        weight=8.25,
        n_samples=11,
        impurity=0.4375,
        cost=2.75,
        gain=3.5,
    )
    tree = Tree.from_dict({**data, "missing": "majority"})
    assert tree.missing == "majority"
    assert tree.risk[0] == 2.75 / 8.25
    assert tree.importances(surrogates=True).tolist() == [3.5, 3.5 * 0.8, 3.5 * (1 / 3)]
    first, second = tree.root.surrogates
    assert first.test == SubsetTest(1, "size", ("m",), ("l",))
    assert second.test == ThresholdTest(2, "y", 0.5)
    assert second.reversed
    assert through_json(tree) == tree


def test_names_that_look_like_tests_are_told_apart() -> None:
    names = ["x", "x <= 1", "a in {b}", "x <= 1 <= 2"]
    for feature, kind, text in [
        (0, "threshold", "x <= 1"),
        (1, "threshold", "x <= 1 <= 2"),
        (3, "threshold", "x <= 1 <= 2 <= 5"),
        (2, "subset", "a in {b} in {c}"),
    ]:
        test = Tree.from_dict(stump(text, features=names)).root.test
        assert test is not None
        assert (test.feature, test.kind) == (feature, kind)
        assert str(test) == text
    data = stump("x <= 1", features=names, branches=["p", "q"], feature=1, kind="multiway")
    tree = Tree.from_dict(data)
    assert tree.root.test == MultiwayTest(1, "x <= 1", (("p",), ("q",)))
    assert through_json(tree) == tree


def broken(**changes: Any) -> dict[str, Any]:
    """Return a tree of three nodes with some keys of the root changed, or of node 1 or 2."""
    data = stump("x <= 1")
    nodes = [dict(node) for node in data["nodes"]]
    for key, value in changes.items():
        name, _, place = key.rpartition("_at_")
        nodes[int(place) if name else 0][name or key] = value
    return {**data, "nodes": nodes}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (broken(children=[1, 1]), "node 1: shared"),
        (broken(children=[0, 1]), "node 0: a cycle"),
        (broken(children_at_1=[0, 2]), "node 1: a cycle"),
        (broken(children=[1, 7]), "node 0: there is no node 7"),
        (broken(children=[1, -1]), "node 0: there is no node -1"),
        (broken(children=[1, 1.5]), "node 0: there is no node 1.5"),
        (broken(children="12"), "node 0: 'children' must be a list"),
        (broken(children=[1]), "node 2: an orphan"),
        (broken(test="x in {a}", children=[1, 2, 2]), "node 2: shared"),
        (broken(test=None), "node 0: it has children but no 'test'"),
        (broken(test_at_1="x <= 0"), "node 1: it has the test 'x <= 0' but no 'children'"),
        (broken(test="z <= 1"), "node 0: .*'z', which is not among 'features'"),
        (broken(test="sise <= 1"), "Did you mean 'size'"),
        (broken(test="x ? 1"), "node 0: .*not among 'features'"),
        (broken(test="x <= one"), "node 0: 'one' is not a number"),
        (broken(test="x <= nan"), "node 0: the threshold"),
        (broken(test="x <= "), "node 0: '' is not a number"),
        (broken(test="x in {a"), "node 0: the set '{a' is not understood"),
        (broken(test="x in {a,,b}"), "node 0: the set .* empty place"),
        (broken(test="x in {}"), "node 0: the set .* empty place"),
        (broken(test="x in {a} b"), "node 0: the set .* is not understood"),
        (broken(test="x"), "node 0: name the categories of the children of 'x'"),
        (broken(test="x", branches=["a"]), "node 0: 1 branches of 'x' do not fit 2 children"),
        (broken(test="x", branches=["a", "a"]), "node 0: a category of 'x' leads to two children"),
        (broken(test="x", branches=3), "node 0: 'branches' must be a list"),
        (broken(test=3), "node 0: 'test' must be text or None"),
        (broken(counts=[1]), "node 0: 'counts' must be a list of 2 numbers"),
        (broken(counts_at_2=[1, 2, 3]), "node 2: 'counts' must be a list of 2 numbers"),
        (broken(counts_at_2=None), "node 2: 'counts' must be a list of 2 numbers"),
        (broken(counts_at_1=[-1, 2]), "node 1: 'counts' must be finite and not negative"),
        (broken(counts_at_1=[float("nan"), 2]), "node 1: 'counts' must be finite"),
        (broken(counts_at_1=["one", 2]), "node 1: "),
        (broken(gain="much"), "node 0: "),
        (broken(weight="heavy"), "node 0: 'weight' must be a number"),
        (broken(default_branch=2), "node 0: 'default_branch'"),
        (broken(surrogates=["y <= 1"]), "node 0: 'surrogates' must be a list of dicts"),
        (broken(surrogates=[{"test": "y <= 1"}]), "node 0: .*'y'"),
        (broken(id_at_1=2), "node 2: 'id' must be"),
        ({"classes": ["a"], "features": ["x"]}, "needs 'nodes'"),
        ({"classes": ["a"], "features": ["x"], "nodes": []}, "at least one node"),
        ({"classes": ["a"], "features": ["x"], "nodes": ["leaf"]}, "node 0: must be a dict"),
        ({"classes": "ab", "features": ["x"], "nodes": [{}]}, "'classes' must be a list"),
        ({"classes": ["a", "a"], "features": ["x"], "nodes": [{}]}, "labels that differ"),
        ({"classes": None, "features": "x", "nodes": [{}]}, "'features' must be a list"),
        ({"classes": None, "features": ["x", "x"], "nodes": [{}]}, "same name"),
        ({"classes": None, "features": ["x"], "nodes": [{}]}, "node 0: it needs 'value'"),
        ({**stump("x <= 1"), "missing": "guess"}, "'missing' must be one of"),
        ({**stump("x <= 1"), "cost_matrix": [[0, 1]]}, "'cost_matrix' must have"),
        ({**stump("x <= 1"), "kinds": ["numeric"]}, "'kinds' must have"),
        ({**stump("x <= 1"), "categories": {"z": ["a"]}}, "'categories' lists 'z'"),
        ({**stump("x <= 1"), "categories": {"x": "ab"}}, "'categories' must be a dict"),
        (stump("x in {q}", categories={"x": ["a"]}), "node 0: 'q' is not a category of 'x'"),
        (stump("x <= q", categories={"x": ["a"]}), "node 0: 'q' is not a number; the categories"),
        ([], "read from a dict"),
    ],
)
def test_a_dict_that_is_no_tree_is_refused_with_the_node(data: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Tree.from_dict(data)


def test_a_cycle_away_from_the_root_is_refused() -> None:
    leaf = {"counts": [1, 1]}
    loop = {"test": "x <= 1", "counts": [1, 1]}
    nodes = [leaf, {**loop, "children": [2, 3]}, {**loop, "children": [1, 4]}, leaf, leaf]
    with pytest.raises(ValueError, match="node 1: part of a cycle"):
        Tree.from_dict({"classes": ["a", "b"], "features": ["x"], "nodes": nodes})


def test_a_feature_is_either_a_number_or_a_category() -> None:
    data = stump("x <= 1", surrogates=[{"test": "x in {a}"}])
    with pytest.raises(ValueError, match="node 0: 'x' is used both"):
        Tree.from_dict(data)
