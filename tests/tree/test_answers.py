"""A node has counts, and may predict something else: its answer."""

import copy
import json
import pickle

import numpy as np
import pytest
from answering import answering, answering_forest, answers

import spinney
from spinney import (
    CARTClassifier,
    CARTRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    Tree,
)
from spinney.export import from_json, to_json
from spinney.pruning import cost_complexity_path, reduced_error

NODES = [
    {"test": "income <= 36", "children": [1, 2], "counts": [5, 5]},
    {"test": None, "children": [], "counts": [4, 1]},
    {"test": None, "children": [], "counts": [1, 4]},
]
BY_HAND = {"classes": ["bad", "good"], "features": ["income"], "nodes": NODES}
ANSWERS = [[0.5, 0.5], [0.25, 0.75], [0.125, 0.875]]
ROWS = {"income": [20.0, 50.0]}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 3))
    return X, np.where(X[:, 0] + rng.normal(size=300) > 0, "yes", "no"), X[:, 0] * 2 + X[:, 1]


@pytest.fixture
def tree():
    return Tree.from_dict({**BY_HAND, "answers": ANSWERS})


def test_a_node_predicts_its_answer_and_keeps_its_counts(tree):
    assert tree.predict(ROWS).tolist() == ["good", "good"]
    assert tree.predict_proba(ROWS).tolist() == ANSWERS[1:]
    assert [leaf.prediction for leaf in tree.leaves] == ["good", "good"]
    assert tree.leaves[0].probabilities.tolist() == ANSWERS[1]
    assert tree.leaves[0].counts.tolist() == [4, 1]
    assert tree.labels.tolist() == [0, 1, 1]
    assert tree.risk.tolist() == [0.5, 0.1, 0.1]  # of the counts
    assert tree._core.answer.tolist() == tree.answer.tolist() == ANSWERS


def test_without_answers_a_node_predicts_its_counts():
    tree = Tree.from_dict(BY_HAND)
    assert tree.answer is None
    assert tree._core.answer is None
    assert tree.predict(ROWS).tolist() == ["bad", "good"]
    assert "answers" not in tree.to_dict()


def test_answers_stay_with_their_nodes_when_these_are_numbered_anew():
    nodes = [
        {"test": "income <= 36", "children": [1, 4], "counts": [5, 5]},
        {"test": "income <= 10", "children": [2, 3], "counts": [4, 1]},
        *({"test": None, "children": [], "counts": [2, 1]} for _ in range(3)),
    ]
    shares = [[0.5, 0.5], [0.5, 0.5], [0.25, 0.75], [0.375, 0.625], [0.125, 0.875]]
    tree = Tree.from_dict({**BY_HAND, "nodes": nodes, "answers": shares})
    assert tree.predict_proba({"income": [5.0, 20.0, 50.0]}).tolist() == shares[2:]


def test_costs_weigh_the_answer():
    costs = [[0, 1], [9, 0]]
    tree = Tree.from_dict(
        {**BY_HAND, "cost_matrix": costs, "answers": [[1, 1], [0.95, 0.05], [1, 0]]}
    )
    assert tree.predict(ROWS).tolist() == ["bad", "bad"]
    tree = Tree.from_dict(
        {**BY_HAND, "cost_matrix": costs, "answers": [[1, 1], [0.85, 0.15], [1, 0]]}
    )
    assert tree.predict(ROWS).tolist() == ["good", "bad"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([[0.5, 0.5]], "'answers' must be a list with an entry for each of 3 nodes"),
        ({}, "'answers' must be a list with an entry for each of 3 nodes"),
        ([[0.5, 0.5], [1.0], [1, 0]], "node 1: its entry in 'answers' must be a list of 2 numbers"),
        ([[0.5, 0.5], ["a", 1], [1, 0]], "node 1: could not convert"),
        ([[0.5, 0.5], [0, 0], [1, 0]], "node 1: class shares are all 0"),
        ([[0.5, 0.5], [1, 1], [1, -1]], "node 2: a class share is negative"),
        ([[0.5, np.nan], [1, 1], [1, 1]], "node 0: answer is not finite"),
    ],
)
def test_answers_that_are_none_are_refused(given, words):
    with pytest.raises(ValueError, match=words):
        Tree.from_dict({**BY_HAND, "answers": given})


def test_a_dict_brings_answers_back(tree, table):
    X, _y, numbers = table
    regression = answering(CARTRegressor(max_depth=3).fit(X, numbers).tree_)
    for one in (tree, regression):
        again = Tree.from_dict(json.loads(json.dumps(one.to_dict())))
        assert again == one
        assert again.answer.tolist() == one.answer.tolist()
        assert from_json(to_json(one)) == one
    assert regression.to_dict()["nodes"][0]["value"] == regression.value[0, 0]
    assert tree != Tree.from_dict(BY_HAND)


def test_copies_and_files_keep_answers(tree, table, tmp_path):
    X, y, _ = table
    path = tmp_path / "model.spinney"
    for one in (tree, answering(CARTClassifier(max_depth=3).fit(X, y).tree_)):
        spinney.save(one, path)
        for again in (copy.deepcopy(one), pickle.loads(pickle.dumps(one)), spinney.load(path)):
            assert again == one
            assert again.answer.tolist() == one.answer.tolist()


def test_pruning_keeps_the_answers_of_what_is_left(table):
    X, y, _ = table
    tree = answering(CARTClassifier(max_depth=4).fit(X, y).tree_)
    pruned = tree.prune_at([1])
    assert pruned.answer[1].tolist() == tree.answer[1].tolist()
    for one in cost_complexity_path(tree).trees:
        np.testing.assert_array_equal(one.predict_proba(X), answers(one)[one.apply(X)])


def test_reduced_error_pruning_judges_answers(tree):
    # By their answers both leaves say "good", and the root "bad": the tree errs in one row of four.
    rows = {"income": [20.0, 50.0, 20.0, 50.0]}
    assert reduced_error(tree, rows, ["good", "good", "good", "bad"]).n_nodes == 3
    assert reduced_error(tree, rows, ["bad", "bad", "bad", "good"]).n_nodes == 1
    by_counts = Tree.from_dict(BY_HAND)
    assert reduced_error(by_counts, rows, ["bad", "good", "bad", "good"]).n_nodes == 3
    assert reduced_error(tree, rows, ["bad", "good", "bad", "good"]).n_nodes == 1


def test_leaves_are_merged_by_what_they_answer():
    shares = [[0.25, 0.75], [0.25, 0.75], [0.125, 0.875]]
    assert Tree.from_dict({**BY_HAND, "answers": shares}).simplify().n_nodes == 1
    assert (
        Tree.from_dict({**BY_HAND, "answers": ANSWERS}).simplify().n_nodes == 3
    )  # the root is "bad"


def test_rules_give_the_answers_of_the_leaves(tree, table):
    X, y, numbers = table
    assert "then good" in str(tree.rules()[0])
    assert "then good" in str(tree.rules()[1])
    assert tree.rules()[0].counts.tolist() == [4, 1]
    assert tree.rules()[0].confidence == 0.75
    assert tree.explain({"income": 20.0}).prediction == "good"
    fitted = [CARTClassifier(max_depth=3).fit(X, y), CARTRegressor(max_depth=3).fit(X, numbers)]
    for one in (answering(model.tree_) for model in fitted):
        np.testing.assert_array_equal(one.rules().predict(X), one.predict(X))
    classes = answering(fitted[0].tree_)
    np.testing.assert_allclose(classes.rules().predict_proba(X), classes.predict_proba(X))


def test_text_and_graphs_show_the_label_of_the_answer(tree):
    assert tree.to_text().splitlines()[1:] == [
        "|-- income <= 36: good, n=5 (4 bad, 1 good)",
        "`-- income > 36: good, n=5 (1 bad, 4 good)",
    ]
    assert "bad\\n10 rows" in tree.to_graphviz()
    assert "good\\n5 rows" in tree.to_graphviz()


def test_a_forest_predicts_by_the_answers_of_its_trees(table):
    X, y, numbers = table
    for model, target in ((RandomForestClassifier, y), (RandomForestRegressor, numbers)):
        forest = answering_forest(
            model(3, max_depth=3, oob_score=False, random_state=0).fit(X, target).forest_
        )
        assert forest[0].answer is not None
        assert forest[1].answer is None
        for vote in (False, True):
            sums = forest._core.sums(X, np.arange(3), np.ones(3), vote)
            said = [answers(tree)[tree.apply(X)] for tree in forest]
            if vote and forest.classes is not None:
                said = [np.eye(2)[one.argmax(1)] for one in said]
            np.testing.assert_allclose(sums, sum(said))
        again = pickle.loads(pickle.dumps(forest))
        assert again == forest
        assert again[0].answer.tolist() == forest[0].answer.tolist()
