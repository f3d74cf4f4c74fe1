import copy
import pickle

import numpy as np
import pandas as pd
import pytest

from spinney.tree import Node, Tree


def test_arrays_describe_the_nodes(credit: Tree) -> None:
    assert (credit.n_nodes, credit.n_leaves, credit.max_depth, len(credit)) == (8, 5, 2, 8)
    assert credit.kind.tolist() == ["threshold", "subset", "multiway"] + ["leaf"] * 5
    assert credit.feature.tolist() == [0, 1, 2, -1, -1, -1, -1, -1]
    assert credit.threshold[0] == 36
    assert np.isnan(credit.threshold[1:]).all()
    assert credit.first_child.tolist() == [1, 3, 5, -1, -1, -1, -1, -1]
    assert credit.n_children.tolist() == [2, 2, 3, 0, 0, 0, 0, 0]
    assert credit.parent.tolist() == [-1, 0, 0, 1, 1, 2, 2, 2]
    assert credit.value.shape == (8, 2)
    assert credit.n_samples.tolist() == [100, 50, 50, 30, 20, 30, 10, 10]
    assert credit.weight.tolist() == [100, 50, 50, 30, 20, 30, 10, 10]
    assert credit.depth.tolist() == [0, 1, 1, 2, 2, 2, 2, 2]
    np.testing.assert_allclose(credit.impurity[:4], [0.5, 0.32, 0.32, 0])


def test_arrays_have_the_names_of_scikit_learn_too(credit: Tree) -> None:
    tree = credit.prune_at([2])  # without the test of three branches
    assert (tree.node_count, tree.n_features, tree.n_outputs) == (5, 3, 1)
    assert tree.n_classes.tolist() == [2]
    assert tree.children_left.tolist() == [1, 3, -1, -1, -1]
    assert tree.children_right.tolist() == [2, 4, -1, -1, -1]
    assert tree.n_node_samples.tolist() == tree.n_samples.tolist()
    assert tree.weighted_n_node_samples.tolist() == tree.weight.tolist()
    with pytest.raises(AttributeError, match=r"two branches\. Use first_child"):
        _ = credit.children_left


def test_risk_is_cost_per_row_of_the_whole_training_set(credit: Tree) -> None:
    np.testing.assert_allclose(credit.risk, [0.5, 0.1, 0.1, 0, 0.1, 0, 0.04, 0.04])


@pytest.mark.parametrize(
    "name",
    [
        *("kind", "feature", "threshold", "first_child", "n_children", "parent", "value"),
        *("n_samples", "weight", "impurity", "gain", "risk", "depth", "labels", "classes"),
    ],
)
def test_arrays_are_read_only(credit: Tree, name: str) -> None:
    array = getattr(credit, name)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = array[0]


def test_changing_the_classes_given_does_not_change_the_tree(credit: Tree) -> None:
    labels = np.array(["no", "yes"])
    tree = Tree(credit._core, credit.schema, labels)
    labels[0] = "??"
    assert tree.root.prediction == "no"


def test_nodes_know_their_relatives(credit: Tree) -> None:
    root = credit.root
    assert root.parent is None
    assert root.branch is None
    assert [child.id for child in root.children] == [1, 2]
    assert [child.id for child in credit[2].children] == [5, 6, 7]
    assert credit[7].parent == credit[2]
    assert credit[7].branch == 2
    assert credit[-1].id == 7
    assert [node.id for node in credit] == list(range(8))
    assert [leaf.id for leaf in credit.leaves] == [3, 4, 5, 6, 7]
    assert credit[1] != credit[2]
    assert len({credit[1], credit[1], credit[2]}) == 2


@pytest.mark.parametrize("id", [8, -9])
def test_an_id_out_of_range_is_an_index_error(credit: Tree, id: int) -> None:
    with pytest.raises(IndexError, match="8 nodes"):
        credit[id]


def test_nodes_of_a_classification_tree(credit: Tree) -> None:
    node = credit[1]
    assert not node.is_leaf
    assert node.kind == "subset"
    assert node.counts is not None
    assert node.counts.tolist() == [40, 10]
    assert node.probabilities is not None
    assert node.probabilities.tolist() == [0.8, 0.2]
    assert node.prediction == "bad"
    assert isinstance(node.prediction, str)
    assert (node.n_samples, node.weight, node.depth) == (50, 50, 1)
    assert node.impurity == pytest.approx(0.32)
    assert node.risk == pytest.approx(0.1)
    assert node.surrogates == ()
    assert credit[3].is_leaf
    assert credit[3].test is None
    assert credit[3].default_child is None


def test_nodes_of_a_regression_tree(prices: Tree) -> None:
    assert prices.root.counts is None
    assert prices.root.probabilities is None
    assert prices.root.prediction == 22
    assert prices.value.shape == (3, 1)
    np.testing.assert_allclose(prices.risk, [98, 0.8, 1.2])
    assert prices.predict(np.array([[55.5], [55.6], [np.nan]])).tolist() == [10, 30, 30]
    with pytest.raises(ValueError, match="no classes"):
        prices.predict_proba(np.array([[1.0]]))


def test_a_row_goes_to_the_first_child_where_the_test_is_true(credit: Tree) -> None:
    table = pd.DataFrame(
        {
            "income": [36, 36, 37, 37.5, 99, 99],
            "purpose": ["A43", "A99", None, "A40", None, None],
            "deadline": ["near", "near", "none", "near", "lazy", None],
        }
    )
    assert credit.apply(table).tolist() == [3, 4, 5, 6, 7, 5]
    assert credit.predict(table).tolist() == ["bad", "bad", "good", "bad", "good", "good"]
    assert credit.predict_proba(table)[0].tolist() == [1, 0]
    path = credit.decision_path(table)
    assert path.shape == (6, 8)
    assert path[3].indices.tolist() == [0, 2, 6]
    assert path.sum() == 18


def test_encoded_rows_hold_codes(credit: Tree) -> None:
    codes = np.array([[40.0, np.nan, 1.0], [30.0, 1.0, np.nan]])
    assert credit.apply(codes, encoded=True).tolist() == [6, 3]
    assert credit.decision_path(codes, encoded=True).toarray().sum() == 6


def test_columns_in_another_order_are_refused(credit: Tree) -> None:
    table = pd.DataFrame({"purpose": ["A40"], "income": [1.0], "deadline": ["none"]})
    with pytest.raises(ValueError, match="same order"):
        credit.predict(table)


def test_pruning_makes_the_given_nodes_leaves(credit: Tree) -> None:
    pruned = credit.prune_at([1])
    assert (pruned.n_nodes, pruned.n_leaves) == (6, 4)
    assert pruned[1].is_leaf
    assert pruned[1].prediction == "bad"
    assert str(pruned[2].test) == "deadline"
    assert credit.n_nodes == 8
    assert credit.prune_at([credit.root]).n_nodes == 1
    assert credit.prune_at([]) == credit
    assert credit.prune_at([3, 4]) == credit
    with pytest.raises(IndexError):
        credit.prune_at([8])


def test_simplifying_merges_leaves_that_say_the_same(credit: Tree) -> None:
    simple = credit.simplify()
    assert [node.prediction for node in simple.leaves] == ["bad", "good", "bad", "good"]
    assert simple[1].is_leaf
    assert simple.simplify() == simple


def test_simplifying_goes_on_upwards() -> None:
    leaf = {"test": None, "children": []}
    tree = Tree.from_dict(
        {
            "classes": ["a", "b"],
            "features": ["x"],
            "nodes": [
                {"test": "x <= 3", "children": [1, 2], "counts": [9, 4]},
                {"test": "x <= 2", "children": [3, 4], "counts": [6, 2]},
                {**leaf, "counts": [3, 2]},
                {"test": "x <= 1", "children": [5, 6], "counts": [4, 2]},
                {**leaf, "counts": [2, 0]},
                {**leaf, "counts": [2, 1]},
                {**leaf, "counts": [2, 1]},
            ],
        }
    )
    assert tree.simplify().n_nodes == 1


def test_simplifying_keeps_a_test_whose_parent_says_otherwise() -> None:
    leaf = {"test": None, "children": []}
    nodes = [
        {"test": "x <= 3", "children": [1, 2], "counts": [1, 8]},
        {**leaf, "counts": [3, 2]},
        {**leaf, "counts": [3, 2]},
    ]
    tree = Tree.from_dict({"classes": ["a", "b"], "features": ["x"], "nodes": nodes})
    assert tree.simplify() == tree


def test_importances_are_shares_of_the_impurity_removed(credit: Tree) -> None:
    # 100 * 0.5 - 50 * 0.32 - 50 * 0.32 = 18; 16 - 20 * 0.5 = 6; 16 - 2 * 10 * 0.48 = 6.4
    np.testing.assert_allclose(credit.importances(), np.array([18, 6, 6.4]) / 30.4)
    np.testing.assert_allclose(credit.importances(surrogates=True), [18, 6, 6.4])
    assert credit.prune_at([0]).importances().tolist() == [0, 0, 0]


def test_surrogates_earn_importance_by_their_adjusted_agreement() -> None:
    tree = Tree.from_dict(
        {
            "classes": ["a", "b"],
            "features": ["x", "y"],
            "nodes": [
                {
                    "test": "x <= 3",
                    "children": [1, 2],
                    "counts": [4, 4],
                    "surrogates": [
                        {"test": "y <= 1", "reversed": True, "agreement": 0.875, "adjusted": 0.75}
                    ],
                },
                {"test": None, "children": [], "counts": [4, 0]},
                {"test": None, "children": [], "counts": [0, 4]},
            ],
        }
    )
    assert tree.importances().tolist() == [1, 0]
    assert tree.importances(surrogates=True).tolist() == [4, 3]
    (surrogate,) = tree.root.surrogates
    assert str(surrogate) == "y <= 1 (reversed), agreement 0.875"
    assert tree.root.gain == 4
    assert tree[1].gain == 0
    assert tree.apply(np.array([[np.nan, 1.0], [np.nan, 2.0], [3.0, 1.0]])).tolist() == [2, 1, 1]


def test_a_tree_can_be_pickled_and_copied(credit: Tree, prices: Tree) -> None:
    for tree in (credit, prices):
        again = pickle.loads(pickle.dumps(tree))
        assert again == tree
        assert copy.deepcopy(tree) == tree
        assert not again.value.flags.writeable


def test_a_pickle_with_a_code_outside_the_vocabulary_is_refused(credit: Tree) -> None:
    saved = credit.__getstate__()
    saved["parts"] = {**saved["parts"], "code": saved["parts"]["code"] + np.uint8(7)}
    with pytest.raises(ValueError, match="node 1: a category code is not in the vocabulary"):
        Tree.__new__(Tree).__setstate__(saved)


def test_a_pickle_with_other_classes_is_refused(credit: Tree) -> None:
    saved = {**credit.__getstate__(), "classes": np.array(["one"])}
    with pytest.raises(ValueError, match="2 classes, but 1"):
        Tree.__new__(Tree).__setstate__(saved)


def test_trees_are_equal_if_all_about_them_is(credit: Tree, credit_dict: dict) -> None:
    assert Tree.from_dict(credit_dict) == credit
    assert credit != credit.prune_at([1])
    assert credit != Tree(credit._core, credit.schema, np.array(["x", "y"]))
    assert credit != "a tree"
    with pytest.raises(TypeError):
        hash(credit)


def test_short_forms(credit: Tree, prices: Tree) -> None:
    assert repr(credit) == "Tree(8 nodes, 5 leaves, depth 2; root: income <= 36)"
    assert repr(credit.prune_at([0])) == "Tree(1 node, 1 leaf, depth 0; root: predicts 'bad')"
    assert repr(credit[4]) == "Node(4: predicts 'bad'; n_samples=20)"
    assert repr(prices[0]) == "Node(0: area <= 55.5; n_samples=10)"
    assert isinstance(credit.root, Node)


@pytest.mark.slow
def test_everything_works_at_depth_20_000(comb: Tree) -> None:
    assert comb.max_depth == 20_000
    assert comb.n_leaves == 20_001
    assert comb.apply(np.array([[-1.0], [60_000.0]])).tolist() == [1, 40_000]
    assert comb.decision_path(np.array([[60_000.0]])).nnz == 20_001
    assert comb.simplify().n_nodes <= comb.n_nodes
    assert comb.prune_at([2]).n_nodes == 3
    assert comb.importances().tolist() == [1]
    assert "depth 20000" in repr(comb)
    assert "39980 nodes below depth 10" in str(comb)
    assert "39980 nodes below depth 10" in comb.to_graphviz()
    assert comb.leaves[-1].depth == 20_000
    assert Tree.from_dict(comb.to_dict()) == comb
    assert pickle.loads(pickle.dumps(comb)) == comb
