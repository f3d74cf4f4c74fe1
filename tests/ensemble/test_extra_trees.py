"""Extremely randomized trees beside scikit-learn's, and what else forests have got with them."""

import numpy as np
import pytest
from sklearn import ensemble
from sklearn.model_selection import cross_val_score

import spinney.datasets
from spinney import (
    C45Classifier,
    CARTClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    ID3Classifier,
    RandomForestClassifier,
)

CLASSES = ["breast_cancer_wdbc", "glass", "iris", "pima_indians_diabetes", "sonar", "wine"]


@pytest.mark.slow
@pytest.mark.parametrize("name", CLASSES)
def test_classes_are_predicted_as_well_as_by_scikit_learn(name):
    data = spinney.datasets.load(name)
    X, y = data.X.to_numpy(float), np.asarray(data.y)
    ours, theirs = (
        cross_val_score(cls(100, random_state=0), X, y, cv=5)
        for cls in (ExtraTreesClassifier, ensemble.ExtraTreesClassifier)
    )
    noise = np.std(ours - theirs, ddof=1) / np.sqrt(5) + np.sqrt(0.05 / len(y))
    assert abs(ours.mean() - theirs.mean()) < 2 * noise


@pytest.mark.slow
def test_numbers_are_predicted_as_well_as_by_scikit_learn():
    rng = np.random.default_rng(0)
    X, test = rng.random((600, 10)), rng.random((2000, 10))

    def target(x):
        return 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3]

    y = target(X) + rng.normal(size=600)
    scores = [
        [cls(100, random_state=seed).fit(X, y).score(test, target(test)) for seed in range(3)]
        for cls in (ExtraTreesRegressor, ensemble.ExtraTreesRegressor)
    ]
    assert abs(np.mean(scores[0]) - np.mean(scores[1])) < 0.01


def problem():
    rng = np.random.default_rng(5)
    X = {name: rng.choice(list("abc"), 300) for name in "pqrs"}
    y = np.where((X["p"] == "a") & (X["q"] != "b"), "yes", "no")
    return X, y


@pytest.mark.parametrize("tree", [ID3Classifier(), C45Classifier(pruning=None, rules=False)])
def test_multiway_trees_draw_columns_at_their_nodes(tree):
    X, y = problem()
    forest = RandomForestClassifier(400, estimator=tree, max_features=1, random_state=0).fit(X, y)
    roots = np.bincount([tree.feature[0] for tree in forest.forest_ if tree.n_nodes > 1])
    assert len(roots) == 4  # the two that say nothing too
    if isinstance(tree, ID3Classifier):  # which takes any: 100 times each, standard deviation 9
        assert abs(roots - 100).max() < 45
    assert {type(one) for one in forest.estimators_} == {type(tree)}
    assert forest.oob_score_ > 0.8


def test_a_node_of_id3_takes_the_best_of_the_columns_drawn():
    """With three of four columns, one of the two that matter is always among them."""
    X, y = problem()
    forest = RandomForestClassifier(
        100, estimator=ID3Classifier(), max_features=3, random_state=0
    ).fit(X, y)
    assert {int(tree.feature[0]) for tree in forest.forest_} == {0, 1}


def test_all_columns_are_bagging():
    X, y = problem()
    forest = RandomForestClassifier(
        10, estimator=ID3Classifier(), max_features=4, random_state=3, oob_score=False
    )
    bagged = spinney.BaggingClassifier(ID3Classifier(), 10, random_state=3)
    assert forest.fit(X, y).forest_ == bagged.fit(X, y).forest_


def test_threads_change_nothing_in_multiway_forests():
    X, y = problem()
    forests = [
        RandomForestClassifier(
            9,
            estimator=C45Classifier(),
            max_features=2,
            oob_score=False,
            random_state=1,
            n_jobs=n,
        ).fit(X, y)
        for n in (1, 2, 3)
    ]
    assert forests[0].forest_ == forests[1].forest_ == forests[2].forest_


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"max_leaf_nodes": 3}, "max_leaf_nodes=3 is a setting of CART.*ID3Classifier has no such"),
        ({"cost_matrix": 1.0 - np.eye(3)}, "(?s)cost_matrix=array.* is a setting of CART"),
        ({"criterion": "entropy"}, "criterion='entropy' is a setting"),
        (
            {"estimator": ID3Classifier(max_depth=2), "max_depth": 3},
            "max_depth=3 is given to the forest, and 2 to its estimator",
        ),
        ({"estimator": ID3Classifier}, "estimator must be a CARTClassifier, an ID3Classifier"),
        ({"estimator": [ID3Classifier()]}, "estimator must be a CARTClassifier"),
        ({"estimator": spinney.IGPAClassifier()}, "estimator must be a CARTClassifier"),
        ({"n_best_splits": 2}, "n_best_splits=2 works with CART members only"),
    ],
)
def test_settings_beside_an_estimator_are_refused(settings, words):
    X, y = problem()
    with pytest.raises(ValueError, match=words):
        RandomForestClassifier(3, **{"estimator": ID3Classifier(), **settings}).fit(X, y)


@pytest.mark.parametrize("settings", [{"max_depth": 2}, {"class_weight": {"a": 3.0}}])
def test_settings_that_the_estimator_has_are_set_in_it(settings):
    X, y = problem()
    y = np.array(["a", "b", "c"], dtype=object)[np.unique(y, return_inverse=True)[1] % 3]
    drawn = {"random_state": 0, "oob_score": False}
    one = RandomForestClassifier(5, estimator=C45Classifier(), **drawn, **settings).fit(X, y)
    other = RandomForestClassifier(5, estimator=C45Classifier(**settings), **drawn).fit(X, y)
    plain = RandomForestClassifier(5, estimator=C45Classifier(), **drawn).fit(X, y)
    assert one.forest_ == other.forest_ != plain.forest_
    assert one.estimator.get_params() == C45Classifier().get_params()


def test_multiway_trees_are_balanced_by_what_each_sees():
    X, y = problem()
    rare = np.flatnonzero(y == np.unique(y)[0])[5:]
    keep = np.setdiff1d(np.arange(len(y)), rare)
    X, y = {name: cells[keep] for name, cells in X.items()}, y[keep]
    drawn = {"random_state": 0, "oob_score": False, "estimator": C45Classifier()}
    plain = RandomForestClassifier(20, **drawn).fit(X, y)
    even = RandomForestClassifier(20, class_weight="balanced_subsample", **drawn).fit(X, y)
    label = np.unique(y)[0]
    assert (even.predict(X) == label).sum() >= (plain.predict(X) == label).sum()
    assert even.forest_ != plain.forest_


def test_cart_may_be_given_too():
    X, y = problem()
    drawn = {"max_features": 2, "random_state": 0, "oob_score": False}
    given = RandomForestClassifier(5, estimator=CARTClassifier(max_surrogates=0), **drawn)
    own = RandomForestClassifier(5, **drawn)
    assert given.fit(X, y).forest_ == own.fit(X, y).forest_


@pytest.mark.parametrize("cls", [RandomForestClassifier, ExtraTreesClassifier])
def test_classes_weigh_the_same_in_what_each_tree_sees(cls):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 3)), (rng.random(200) < 0.1).astype(int)
    forest = cls(
        8, class_weight="balanced_subsample", bootstrap=True, random_state=0, oob_score=False
    ).fit(X, y)
    for tree, rows in zip(forest.forest_, forest.estimators_samples_, strict=True):
        assert tree.value[0] == pytest.approx(np.full(2, len(rows) / 2))
    assert all(one.class_weight is None for one in forest.estimators_)


def test_balanced_members_are_those_of_weights_by_hand():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(150, 3)), rng.choice(3, 150, p=[0.7, 0.2, 0.1])
    forest = RandomForestClassifier(
        1, class_weight="balanced_subsample", max_features=None, random_state=0, oob_score=False
    ).fit(X, y)
    rows = forest.estimators_samples_[0]
    tree = CARTClassifier(class_weight="balanced", max_surrogates=0).fit(X[rows], y[rows])
    assert np.array_equal(tree.predict(X), forest.predict(X))


def test_the_order_of_the_rows_does_not_matter():
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(200, 4)).round(1), rng.integers(0, 3, 200)
    X[rng.random(X.shape) < 0.1] = np.nan
    order = rng.permutation(200)
    one = ExtraTreesClassifier(5, random_state=0).fit(X, y)
    other = ExtraTreesClassifier(5, random_state=0).fit(X[order], y[order])
    assert one.forest_ == other.forest_


def test_without_sampling_it_is_balanced_as_a_whole():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(80, 3)), (rng.random(80) < 0.2).astype(int)
    two = [
        ExtraTreesClassifier(4, class_weight=weight, random_state=0).fit(X, y).predict_proba(X)
        for weight in ("balanced", "balanced_subsample")
    ]
    assert np.array_equal(*two)


@pytest.mark.parametrize("cls", [CARTClassifier, RandomForestClassifier, ExtraTreesClassifier])
def test_log_loss_is_entropy(cls):
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(100, 3)), rng.integers(0, 3, 100)
    one, other = (
        cls(criterion=name, random_state=0).fit(X, y).predict_proba(X)
        for name in ("log_loss", "entropy")
    )
    assert np.array_equal(one, other)
