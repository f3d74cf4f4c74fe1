"""AdaBoost: rounds worked by hand, scikit-learn's numbers, and where training ends."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.ensembles import count_votes
from scipy import stats
from sklearn.ensemble import AdaBoostClassifier as ScikitBoost
from sklearn.tree import DecisionTreeClassifier

from spinney import AdaBoostClassifier, CARTClassifier, _core

# -- By hand

LINE = np.arange(1.0, 11.0)[:, None]
SIDES = np.array([1, 1, 1, 0, 0, 0, 1, 1, 1, 0])
# Which of these rows the stumps get wrong: x <= 3.5, x <= 9.5 and, in the third round, x > 6.5.
WRONG = [[6, 7, 8], [3, 4, 5], [0, 1, 2, 9]]


def test_three_rounds_on_ten_points_are_the_textbook_ones():
    model = AdaBoostClassifier(CARTClassifier("misclassification", max_depth=1), 3)
    model.fit(LINE, SIDES)
    assert [str(tree.root.test) for tree in model.forest_] == [
        "x0 <= 3.5",
        "x0 <= 9.5",
        "x0 <= 6.5",
    ]
    w = [0.1] * 10
    for m, wrong in enumerate(WRONG):
        error = sum(w[i] for i in wrong)
        alpha = math.log((1 - error) / error)
        assert model.estimator_errors_[m] == pytest.approx(error, rel=1e-12)
        assert model.estimator_weights_[m] == pytest.approx(alpha, rel=1e-12)
        w = [wi * (math.exp(alpha) if i in wrong else 1.0) for i, wi in enumerate(w)]
        w = [wi / sum(w) for wi in w]
    np.testing.assert_allclose(model.sample_weights_, w, rtol=1e-12)
    np.testing.assert_allclose(model.estimator_errors_, [0.3, 0.2143, 0.1818], atol=5e-5)
    # Many books halve the logarithm, which changes no vote.
    np.testing.assert_allclose(model.estimator_weights_ / 2, [0.4236, 0.6496, 0.7520], atol=5e-5)
    np.testing.assert_array_equal(model.predict(LINE), SIDES)


PLANE = np.array(
    [[1, 5], [2, 3], [3, 2], [4, 6], [4, 7], [5, 9], [6, 5], [6, 7], [8, 5], [8, 8]], float
)
CORNERS = np.array([0, 0, 1, 1, 0, 0, 1, 0, 1, 1])


def test_five_rounds_of_gini_stumps_follow_the_arithmetic():
    model = AdaBoostClassifier(n_estimators=5).fit(PLANE, CORNERS)
    assert len(model.estimators_) == 5
    w = np.full(10, 0.1)
    scores = np.zeros(10)
    for m, member in enumerate(model.estimators_):
        root = member.tree_.root
        left = PLANE[:, root.test.feature] <= root.test.threshold
        best, gain = best_stump(w)
        assert gain == pytest.approx(gini_gain(w, left), rel=1e-12)
        assert best == (root.test.feature, root.test.threshold)
        says = np.where(left, majority(w, left), majority(w, ~left))
        wrong = says != CORNERS
        error = w[wrong].sum()
        alpha = math.log((1 - error) / error)
        assert model.estimator_errors_[m] == pytest.approx(error, rel=1e-12)
        assert model.estimator_weights_[m] == pytest.approx(alpha, rel=1e-12)
        w = np.where(wrong, w * math.exp(alpha), w)
        w = w / w.sum()
        scores += alpha * np.where(says == 1, 1, -1)
    np.testing.assert_allclose(model.sample_weights_, w, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(PLANE), (scores > 0).astype(int))
    total = model.estimator_weights_.sum()
    np.testing.assert_allclose(model.decision_function(PLANE), 2 * scores / total, rtol=1e-12)


def majority(w, rows):
    return int(w[rows & (CORNERS == 1)].sum() > w[rows & (CORNERS == 0)].sum())


def gini_gain(w, left):
    def impurity(rows):
        p = w[rows & (CORNERS == 1)].sum() / w[rows].sum()
        return 2 * p * (1 - p)

    everyone = np.full(10, True)
    share = w[left].sum()
    return impurity(everyone) - share * impurity(left) - (1 - share) * impurity(~left)


def best_stump(w):
    """Every cut of every column: the first of the best."""
    found = []
    for j in (0, 1):
        values = np.unique(PLANE[:, j])
        for cut in (values[1:] + values[:-1]) / 2:
            found.append((-round(gini_gain(w, PLANE[:, j] <= cut), 12), j, cut))
    gain, j, cut = min(found)
    return (j, cut), -gain


# -- Against scikit-learn


def exact_problem(seed, n, n_classes, n_features=4):
    """Numbers that single precision holds, all different, so that no two tests are tied."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.permutation(n) * 3 for _ in range(n_features)]).astype(float)
    score = X[:, 0] + X[:, 1] * 0.5 + 0.8 * n * rng.normal(size=n)
    edges = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return X, np.digitize(score, edges)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "n_classes"), [(150, 2), (200, 3), (300, 5), (5000, 2), (4500, 3)])
def test_samme_is_scikit_learns(n, n_classes, weighted):
    X, y = exact_problem(n, n, n_classes)
    weight = np.random.default_rng(1).integers(1, 9, n) / 8 if weighted else None
    rounds = 25 if n < 1000 else 12
    theirs = ScikitBoost(DecisionTreeClassifier(max_depth=1), n_estimators=rounds)
    theirs.fit(X, y, sample_weight=weight)
    ours = AdaBoostClassifier(n_estimators=rounds).fit(X, y, sample_weight=weight)
    assert len(ours.estimators_) == len(theirs.estimators_) == rounds
    for name in ("estimator_errors_", "estimator_weights_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-9)
    for mine, other in zip(ours.forest_, theirs.estimators_, strict=True):
        assert mine.feature[0] == other.tree_.feature[0]
        assert mine.threshold[0] == other.tree_.threshold[0]
    new = X + np.random.default_rng(2).integers(-40, 40, X.shape)
    for name in ("decision_function", "predict_proba"):
        mine, other = getattr(ours, name)(new), getattr(theirs, name)(new)
        np.testing.assert_allclose(mine, other, rtol=1e-9, atol=1e-12)
    stages = zip(ours.staged_predict(new), theirs.staged_predict(new), strict=True)
    for stage, (mine, other) in enumerate(stages):
        clear = clear_votes(ours, new, stage + 1)
        np.testing.assert_array_equal(mine[clear], other[clear])
    decisions = zip(
        ours.staged_decision_function(new), theirs.staged_decision_function(new), strict=True
    )
    for mine, other in decisions:
        np.testing.assert_allclose(mine, other, rtol=1e-9, atol=1e-12)


def clear_votes(model, X, n):
    """Rows whose first class is ahead by more than rounding."""
    codes = [member.predict(X) for member in model.estimators_[:n]]
    votes = count_votes(codes, len(model.classes_), model.estimator_weights_[:n])
    first, second = np.sort(votes, axis=1)[:, :-3:-1].T
    assert (first - second > 1e-9).mean() > 0.5
    return first - second > 1e-9


@pytest.mark.parametrize("rate", [0.3, 0.8])
def test_a_learning_rate_is_scikit_learns(rate):
    X, y = exact_problem(7, 200, 3)
    theirs = ScikitBoost(DecisionTreeClassifier(max_depth=1), n_estimators=15, learning_rate=rate)
    theirs.fit(X, y)
    ours = AdaBoostClassifier(n_estimators=15, learning_rate=rate).fit(X, y)
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-9)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-9)


def test_deeper_trees_are_boosted_as_scikit_learn_boosts_them():
    X, y = exact_problem(9, 300, 3)
    theirs = ScikitBoost(DecisionTreeClassifier(max_depth=2), n_estimators=8).fit(X, y)
    ours = AdaBoostClassifier(CARTClassifier(max_depth=2), 8).fit(X, y)
    np.testing.assert_allclose(ours.estimator_errors_, theirs.estimator_errors_, rtol=1e-9)


# -- Weights


@given(seed=st.integers(0, 2**20), n=st.integers(8, 40), k=st.integers(2, 4))
@settings(max_examples=15)
def test_weights_add_up_to_one_and_the_last_member_is_wrong_for_half_of_them(seed, n, k):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 2)), np.resize(np.arange(k), n)
    try:
        model = AdaBoostClassifier(n_estimators=6).fit(X, y)
    except ValueError as error:
        assert "no better than guessing" in str(error)  # noqa: PT017
        return
    assert model.sample_weights_.sum() == pytest.approx(1.0)
    assert (np.diff(model.loss_curve_) <= 1e-12).all() or k > 2
    wrong = model.estimators_[-1].predict(X) != y
    if len(model.estimators_) == 6 and wrong.any():  # else the last one was dropped, or perfect
        assert model.sample_weights_[wrong].sum() == pytest.approx(1 - 1 / k)


def test_rows_are_drawn_by_their_weights():
    plan = _core.BoostPlan()
    plan.seed = 5
    weights = np.array([0.1, 0.4, 0.0, 0.3, 0.2])
    counts = np.array([plan.draw(weights, member) for member in range(2000)])
    assert (counts.sum(axis=1) == 5).all()
    assert (counts[:, 2] == 0).all()
    drawn = counts.sum(axis=0)[weights > 0]
    assert stats.chisquare(drawn, 10_000 * weights[weights > 0]).pvalue > 1e-3


# -- The end of training


def test_a_member_without_error_stays_with_weight_one_and_ends_training():
    X = np.array([[1.0], [2.0], [3.0], [4.0]])
    model = AdaBoostClassifier(n_estimators=9).fit(X, [0, 0, 1, 1])
    assert model.estimator_weights_.tolist() == [1.0]
    assert model.estimator_errors_.tolist() == [0.0]
    assert model.sample_weights_.tolist() == [0.25] * 4
    assert model.predict([[1.5], [3.5]]).tolist() == [0, 1]


def test_a_later_member_without_error_ends_training_too():
    X, y = exact_problem(4, 40, 2)
    learners = [CARTClassifier(max_depth=1), CARTClassifier()]
    model = AdaBoostClassifier(learners, 9).fit(X, y)
    assert len(model.estimators_) == 2
    assert model.estimator_weights_[1] == 1.0
    assert model.estimator_errors_[1] == 0.0


class TestNoBetterThanGuessing:
    X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    y = np.array([0, 1, 1, 0])

    @pytest.mark.parametrize("algorithm", ["SAMME", "M1"])
    def test_the_first_member_is_refused(self, algorithm):
        model = AdaBoostClassifier(algorithm=algorithm)
        with pytest.raises(ValueError, match=r"weighted error of 0\.5.*no better than guessing"):
            model.fit(self.X, self.y)
        assert not hasattr(model, "estimators_")

    def test_m1_refuses_what_samme_takes(self):
        X, y = exact_problem(1, 100, 5)
        assert len(AdaBoostClassifier(n_estimators=3).fit(X, y).estimators_) == 3
        with pytest.raises(ValueError, match="not below 1/2"):
            AdaBoostClassifier(n_estimators=3, algorithm="M1").fit(X, y)

    def test_a_later_member_is_dropped_and_ends_training(self):
        # After the first round both values of the column are as often of either class.
        X, y = np.array([[0.0], [0], [0], [1], [1], [1]]), np.array([0, 0, 1, 0, 1, 1])
        model = AdaBoostClassifier(n_estimators=9).fit(X, y)
        assert len(model.estimators_) == 1
        assert len(model.loss_curve_) == 1
        assert model.estimator_errors_ == pytest.approx([1 / 3])
        assert model.estimator_weights_ == pytest.approx([math.log(2)])
        expected = np.where([0, 0, 1, 1, 0, 0], 1 / 4, 1 / 8)
        np.testing.assert_allclose(model.sample_weights_, expected, rtol=1e-12)

    @pytest.mark.parametrize(("many", "few"), [(2, 1), (3, 2), (4, 1), (5, 2), (9, 4)])
    def test_a_member_that_guesses_is_dropped_whatever_way_its_error_rounds(self, many, few):
        sizes = [many, few, few, many]
        X, y = np.repeat([0.0, 0, 1, 1], sizes)[:, None], np.repeat([0, 1, 0, 1], sizes)
        model = AdaBoostClassifier(n_estimators=20).fit(X, y)
        assert model.estimator_weights_ == pytest.approx([math.log(many / few)])
