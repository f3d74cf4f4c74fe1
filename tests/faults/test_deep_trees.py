"""A tree as deep as it has rows: nothing recurses, nothing overflows, and pages stay readable."""

import copy
import pickle
import time

import numpy as np
import pytest
from contracts.estimators import every_learner

from spinney import CARTClassifier, CARTRegressor, RandomForestClassifier, Tree
from spinney.pruning import cost_complexity_path, reduced_error, select

N = 50_000


@pytest.fixture(scope="module")
def deep():
    """Return a classifier of labels that alternate, and the seconds it took.

    Every division cuts off one row, so the tree is as deep as it can be.
    """
    X, y = np.arange(float(N))[:, None], np.arange(N) % 2
    start = time.process_time()
    fitted = CARTClassifier().fit(X, y)
    return fitted, time.process_time() - start


@pytest.fixture
def chain(deep):
    return deep[0].tree_


@pytest.mark.slow
@pytest.mark.limited
def test_50_000_alternating_labels_are_learned_in_under_a_minute(deep):
    fitted, seconds = deep
    assert seconds < 15
    assert fitted.get_depth() == N - 1
    some = np.arange(0, N, 101)
    np.testing.assert_array_equal(fitted.predict(some[:, None].astype(float)), some % 2)


@pytest.mark.slow
@pytest.mark.limited
@pytest.mark.parametrize(
    "model",
    [CARTClassifier(), CARTClassifier(criterion="entropy"), CARTRegressor()],
    ids=["gini", "entropy", "squared_error"],
)
def test_time_grows_no_faster_than_rows_times_depth_of_a_balanced_tree(model):
    n = 300_000
    X, y = np.arange(float(n))[:, None], np.arange(n) % 2
    start = time.process_time()
    fitted = model.fit(X, y)
    assert time.process_time() - start < 15
    assert fitted.get_depth() == n - 1
    np.testing.assert_array_equal(fitted.predict(X[:2_000:11]), y[:2_000:11])


@every_learner
def test_alternating_labels_are_learned_by_every_estimator(listed):
    n = 2_000
    X, y = np.arange(float(n))[:, None], listed.target(np.arange(n) % 2)
    start = time.process_time()
    fitted = listed.new().fit(X, y)
    assert time.process_time() - start < 5
    np.testing.assert_array_equal(fitted.predict(X), y)


def test_a_deep_tree_routes_rows(chain):
    X = np.array([[-5.0], [0.0], [1.0], [N - 1.0], [np.inf], [np.nan]])
    assert chain.predict(X)[:5].tolist() == [0, 0, 1, 1, 1]
    assert chain.predict_proba(X).shape == (6, 2)
    assert chain.decision_path(X[:3]).sum(axis=1).tolist() == [[2], [2], [3]]
    assert chain.decision_path(X[3:4]).sum() == N


def test_a_deep_tree_is_measured_and_walked(chain):
    assert chain.n_leaves == N
    assert chain.importances().tolist() == [1.0]
    node, steps = chain[chain.n_nodes - 1], 0
    while node.parent is not None:
        node, steps = node.parent, steps + 1
    assert steps == N - 1
    assert sum(node.is_leaf for node in chain) == N


def test_a_deep_tree_is_pruned(chain):
    path = cost_complexity_path(chain)
    assert path.n_leaves[[0, -1]].tolist() == [N, 1]
    assert path.trees[-1].n_nodes == 1
    X, y = np.arange(50.0)[:, None], np.arange(50) % 2
    assert select(path, X, y).n_leaves in path.n_leaves
    assert reduced_error(chain, X, y).predict(X).tolist() == y.tolist()
    assert chain.prune_at([0]).n_nodes == 1
    assert chain.prune_at([chain.n_nodes - 3]).n_nodes >= chain.n_nodes - 4
    assert chain.simplify().n_nodes <= chain.n_nodes


def test_a_deep_tree_is_copied_and_saved(chain):
    assert pickle.loads(pickle.dumps(chain)) == chain
    assert copy.deepcopy(chain) == chain


def test_a_deep_estimator_is_pickled(deep):
    again = pickle.loads(pickle.dumps(deep[0]))
    assert again.tree_ == deep[0].tree_


@pytest.mark.slow
def test_a_deep_tree_survives_a_dict():
    n = 10_000
    tree = CARTClassifier().fit(np.arange(float(n))[:, None], np.arange(n) % 2).tree_
    assert tree.max_depth == n - 1
    assert Tree.from_dict(tree.to_dict()) == tree


def test_a_deep_estimator_is_pruned_by_folds():
    X, y = np.arange(5_000.0)[:, None], np.arange(5_000) % 2
    fitted = CARTClassifier(pruning="cost_complexity", cv=3, random_state=0).fit(X, y)
    assert fitted.pruning_path_.n_leaves[0] == 5_000
    assert pickle.loads(pickle.dumps(fitted)).tree_ == fitted.tree_


def test_a_forest_of_deep_trees_is_asked_and_pickled():
    n = 5_000
    X, y = np.arange(float(n))[:, None], np.arange(n) % 2
    fitted = RandomForestClassifier(2, sampling=None, oob_score=False).fit(X, y)
    assert [tree.max_depth for tree in fitted.forest_] == [n - 1] * 2
    np.testing.assert_array_equal(fitted.predict(X[::7]), y[::7])
    assert pickle.loads(pickle.dumps(fitted)).forest_ == fitted.forest_


def test_text_is_cut_off_and_says_so(chain):
    for text in (chain.to_text(max_depth=10), str(chain)):
        assert len(text.splitlines()) < 40
        assert f"... {2 * N - 22} nodes below depth 10" in text
        assert "x0 <= 9.5" in text
        assert "x0 <= 10.5" not in text


@pytest.mark.slow
def test_graphs_are_cut_off_and_say_so(chain):
    graph = chain.to_graphviz(max_depth=10)
    assert len(graph.splitlines()) < 200
    assert f"{2 * N - 22}" in graph


def test_plots_are_cut_off_and_say_so(chain):
    pytest.importorskip("matplotlib").use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.text import Text

    figure = chain.plot(max_depth=5).figure
    words = " ".join(text.get_text() for text in figure.findobj(Text))
    plt.close(figure)
    assert len(words) < 10_000
    assert f"{2 * N - 12}" in words
