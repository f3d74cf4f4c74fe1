"""Experts from elsewhere: learned in every step, or fitted already and only combined."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from mixture_kit import assert_never_falls, problems, two_regimes
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from spinney import (
    AdaBoostClassifier,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    IGPAForestClassifier,
    MixtureOfExpertsClassifier,
    MixtureOfExpertsRegressor,
    RandomForestClassifier,
)

pytestmark = pytest.mark.filterwarnings(r"ignore:MixtureOfExperts\w+ still climbs")


@pytest.mark.slow
@settings(max_examples=8)
@given(problems())
def test_the_log_likelihood_never_falls_with_trees(problem):
    options = problem["settings"] | {"max_iter": 5}
    X, weight = problem["X"], problem["weight"]
    for cls, expert, y in (
        (MixtureOfExpertsClassifier, CARTClassifier(max_depth=2), "codes"),
        (MixtureOfExpertsRegressor, CARTRegressor(max_depth=2), "numbers"),
    ):
        assert_never_falls(cls(expert, **options).fit(X, problem[y], sample_weight=weight))


@pytest.mark.parametrize(
    "expert",
    [
        CARTClassifier(max_depth=2),
        C45Classifier(max_depth=2, pruning=None, rules=False),
        DecisionTreeClassifier(max_depth=2),
        GaussianNB(),
        LogisticRegression(),
        MLPClassifier((3,), solver="lbfgs", alpha=1.0, max_iter=300, random_state=0),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ],
    ids=lambda expert: type(expert).__name__,
)
@pytest.mark.filterwarnings("ignore:lbfgs failed to converge")
def test_any_classifier_with_weights_and_probabilities_is_an_expert(expert):
    rng = np.random.default_rng(0)
    X, score, _ = two_regimes(rng, 150)
    y = np.where(score > 0, "up", "down")
    model = MixtureOfExpertsClassifier(expert, branching=2, max_iter=8, n_init=1, random_state=0)
    fitted = model.fit(X, y, sample_weight=rng.random(150))
    assert_never_falls(fitted)
    assert [type(one) for one in fitted.experts_] == [type(expert)] * 2
    assert fitted.score(X, y) > clone(expert).fit(X, y).score(X, y) - 0.05
    assert set(fitted.experts_[0].predict(X)) <= {"up", "down"}


def test_regressors_are_experts_with_a_variance_of_their_own():
    rng = np.random.default_rng(1)
    X, score, _ = two_regimes(rng, 300)
    y = 1e6 + 100.0 * score
    for expert in (
        Ridge(),
        CARTRegressor(max_depth=3),
        MLPRegressor(hidden_layer_sizes=(5,), solver="lbfgs", random_state=0),
    ):
        model = MixtureOfExpertsRegressor(expert, branching=2, max_iter=5, random_state=0)
        if isinstance(expert, MLPRegressor):
            expert.set_params(max_iter=2000, tol=1e-1, alpha=0.1)
            model.set_params(n_init=1, max_iter=3)
            y = score
        fitted = model.fit(X, y)
        assert_never_falls(fitted)
        assert fitted.score(X, y) > 0.7


class Worse(DecisionTreeClassifier):
    """Learns the first time, and then only noise."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        Worse.fits += 1
        y = y if Worse.fits <= 2 else np.roll(y, Worse.fits)
        return super().fit(X, y, sample_weight)


def test_a_fit_that_explains_its_rows_worse_is_dropped():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(100, 2))
    y = X[:, 0] > 0
    Worse.fits = 0
    model = MixtureOfExpertsClassifier(Worse(max_depth=1), branching=2, n_init=1, random_state=0)
    fitted = model.fit(X, y)
    assert Worse.fits > 4
    assert_never_falls(fitted)
    assert fitted.score(X, y) == 1.0


@pytest.mark.slow
def test_trees_take_the_table_raw_and_gates_take_it_too():
    rng = np.random.default_rng(3)
    n = 300
    X = pd.DataFrame({"x": rng.normal(size=n), "word": rng.choice(["a", "b", "c"], n)})
    X.loc[rng.random(n) < 0.1, "x"] = None
    X.loc[rng.random(n) < 0.1, "word"] = None
    y = (X["word"] == "b") ^ (X["x"].fillna(0) > 0)
    model = MixtureOfExpertsClassifier(CARTClassifier(max_depth=2), branching=2, random_state=0)
    fitted = model.fit(X, y)
    assert fitted.score(X, y) > 0.9
    kinds = [column.kind for column in fitted.experts_[0].tree_.schema.columns]
    assert kinds == ["numeric", "nominal"]
    assert fitted.gates_[0].columns == ("x", "word=a", "word=b", "word=c")


def test_columns_named_nominal_are_nominal_for_trees_too():
    rng = np.random.default_rng(4)
    X = rng.integers(0, 4, size=(120, 2)).astype(float)
    y = np.isin(X[:, 0], [0, 2])
    expert = CARTClassifier(max_depth=1)
    model = MixtureOfExpertsClassifier(expert, branching=1, categorical_features=[0])
    fitted = model.fit(X, y)
    assert fitted.score(X, y) == 1.0
    assert expert.categorical_features == "from_dtype"


@pytest.fixture(scope="module")
def members():
    """Return three fitted ensembles, rows that they have not seen, and rows to test."""
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"x": rng.normal(size=900), "z": rng.normal(size=900)})
    X["word"] = rng.choice(["a", "b"], 900)
    y = np.where((X["x"] > 0) ^ (X["word"] == "a"), "yes", "no")
    y = np.where(rng.random(900) < 0.1, "no", y)
    kinds = [
        RandomForestClassifier(n_estimators=10, oob_score=False, random_state=0),
        AdaBoostClassifier(n_estimators=10),
        IGPAForestClassifier(n_estimators=5, random_state=0),
    ]
    fitted = [kind.fit(X[:300], y[:300]) for kind in kinds]
    return fitted, (X[300:600], y[300:600]), (X[600:], y[600:])


def test_fitted_ensembles_are_combined_by_where_each_is_right(members):
    fitted, later, test = members
    answers = [one.predict_proba(test[0]) for one in fitted]
    model = MixtureOfExpertsClassifier(estimators=fitted).fit(*later)
    assert_never_falls(model)
    assert model.gates_[0].coef.shape == (3, 4)
    for before, one in zip(answers, model.experts_, strict=True):
        np.testing.assert_array_equal(one.predict_proba(test[0]), before)
    assert model.score(*test) >= np.mean([one.score(*test) for one in fitted])
    named = [(f"m{k}", one) for k, one in enumerate(fitted)]
    again = MixtureOfExpertsClassifier(estimators=named).fit(*later)
    np.testing.assert_array_equal(again.predict_proba(test[0]), model.predict_proba(test[0]))


def test_a_gate_learns_which_fitted_model_is_right_where():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(600, 2))
    y = X[:, 1] > 0
    left, right = X[:, 0] < 0, X[:, 0] >= 0
    halves = [CARTClassifier(max_depth=1).fit(X[side], y[side]) for side in (left, right)]
    wrong = [CARTClassifier(max_depth=1).fit(X[side], ~y[side]) for side in (left, right)]
    one = _Half(halves[0], wrong[1])
    other = _Half(wrong[0], halves[1])
    model = MixtureOfExpertsClassifier(estimators=[one, other], gate_C=100).fit(X, y)
    assert model.score(X, y) > 0.97
    shares = model.responsibilities(X)
    assert np.mean((shares[:, 0] > 0.5) == left) > 0.97


class _Half:
    """Asks one model on the left and another on the right."""

    classes_ = np.array([False, True])

    def __init__(self, left, right):
        self.left, self.right = left, right

    def predict_proba(self, X):
        return np.where(X[:, :1] < 0, self.left.predict_proba(X), self.right.predict_proba(X))

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def test_gaps_are_taken_where_all_experts_take_them(members):
    fitted, _, _ = members
    assert get_tags(MixtureOfExpertsClassifier()).input_tags.allow_nan
    assert get_tags(MixtureOfExpertsClassifier(CARTClassifier())).input_tags.allow_nan
    assert not get_tags(MixtureOfExpertsClassifier(LogisticRegression())).input_tags.allow_nan
    assert get_tags(MixtureOfExpertsClassifier(estimators=fitted)).input_tags.allow_nan
    mixed = [*fitted, ("bayes", GaussianNB())]
    assert not get_tags(MixtureOfExpertsClassifier(estimators=mixed)).input_tags.allow_nan


def test_a_clone_keeps_its_fitted_members(members):
    fitted, later, test = members
    model = MixtureOfExpertsClassifier(estimators=fitted, branching=(3,))
    twin = clone(model)
    assert twin.estimators is fitted
    np.testing.assert_array_equal(
        twin.fit(*later).predict(test[0]), model.fit(*later).predict(test[0])
    )
    learned = MixtureOfExpertsClassifier(CARTClassifier(max_depth=1))
    assert clone(learned).expert is not learned.expert


def test_members_may_know_fewer_classes_or_more():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(200, 2))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    few = CARTClassifier(max_depth=2).fit(X[y < 2], y[y < 2])
    more = CARTClassifier(max_depth=3).fit(X, np.where(X[:, 1] > 2, 7, y))
    model = MixtureOfExpertsClassifier(estimators=[few, more]).fit(X, y)
    assert model.classes_.tolist() == [0, 1, 2]
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert model.score(X, y) > 0.9


def test_fitted_regressors_are_combined_too():
    rng = np.random.default_rng(8)
    X, score, part = two_regimes(rng, 600)
    halves = [Ridge().fit(X[part == k], score[part == k]) for k in (0, 1)]
    model = MixtureOfExpertsRegressor(estimators=[("a", halves[0]), halves[1]], gate_C=100)
    assert_never_falls(model.fit(X, score))
    assert model.score(X, score) > 0.95
    frozen = MixtureOfExpertsRegressor(estimators=[FrozenEstimator(h) for h in halves])
    assert frozen.fit(X, score).score(X, score) > 0.9


def test_networks_are_experts_on_a_table_with_gaps():
    rng = np.random.default_rng(9)
    X, score, _ = two_regimes(rng, 200)
    X[rng.random(X.shape) < 0.05] = np.nan
    network = make_pipeline(
        SimpleImputer(), StandardScaler(), MLPClassifier((4,), solver="lbfgs", alpha=0.1)
    )
    network[-1].set_params(max_iter=1000, tol=1e-3)
    model = MixtureOfExpertsClassifier(network, branching=2, n_init=1, max_iter=5, random_state=0)
    assert_never_falls(model.fit(X, score > 0))
    assert model.score(X, score > 0) > 0.85
