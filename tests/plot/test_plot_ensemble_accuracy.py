from types import SimpleNamespace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier
from sklearn.ensemble import RandomForestRegressor as ForestOfNumbers
from sklearn.metrics import accuracy_score
from sklearn.tree import DecisionTreeClassifier

from spinney.ensemble._diversity import binomial_accuracy
from spinney.ensemble._voting import VotingCombiner
from spinney.plot import plot_ensemble_accuracy

Y = np.array(["a", "b", "b", "a"])
ANSWERS = [["a", "b", "a", "a"], ["a", "a", "b", "b"], ["b", "b", "b", "a"]]


def curve(ax: Any, name: str) -> np.ndarray:
    line = next(line for line in ax.lines if line.get_label().startswith(name))
    return np.asarray(line.get_ydata())


@pytest.fixture
def frame() -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(1)
    X = pd.DataFrame(random.normal(size=(80, 4)), columns=list("pqrs"))
    noise = random.normal(scale=0.5, size=80)
    return X, np.array(["no", "yes"])[(X["p"] + X["q"] + noise > 0).astype(int)]


def test_predictions_are_counted_by_hand() -> None:
    ax = plot_ensemble_accuracy(ANSWERS, None, Y)
    assert curve(ax, "each member").tolist() == [0.75, 0.5, 0.75]
    # first alone; a, tie, tie, tie, so that every row is "a"; then a, b, b, a
    assert curve(ax, "measured").tolist() == [0.75, 0.5, 1.0]


def test_ties_go_to_the_lowest_class() -> None:
    ax = plot_ensemble_accuracy([["a", "b"], ["b", "a"]], None, np.array(["a", "b"]))
    assert curve(ax, "measured").tolist() == [1.0, 0.5]


def test_the_binomial_curve_has_the_mean_accuracy_of_the_members() -> None:
    ax = plot_ensemble_accuracy(np.array(ANSWERS), None, Y)
    mean = (0.75 + 0.5 + 0.75) / 3
    expected = binomial_accuracy([1, 2, 3], mean, ties=0.5)
    np.testing.assert_allclose(curve(ax, "independent members, p = 0.667"), expected)
    np.testing.assert_allclose(curve(ax, "mean of the members"), mean)


def test_rows_count_by_their_weight() -> None:
    ax = plot_ensemble_accuracy(ANSWERS, None, Y, sample_weight=[1, 1, 2, 0])
    assert curve(ax, "each member").tolist() == [0.5, 0.75, 0.75]


def test_members_of_a_voting_combiner_are_asked_for_labels(frame: Any) -> None:
    X, y = frame
    trees = [DecisionTreeClassifier(max_depth=d).fit(X, y) for d in (1, 2, 3)]
    ax = plot_ensemble_accuracy(VotingCombiner(trees).fit(X, y), X, y)
    assert curve(ax, "each member").tolist() == [tree.score(X, y) for tree in trees]
    expected = [VotingCombiner(trees[:k]).fit(X, y).score(X, y) for k in (1, 2, 3)]
    np.testing.assert_allclose(curve(ax, "measured"), expected)


def test_members_of_a_forest_know_columns_and_classes_by_number(frame: Any) -> None:
    X, y = frame
    forest = RandomForestClassifier(7, max_depth=2, random_state=0).fit(X, y)
    codes = (y == "yes").astype(float)
    expected = [tree.score(X.to_numpy(), codes) for tree in forest.estimators_]
    np.testing.assert_allclose(curve(plot_ensemble_accuracy(forest, X, y), "each member"), expected)


def test_members_of_a_bagging_see_their_own_columns(frame: Any) -> None:
    X, y = frame
    bagging = BaggingClassifier(n_estimators=5, max_features=0.5, random_state=0).fit(X, y)
    codes = (y == "yes").astype(int)
    pairs = zip(bagging.estimators_, bagging.estimators_features_, strict=True)
    expected = [tree.score(X.to_numpy()[:, chosen], codes) for tree, chosen in pairs]
    ax = plot_ensemble_accuracy(bagging, X, y)
    np.testing.assert_allclose(curve(ax, "each member"), expected)


def test_the_ensemble_s_own_staged_score_is_the_measured_curve(frame: Any) -> None:
    X, y = frame[0].to_numpy(), frame[1]
    boosted = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=6).fit(X, y)
    ax = plot_ensemble_accuracy(boosted, X, y, sample_weight=np.arange(80))
    staged = [accuracy_score(y, p, sample_weight=np.arange(80)) for p in boosted.staged_predict(X)]
    np.testing.assert_allclose(curve(ax, "measured"), staged)


def test_only_selected_members_are_used(frame: Any) -> None:
    X, y = frame
    trees = [DecisionTreeClassifier(max_depth=d).fit(X, y) for d in (1, 2, 3, 4)]
    some = SimpleNamespace(estimators_=trees, selected_=np.array([1, 3]), classes_=np.unique(y))
    expected = [trees[1].score(X, y), trees[3].score(X, y)]
    assert curve(plot_ensemble_accuracy(some, X, y), "each member").tolist() == expected


def test_it_draws_into_the_given_axes() -> None:
    ax = plt.subplots()[1]
    assert plot_ensemble_accuracy(ANSWERS, None, Y, ax=ax) is ax
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("members", "accuracy")
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words[0].startswith("independent members")


def test_what_has_no_members_is_refused(frame: Any) -> None:
    X, y = frame
    with pytest.raises(TypeError, match="DecisionTreeClassifier has no estimators_"):
        plot_ensemble_accuracy(DecisionTreeClassifier(), X, y)
    with pytest.raises(TypeError, match="predicts numbers"):
        plot_ensemble_accuracy(ForestOfNumbers(2).fit(X, X["p"]), X, X["p"])
    with pytest.raises(ValueError, match="no members"):
        plot_ensemble_accuracy([], None, y)


def test_answers_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match=r"member 1 predicts an array of shape \(3,\)"):
        plot_ensemble_accuracy([ANSWERS[0], ANSWERS[1][:3]], None, Y)
