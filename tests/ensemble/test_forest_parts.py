"""What scikit-learn's users look for in a forest: samples, paths, classes, the base estimator."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, mean_absolute_error

from spinney import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    C45Classifier,
    CARTClassifier,
    ExtraTreesClassifier,
    IGPAForestClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 4))
    return X, np.array(["a", "b", "c"])[np.digitize(X[:, 0] + rng.normal(size=200), [-0.5, 0.5])]


def test_samples_are_the_rows_that_out_of_bag_estimates_leave_out(table):
    X, y = table
    weight = np.ones(len(y))
    weight[:20] = 0.0
    model = RandomForestClassifier(60, random_state=0).fit(X, y, sample_weight=weight)
    votes = np.zeros((len(y), 3))
    for member, rows in zip(model.estimators_, model.estimators_samples_, strict=True):
        assert len(rows) == 180
        assert rows.min() >= 20
        unseen = np.setdiff1d(np.arange(20, 200), rows)
        labels = member.predict(X[unseen])
        votes[unseen, np.searchsorted(model.classes_, labels)] += 1.0
    shares = votes[20:] / votes[20:].sum(axis=1, keepdims=True)
    assert np.allclose(shares, model.oob_decision_function_[20:])


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(4, random_state=0),
        ExtraTreesClassifier(4, bootstrap=True, random_state=1),
        IGPAForestClassifier(3, random_state=2),
        BaggingClassifier([CARTClassifier(max_features=2), C45Classifier()], 4, random_state=3),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.filterwarnings("ignore:.*no out-of-bag prediction")
def test_members_grow_again_alone_by_their_own_seeds(table, model):
    X, y = table
    model.fit(X, y)
    for member, rows in zip(model.estimators_, model.estimators_samples_, strict=True):
        counts = np.bincount(rows, minlength=len(y)).astype(float)
        again = clone(member).fit(X, y, sample_weight=counts)
        assert again.tree_ == member.tree_


def test_samples_of_every_kind_of_sampling(table):
    X, y = table
    for sampling, size in (("subsample", 100), ("wagging", 200), (None, 200)):
        model = BaggingClassifier(n_estimators=3, sampling=sampling, random_state=1).fit(X, y)
        for rows in model.estimators_samples_:
            assert len(np.unique(rows)) <= size
            assert sampling == "wagging" or len(rows) == size
    parts = BaggingClassifier(n_estimators=4, sampling="partition", random_state=1).fit(X, y)
    assert sorted(np.concatenate(parts.estimators_samples_).tolist()) == list(range(200))


def test_samples_of_foreign_members_and_of_a_warm_start(table):
    X, y = table
    model = BaggingClassifier(LogisticRegression(), 3, random_state=2, warm_start=True).fit(X, y)
    first = model.estimators_samples_
    model.set_params(n_estimators=5).fit(X, y)
    assert len(model.estimators_samples_) == 5
    assert all(map(np.array_equal, first, model.estimators_samples_))
    again = BaggingClassifier(CARTClassifier(max_surrogates=0), 5, random_state=2).fit(X, y)
    assert all(map(np.array_equal, model.estimators_samples_, again.estimators_samples_))


@pytest.mark.parametrize("cls", [RandomForestClassifier, BaggingClassifier, AdaBoostClassifier])
def test_paths_of_all_members_stand_side_by_side(cls, table):
    X, y = table
    model = cls(n_estimators=4, random_state=0)
    if hasattr(model, "oob_score"):
        model.set_params(oob_score=False)
    model.fit(X, y)
    paths, begins = model.decision_path(X)
    assert begins.tolist() == np.cumsum([0, *model.forest_.n_nodes]).tolist()
    assert paths.shape == (200, begins[-1])
    for i, (tree, leaves) in enumerate(zip(model.forest_, model.apply(X).T, strict=True)):
        own = paths[:, begins[i] : begins[i + 1]].toarray()
        assert (own[np.arange(200), leaves] == 1).all()
        assert np.array_equal(own.sum(axis=1), tree.depth[leaves] + 1)


def test_paths_need_trees_of_this_package(table):
    model = BaggingClassifier(LogisticRegression(), 2).fit(*table)
    with pytest.raises(TypeError, match="decision_path needs members that are trees"):
        model.decision_path(table[0])


def test_classes_are_counted_and_the_base_estimator_is_there(table):
    X, y = table
    forest = RandomForestClassifier(3, max_depth=2, oob_score=False, random_state=0).fit(X, y)
    assert forest.n_classes_ == CARTClassifier().fit(X, y).n_classes_ == 3
    assert isinstance(forest.estimator_, CARTClassifier)
    assert forest.estimator_.max_depth == 2
    numbers = RandomForestRegressor(3, oob_score=False, random_state=0).fit(X, X[:, 0])
    assert not hasattr(numbers, "n_classes_")
    foreign = BaggingClassifier(LogisticRegression(C=3.0), 2).fit(X, y)
    assert foreign.estimator_.C == 3.0


def test_members_are_made_once(table):
    X, _ = table
    model = BaggingRegressor(n_estimators=4, random_state=0).fit(X, X[:, 0])
    first, second = model.estimators_, model.estimators_
    assert all(one is other for one, other in zip(first, second, strict=True))
    first.clear()  # the list is the caller's own
    assert len(model.estimators_) == 4
    model.fit(X, X[:, 1])
    assert model.estimators_[0] is not second[0]


def test_a_function_scores_the_rows_left_out(table):
    X, y = table
    forest = RandomForestClassifier(50, oob_score=balanced_accuracy_score, random_state=0).fit(X, y)
    labels = forest.classes_[forest.oob_decision_function_.argmax(axis=1)]
    assert forest.oob_score_ == pytest.approx(balanced_accuracy_score(y, labels))
    numbers = RandomForestRegressor(50, oob_score=mean_absolute_error, random_state=0)
    numbers.fit(X, X[:, 0])
    wanted = mean_absolute_error(X[:, 0], numbers.oob_prediction_)
    assert numbers.oob_score_ == pytest.approx(wanted)
    with pytest.raises(ValueError, match="oob_score must be"):
        RandomForestClassifier(oob_score="accuracy").fit(X, y)


class Counting(CARTClassifier):
    """A tree with a fit of its own."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.n_rows_ = len(X)
        return self


def test_a_subclass_with_a_fit_of_its_own_is_fitted_by_it(table):
    X, y = table
    model = BaggingClassifier(Counting(max_depth=2), 3, random_state=0).fit(X, y)
    assert [member.n_rows_ for member in model.estimators_] == [200] * 3
    plain = BaggingClassifier(CARTClassifier(max_depth=2), 3, random_state=0).fit(X, y)
    assert np.mean(model.predict(X) == plain.predict(X)) > 0.9
    boosted = AdaBoostClassifier(Counting(max_depth=1), 3).fit(X, y)
    assert (boosted.predict(X) == AdaBoostClassifier(n_estimators=3).fit(X, y).predict(X)).all()
