"""Bad input: it converges with the ridge, or is one clear error."""

import time

import numpy as np
import pandas as pd
import pytest
from mixture.mixture_kit import assert_never_falls
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import LinearSVC
from thinning import sparingly

from spinney import (
    CARTClassifier,
    CARTRegressor,
    MixtureOfExpertsClassifier,
    MixtureOfExpertsRegressor,
)

pytestmark = pytest.mark.filterwarnings(r"ignore:MixtureOfExperts\w+ still climbs")
X = np.arange(12.0)[:, None]
CODES = (np.arange(12) >= 5).astype(int)
FITTED = CARTClassifier().fit(X, CODES)
CLASSES = [MixtureOfExpertsClassifier, MixtureOfExpertsRegressor]
BOTH = pytest.mark.parametrize("cls", CLASSES)


@BOTH
@pytest.mark.parametrize("n_rows", [1, 2, 3])
@pytest.mark.parametrize("branching", [(5,), (3, 3)])
def test_more_experts_than_rows_converge(cls, n_rows, branching):
    fitted = cls(branching=branching, random_state=0).fit(X[:n_rows], CODES[-n_rows:])
    assert_never_falls(fitted)
    assert set(fitted.predict(X).astype(int)) == {1}


@BOTH
def test_collinear_columns_converge(cls):
    rng = np.random.default_rng(0)
    x = rng.normal(size=100)
    table = np.column_stack([x, 2 * x + 1, -x, np.ones(100), 1e9 * x])
    y = (x > 0).astype(int)
    fitted = cls(random_state=0).fit(table, y)
    assert_never_falls(fitted)
    assert fitted.score(table, y) > 0.9
    assert all(np.isfinite(expert.coef).all() for expert in fitted.experts_)


@pytest.mark.parametrize("C", [1.0, 1e10])
def test_perfectly_separable_classes_converge(C):
    fitted = MixtureOfExpertsClassifier(C=C, gate_C=C, random_state=0).fit(X, CODES)
    assert_never_falls(fitted)
    assert fitted.predict(X).tolist() == CODES.tolist()
    assert all(np.isfinite(expert.coef).all() for expert in fitted.experts_)


@pytest.mark.parametrize(
    "expert", ["logistic", CARTClassifier(max_depth=1), LogisticRegression()], ids=str
)
def test_one_class_is_what_is_predicted(expert):
    fitted = MixtureOfExpertsClassifier(expert, random_state=0).fit(X, ["only"] * 12)
    assert fitted.classes_.tolist() == ["only"]
    assert set(fitted.predict(X)) == {"only"}
    assert fitted.predict_proba(X).tolist() == [[1.0]] * 12


def test_one_number_is_what_is_predicted():
    for expert in ("linear", CARTRegressor()):
        fitted = MixtureOfExpertsRegressor(expert, random_state=0).fit(X, np.full(12, 7.3))
        np.testing.assert_allclose(fitted.predict(X), 7.3, rtol=1e-15)


REFUSED_CLASSES = {
    "no weights": ({"expert": KNeighborsClassifier()}, ValueError, "KNeighborsClassifier.*weights"),
    "no probabilities": (
        {"expert": LinearSVC()},
        ValueError,
        "LinearSVC has no predict_proba.*Wra",
    ),
    "a class": ({"expert": CARTClassifier}, TypeError, r"the class CARTClassifier.*Classifier\(\)"),
    "a regressor": ({"expert": CARTRegressor()}, TypeError, "'logistic' or a classifier.*CARTReg"),
    "a clustering": ({"expert": KMeans()}, TypeError, "'logistic' or a classifier.*KMeans"),
    "the other word": (
        {"expert": "linear"},
        ValueError,
        "expert must be one of 'logistic'.*linear",
    ),
    "a number": ({"expert": 3}, TypeError, "'logistic' or a classifier.*int"),
    "both": ({"expert": CARTClassifier(), "estimators": [FITTED]}, ValueError, "Give one of them"),
    "not fitted": ({"estimators": [CARTClassifier()]}, NotFittedError, r"estimators\[0\].*not fit"),
    "no list": ({"estimators": FITTED}, TypeError, "estimators must be a list"),
    "regressors": (
        {"estimators": [CARTRegressor().fit(X, CODES)]},
        TypeError,
        r"estimators\[0\] is a regressor",
    ),
    "labels only": (
        {"estimators": [("svc", LinearSVC().fit(X, CODES))]},
        ValueError,
        r"estimators\[0\] 'svc' has no predict_proba",
    ),
    "other labels": (
        {"estimators": [CARTClassifier().fit(X, CODES + 7)]},
        ValueError,
        r"estimators\[0\] knows the classes.*y holds",
    ),
    "room for others": (
        {"estimators": [FITTED] * 3, "branching": (2, 2)},
        ValueError,
        r"branching=\(2, 2\) has room for 4 experts, but estimators holds 3",
    ),
    "slopes of the fitted": (
        {"estimators": [FITTED], "solver": "gradient"},
        ValueError,
        "solver='gradient' needs",
    ),
}


@pytest.mark.parametrize("case", REFUSED_CLASSES)
def test_experts_that_cannot_be_ones_are_refused(case):
    given, error, words = REFUSED_CLASSES[case]
    model = MixtureOfExpertsClassifier(**given)
    with pytest.raises(error, match=words):
        model.fit(X, CODES)
    assert not hasattr(model, "classes_")
    with pytest.raises(NotFittedError):
        model.predict(X)


REFUSED_NUMBERS = {
    "no weights": ({"expert": KNeighborsRegressor()}, ValueError, "KNeighborsRegressor.*weights"),
    "a classifier": ({"expert": CARTClassifier()}, TypeError, "'linear' or a regressor.*CARTCl"),
    "a fitted classifier": (
        {"estimators": [FITTED]},
        TypeError,
        r"estimators\[0\] is a classifier",
    ),
    "nobody": ({"estimators": ()}, ValueError, "estimators is empty"),
    "text": ({"estimators": "all"}, TypeError, "estimators must be a list of fitted regressors"),
    "not fitted": (
        {"estimators": [("lin", LinearRegression())]},
        NotFittedError,
        r"estimators\[0\] 'lin' is not fitted",
    ),
    "no estimator": ({"estimators": [3]}, TypeError, r"estimators\[0\] must be a fitted regressor"),
    "a triple": ({"estimators": [(1, 2, 3)]}, TypeError, r"estimators\[0\] must be a regressor or"),
}


@pytest.mark.parametrize("case", REFUSED_NUMBERS)
def test_regressors_that_cannot_be_experts_are_refused(case):
    given, error, words = REFUSED_NUMBERS[case]
    with pytest.raises(error, match=words):
        MixtureOfExpertsRegressor(**given).fit(X, CODES)


class Broken(CARTRegressor):
    """Predicts what is no number."""

    def predict(self, X):
        return np.full(len(X), np.nan)


def test_members_that_answer_nonsense_are_named():
    model = MixtureOfExpertsRegressor(estimators=[("bad", Broken().fit(X, CODES))])
    with pytest.raises(ValueError, match=r"estimators\[0\] 'bad' predicts .*not finite"):
        model.fit(X, CODES)


def test_an_unknown_class_has_no_responsibilities():
    fitted = MixtureOfExpertsClassifier(random_state=0).fit(X, CODES)
    with pytest.raises(ValueError, match="y holds 5, which is none of the classes of fit"):
        fitted.responsibilities(X, np.full(12, 5))
    with pytest.raises(ValueError, match="y holds 'b', which is none of the classes of fit"):
        fitted.responsibilities(X, np.array(["b"] * 12, dtype=object))
    with pytest.raises(ValueError, match="12 rows, y has 3"):
        fitted.responsibilities(X, [0, 1, 0])


@BOTH
def test_methods_before_fit_raise_not_fitted(cls):
    for ask in (lambda m: m.responsibilities(X), lambda m: m.gate_text(), lambda m: m.predict(X)):
        with pytest.raises(NotFittedError, match=cls.__name__):
            ask(cls())


def test_a_failed_fit_leaves_a_fitted_mixture_as_it_was():
    fitted = MixtureOfExpertsClassifier(random_state=0).fit(X, CODES)
    before = fitted.predict_proba(X).tolist()
    with pytest.raises(ValueError, match="y contains NaN"):
        fitted.fit(X, [np.nan] * 12)
    assert fitted.predict_proba(X).tolist() == before


@pytest.mark.slow
@pytest.mark.parametrize("cls", sparingly(CLASSES, 2))
def test_a_hundred_thousand_categories_and_many_classes_take_bounded_time(cls):
    words = pd.DataFrame({"word": [f"w{k}" for k in range(100_000)], "x": np.arange(1e5) % 7})
    start = time.process_time()
    model = cls(branching=2, n_init=1, max_iter=3, random_state=0)
    fitted = model.fit(words, np.arange(100_000) % 2)
    assert len(fitted.gates_[0].columns) == 101
    assert time.process_time() - start < 30


@pytest.mark.slow
def test_many_classes_are_learned_without_a_matrix_of_all_of_them():
    rng = np.random.default_rng(1)
    table = rng.normal(size=(400, 5))
    y = np.arange(400) % 200
    table[:, 0] = y
    fitted = MixtureOfExpertsClassifier(branching=2, n_init=1, max_iter=5, random_state=0)
    assert_never_falls(fitted.fit(table, y))
    assert fitted.predict_proba(table).shape == (400, 200)


@pytest.mark.slow
def test_values_of_any_size_give_finite_answers():
    rng = np.random.default_rng(2)
    for scale in (1e-310, 1e-40, 1e40, 1e300):
        table = rng.normal(size=(60, 2)) * [scale, 1.0]
        y = (table[:, 1] > 0).astype(int)
        for cls in (MixtureOfExpertsClassifier, MixtureOfExpertsRegressor):
            fitted = cls(random_state=0).fit(table, y)
            assert fitted.score(table, y) > 0.7
            assert np.isfinite(fitted.log_likelihood_).all()
            wild = np.array([[np.inf, -np.inf], [1.7e308, np.nan], [-1.7e308, 1e-320]])
            answer = fitted.predict(wild)
            assert np.isfinite(answer.astype(float)).all()
