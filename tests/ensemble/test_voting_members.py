"""Which members `VotingCombiner` takes, and its manners as a scikit-learn classifier."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from spinney import C45Classifier, CARTClassifier
from spinney.ensemble._voting import VotingCombiner


class Says:
    """A classifier of no library that gives every row the same answer."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.answer)


class Returns:
    """A classifier of no library that returns what it is told to."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def predict(self, X: Any) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.fixture
def data() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(3)
    X = random.normal(size=(120, 3))
    noisy = X[:, 0] + X[:, 1] ** 2 + random.normal(scale=0.3, size=120)
    return X, np.array(["low", "mid", "high"])[np.digitize(noisy, [0.3, 1.2])]


@pytest.fixture
def members(data: Any) -> list[Any]:
    models = [
        GaussianNB(),
        DecisionTreeClassifier(max_depth=3, random_state=0),
        CARTClassifier(max_leaf_nodes=6),
    ]
    return [model.fit(*data) for model in models]


def test_members_are_frozen_and_not_fitted_again(data: Any, members: list[Any]) -> None:
    X, y = data
    before = pickle.dumps(members)
    fitted = VotingCombiner(members).fit(X[:20], y[:20])
    assert pickle.dumps(members) == before
    assert all(isinstance(member, FrozenEstimator) for member in fitted.estimators_)
    assert [member.estimator for member in fitted.estimators_] == members
    frozen = FrozenEstimator(members[0])
    assert VotingCombiner([frozen]).fit(X, y).estimators_[0] is frozen


def test_votes_are_the_members_own_predictions(data: Any, members: list[Any]) -> None:
    X, y = data
    fitted = VotingCombiner(members).fit(X, y)
    expected = np.zeros((len(X), 3))
    for member in members:
        expected += member.predict(X)[:, None] == fitted.classes_
    assert (fitted.votes(X) == expected).all()
    assert fitted.score(X, y) == accuracy_score(y, fitted.predict(X))


def test_pairs_give_members_a_name(data: Any, members: list[Any]) -> None:
    pairs = list(zip(["bayes", "tree", "cart"], members, strict=True))
    named = VotingCombiner(pairs).fit(*data)
    assert (named.predict(data[0]) == VotingCombiner(members).fit(*data).predict(data[0])).all()


def test_members_for_raw_tables_get_the_table_as_it_is() -> None:
    frame = pd.DataFrame({"colour": ["red", "blue", "red", "green"] * 5, "size": range(20)})
    y = ["warm", "cold", "warm", "cold"] * 5
    models = [CARTClassifier().fit(frame, y), C45Classifier().fit(frame, y)]
    fitted = VotingCombiner(models).fit(frame, y)
    assert fitted.predict(frame).tolist() == y
    assert fitted.n_features_in_ == 2
    assert fitted.feature_names_in_.tolist() == ["colour", "size"]
    assert VotingCombiner(models).fit(pl.from_pandas(frame), y).score(pl.from_pandas(frame), y) == 1
    columns = {name: frame[name].to_numpy() for name in frame}
    assert VotingCombiner(models).fit(columns, y).predict(columns).tolist() == y


def test_texts_have_no_columns() -> None:
    texts, y = ["good book", "bad book", "good film", "bad film"], [1, 0, 1, 0]
    model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(texts, y)
    fitted = VotingCombiner([model]).fit(texts, y)
    assert fitted.predict(texts).tolist() == y
    assert not hasattr(fitted, "n_features_in_")


def test_rule_sets_and_trees_vote_too(data: Any) -> None:
    model = C45Classifier().fit(*data)
    fitted = VotingCombiner([model, model.rules_, model.tree_]).fit(*data)
    expected = [model.predict(data[0]), model.rules_.predict(data[0]), model.tree_.predict(data[0])]
    votes = sum(named[:, None] == fitted.classes_ for named in expected)
    assert (fitted.votes(data[0]) == votes).all()


def test_a_member_may_know_fewer_classes(data: Any, members: list[Any]) -> None:
    X, y = data
    some = y != "mid"
    narrow = GaussianNB().fit(X[some], y[some])
    fitted = VotingCombiner([narrow, *members]).fit(X, y)
    assert fitted.classes_.tolist() == ["high", "low", "mid"]
    assert fitted.votes(X).sum(axis=1).tolist() == [4.0] * len(X)


def test_a_class_that_only_members_know_is_a_class(data: Any, members: list[Any]) -> None:
    X, y = data
    some = y != "mid"
    fitted = VotingCombiner(members).fit(X[some], y[some])
    assert fitted.classes_.tolist() == ["high", "low", "mid"]
    assert "mid" in fitted.predict(X)


def test_longer_labels_of_members_are_not_cut() -> None:
    X, y = [[0.0], [1.0]], np.array(["a", "b"])
    member = DummyClassifier(strategy="constant", constant="longer").fit(X, ["a", "longer"])
    fitted = VotingCombiner([member]).fit(X, y)
    assert fitted.predict(X).tolist() == ["longer", "longer"]


def test_labels_are_matched_by_value_whatever_their_type() -> None:
    X, y = [[0.0], [1.0]], np.array([0, 1])
    member = DummyClassifier(strategy="constant", constant=[1.0]).fit(X, [0.0, 1.0])
    found = VotingCombiner([member, Says(True)]).fit(X, y).predict(X)
    assert found.dtype.kind == "i"
    assert found.tolist() == [1, 1]


def test_a_member_that_knows_no_class_of_y_is_refused(data: Any, members: list[Any]) -> None:
    X, y = data
    forest = RandomForestClassifier(3, random_state=0).fit(X, y)  # its trees predict codes
    with pytest.raises(ValueError, match=r"estimators\[1\] knows the classes 0\.0.*y holds 'high'"):
        VotingCombiner([members[0], *forest.estimators_]).fit(X, y)


def test_labels_that_cannot_be_sorted_are_refused() -> None:
    member = Says("x")
    member.classes_ = np.array(["x", 1], dtype=object)  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match=r"estimators\[0\] knows 1, which cannot be sorted"):
        VotingCombiner([member]).fit([[0.0]], ["x"])


@pytest.mark.parametrize("answer", ["new", None, float("nan"), 7])
def test_a_prediction_that_is_no_class_names_the_member(answer: Any) -> None:
    fitted = VotingCombiner([Says("a"), Returns([answer, "b"])]).fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(ValueError, match=r"estimators\[1\] predicts .*no class of y.*'a', 'b'"):
        fitted.predict([[0.0], [1.0]])


def test_a_member_must_predict_one_label_per_row() -> None:
    X, y = [[0.0], [1.0]], ["a", "b"]
    with pytest.raises(ValueError, match=r"estimators\[0\] predicts an array of shape \(2, 2\)"):
        VotingCombiner([Returns([["a", "b"]] * 2)]).fit(X, y).predict(X)
    with pytest.raises(ValueError, match=r"estimators\[1\] 'odd' predicts 1 labels"):
        VotingCombiner([Says("a"), ("odd", Returns(["a"]))]).fit(X, y).predict(X)
    assert VotingCombiner([Returns([["a"], ["b"]])]).fit(X, y).predict(X).tolist() == y


def test_an_error_of_a_member_has_its_name_in_front(data: Any, members: list[Any]) -> None:
    X, y = data
    narrow = GaussianNB().fit(X[:, :2], y)
    fitted = VotingCombiner([members[0], ("narrow", narrow)]).fit(X, y)
    wanted = r"^estimators\[1\] 'narrow': X has 3 features, but GaussianNB is expecting 2"
    with pytest.raises(ValueError, match=wanted):
        fitted.predict(X)


def test_an_error_that_takes_no_message_is_told_all_the_same() -> None:
    problem = UnicodeDecodeError("utf-8", b"x", 0, 1, "odd")
    fitted = VotingCombiner([Returns(problem)]).fit([[0.0]], ["a"])
    with pytest.raises(RuntimeError, match=r"^estimators\[0\]: .*odd"):
        fitted.predict([[0.0]])


@pytest.mark.parametrize(
    ("estimators", "error", "message"),
    [
        ([], ValueError, "estimators is empty"),
        (None, TypeError, "must be a list of fitted classifiers"),
        (GaussianNB(), TypeError, "must be a list of fitted classifiers.*got GaussianNB"),
        ("abc", TypeError, "must be a list of fitted classifiers"),
        ([GaussianNB()], NotFittedError, r"estimators\[0\] is not fitted yet"),
        ([("nb", GaussianNB())], NotFittedError, r"estimators\[0\] 'nb' is not fitted yet"),
        ([FrozenEstimator(CARTClassifier())], NotFittedError, r"estimators\[0\] is not fitted"),
        ([GaussianNB], TypeError, r"estimators\[0\] is the class GaussianNB"),
        ([3], TypeError, r"estimators\[0\] has no predict: int"),
        ([(1, Says("a"))], TypeError, r"\(name, classifier\) pair"),
        ([("a", Says("a"), 3)], TypeError, r"\(name, classifier\) pair"),
        ([("a", Says("a")), ("a", Says("a"))], ValueError, "the name 'a' twice"),
        ([LinearRegression().fit([[0.0]], [1.0])], TypeError, r"estimators\[0\] is a regressor"),
    ],
)
def test_what_is_no_list_of_fitted_classifiers_is_refused(
    estimators: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        VotingCombiner(estimators).fit([[0.0]], ["a"])


def test_a_failed_fit_leaves_the_last_one(data: Any, members: list[Any]) -> None:
    X, y = data
    fitted = VotingCombiner(members).fit(X, y)
    before = fitted.predict(X)
    with pytest.raises(ValueError, match="Found input variables with inconsistent"):
        fitted.fit(X, y[1:])
    assert (fitted.predict(X) == before).all()


@pytest.mark.parametrize("method", ["predict", "predict_proba", "votes", "decided", "coverage"])
def test_before_fit_nothing_is_answered(data: Any, members: list[Any], method: str) -> None:
    with pytest.raises(NotFittedError):
        getattr(VotingCombiner(members), method)(data[0])


def test_a_clone_keeps_the_members_fitted(data: Any, members: list[Any]) -> None:
    X, y = data
    weights = np.array([1.0, 2.0, 0.5])
    one = VotingCombiner(members, rule=0.6, weights=weights, abstain_label="?").fit(X, y)
    twin = clone(one)
    assert not hasattr(twin, "classes_")
    assert twin.estimators is members
    assert (twin.rule, twin.abstain_label) == (0.6, "?")
    assert (twin.fit(X, y).predict(X) == one.predict(X)).all()


def test_the_constructor_keeps_what_it_is_given(members: list[Any]) -> None:
    weights = (1, 2, 3)
    made = VotingCombiner(members, rule="no rule", weights=weights, abstain_label="?")
    settings = made.get_params()
    assert settings["estimators"] is members
    assert settings["weights"] is weights
    assert made.set_params(rule="majority").rule == "majority"


def test_settings_take_effect_with_the_next_fit(data: Any, members: list[Any]) -> None:
    X, y = data
    made = VotingCombiner(members).fit(X, y)
    made.set_params(rule="unanimous", abstain_label="?")
    assert made.decided(X).all()
    assert not made.fit(X, y).decided(X).all()


def test_searches_and_cross_validation_work(data: Any, members: list[Any]) -> None:
    X, y = data
    made = VotingCombiner(members, abstain_label="?")
    scores = cross_val_score(made, X, y, cv=3, scoring="accuracy")
    assert scores.mean() == pytest.approx(made.fit(X, y).score(X, y))
    search = GridSearchCV(made, {"rule": ["plurality", "majority", "unanimous"]}, cv=3).fit(X, y)
    assert search.best_params_ == {"rule": "plurality"}  # an undecided row is never right


def test_a_pickle_answers_alike(data: Any, members: list[Any]) -> None:
    X, y = data
    made = VotingCombiner(members, rule="majority", abstain_label="?").fit(X, y)
    again = pickle.loads(pickle.dumps(made))
    assert (again.predict(X) == made.predict(X)).all()
    assert again.coverage_table(X, y).to_dict() == made.coverage_table(X, y).to_dict()


def test_gaps_are_welcome_if_they_are_to_every_member(data: Any, members: list[Any]) -> None:
    assert is_classifier(VotingCombiner(members))
    assert not get_tags(VotingCombiner(members)).input_tags.allow_nan  # GaussianNB minds
    assert get_tags(VotingCombiner(members[1:])).input_tags.allow_nan
    assert not get_tags(VotingCombiner([Says("a")])).input_tags.allow_nan
    assert not get_tags(VotingCombiner(None)).input_tags.allow_nan


class Trained(ClassifierMixin, BaseEstimator):
    """Trains three members and combines them, so that scikit-learn's checks can fit it to data."""

    def fit(self, X: Any, y: Any) -> "Trained":
        models = [GaussianNB(), CARTClassifier(max_depth=4), LogisticRegression(C=1e-3)]
        fitted = [model.fit(X, y) for model in models]
        self.combiner_ = VotingCombiner(fitted).fit(X, y)
        return self

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        return float(self.combiner_.score(X, y, sample_weight))

    def __getattr__(self, name: str) -> Any:
        if name in ("classes_", "n_features_in_", "feature_names_in_", "predict", "predict_proba"):
            return getattr(vars(self).get("combiner_", VotingCombiner([])), name)
        raise AttributeError(name)


@parametrize_with_checks([Trained()])
def test_scikit_learn_finds_no_fault_with_trained_members(estimator: Any, check: Any) -> None:
    check(estimator)
