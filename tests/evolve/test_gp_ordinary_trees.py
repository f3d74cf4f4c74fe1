"""A tree with evolved tests is a tree as any other."""

import json
import pickle

import numpy as np
import pytest
from sklearn.base import clone

from evolve.kit import classes_of, mixed_table
from spinney import GPForestClassifier, GPTreeClassifier, GPTreeRegressor, Tree
from spinney.pruning import cost_complexity_path

SETTINGS = {"population_size": 60, "generations": 8, "min_fraction": 0.0, "random_state": 0}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    frame = mixed_table(rng, 200)
    return frame, classes_of(frame, rng, 3), mixed_table(rng, 300, 0.3)


@pytest.fixture(scope="module", params=["classes", "numbers"])
def fitted(request, table):
    frame, y, _ = table
    if request.param == "classes":
        return GPTreeClassifier(**SETTINGS, min_entropy=0.0).fit(frame, y)
    return GPTreeRegressor(**SETTINGS, min_variance=0.0).fit(frame, y + frame["x"].fillna(0.0))


def test_it_goes_through_a_dictionary_and_json(fitted, table):
    tree, new = fitted.tree_, table[2]
    assert tree.n_leaves > 5
    assert tree.missing == "majority"
    again = Tree.from_dict(json.loads(json.dumps(tree.to_dict())))
    assert again == tree
    assert np.array_equal(again.apply(new), tree.apply(new))
    assert np.array_equal(again.predict(new), tree.predict(new))


def test_it_is_pickled_and_cloned(fitted, table):
    new = table[2]
    copy = pickle.loads(pickle.dumps(fitted))
    assert copy.tree_ == fitted.tree_
    assert np.array_equal(copy.predict(new), fitted.predict(new))
    assert clone(fitted).get_params() == fitted.get_params()


def test_it_can_be_pruned(fitted, table):
    path = cost_complexity_path(fitted.tree_)
    sizes = path.n_leaves.tolist()
    assert len(path) > 3
    assert sizes[0] <= fitted.tree_.n_leaves
    assert sizes[-1] == 1
    assert sizes == sorted(sizes, reverse=True)
    for size, step in zip(sizes, path.trees, strict=True):
        assert step.n_leaves == size
        tests = {node.test for node in step if node.test}
        assert tests <= {node.test for node in fitted.tree_ if node.test}
        assert step.predict(table[2]).shape == (300,)


def test_its_text_shows_every_test(fitted):
    text = fitted.tree_.to_text(max_depth=None, digits=10)
    nodes = [node for node in fitted.tree_ if not node.is_leaf]
    for node in nodes:
        assert str(node.test) in text


def test_its_rules_say_what_it_says(fitted, table):
    rules = fitted.tree_.rules()
    assert len(rules) == fitted.tree_.n_leaves
    assert all(str(rule) for rule in rules)


def test_importances_are_shares_of_the_columns_that_tests_ask(fitted):
    shares = fitted.feature_importances_
    assert shares.sum() == pytest.approx(1.0)
    asked = {f for node in fitted.tree_ if node.test for f in node.test.features}
    assert set(np.flatnonzero(shares).tolist()) <= asked


def test_the_path_of_a_row_ends_in_its_leaf(fitted, table):
    paths = fitted.decision_path(table[2])
    leaves = fitted.apply(table[2])
    assert all(paths[i, leaf] for i, leaf in enumerate(leaves))
    assert np.all(paths[:, [0]].toarray() == 1)


def test_a_forest_goes_through_pickle(table):
    frame, y, new = table
    forest = GPForestClassifier(3, population_size=30, generations=4, random_state=0).fit(frame, y)
    copy = pickle.loads(pickle.dumps(forest))
    assert list(copy.forest_) == list(forest.forest_)
    assert np.array_equal(copy.predict_proba(new), forest.predict_proba(new))


def test_unseen_categories_are_missing_or_refused(table):
    frame, y, new = table
    strange = new.astype({"one": object})
    strange["one"] = "never seen"
    gone = new.copy()
    gone["one"] = None
    model = GPTreeClassifier(**SETTINGS).fit(frame, y)
    assert np.array_equal(model.apply(strange), model.apply(gone.astype({"one": object})))
    with pytest.raises(ValueError, match="never seen"):
        GPTreeClassifier(**SETTINGS, unseen="error").fit(frame, y).predict(strange)
