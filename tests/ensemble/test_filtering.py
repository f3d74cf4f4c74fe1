"""Boosting by filtering against a plain version, row by row; its fall-backs and its input."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from spinney import C45Classifier, CARTClassifier
from spinney._progress import with_callbacks
from spinney.datasets import load_german_credit, load_pima_indians_diabetes
from spinney.ensemble._filtering import BoostByFilteringClassifier

STUMP = CARTClassifier(max_depth=1, max_surrogates=0)
NEIGHBOUR = KNeighborsClassifier(n_neighbors=1)  # takes no weights


# -- The plain version


def plain_stream(n_rows, weight, takes_weight, seed):
    """Return the row numbers in the order in which they pass, and the coins."""
    random = np.random.RandomState(seed)
    used = [i for i in range(n_rows) if weight is None or weight[i] > 0]
    order = [used[k] for k in random.permutation(len(used))]
    coins = ["wrong" if u < 0.5 else "right" for u in random.random_sample(len(used))]
    random.randint(2**31 - 1, size=3)  # seeds of the learners
    if weight is not None and not takes_weight:
        chances = random.random_sample(len(order))
        order = [i for i, u in zip(order, chances, strict=True) if u < weight[i] / max(weight)]
    return order, coins


def plain_filter(part, is_wrong, coins, size):
    """Toss coins over the rows of a part of the stream; return rows and how many were read."""
    if all(is_wrong[i] for i in part):
        return part[:size], min(size, len(part))
    waiting = {
        "wrong": [i for i in part if is_wrong[i]],
        "right": [i for i in part if not is_wrong[i]],
    }
    taken = []
    for coin in coins:
        if len(taken) == size:
            return taken, max(part.index(i) for i in taken) + 1
        if not waiting[coin]:
            break
        taken.append(waiting[coin].pop(0))
    return taken, len(part)


def plain_weights(rows, weight, groups):
    """Return weights whose mean is 1 in each group of rows."""
    means = {}
    for group in set(groups):
        held = [weight[i] for i, g in zip(rows, groups, strict=True) if g == group]
        means[group] = sum(held) / len(held)
    return [weight[i] / means[g] for i, g in zip(rows, groups, strict=True)]


def plain_fit(learner, X, y, rows, weight=None, groups=None):
    if len(set(y[rows])) == 1 and not isinstance(learner, CARTClassifier):
        return DummyClassifier().fit(X[rows], y[rows])
    if weight is None:
        return clone(learner).fit(X[rows], y[rows])
    share = plain_weights(rows, weight, groups or [0] * len(rows))
    return clone(learner).fit(X[rows], y[rows], sample_weight=share)


def plain_boost(learner, X, y, *, size=None, weight=None, seed=0):
    """Return the outcome, the rows of each learner and the learners."""
    takes_weight = isinstance(learner, CARTClassifier)
    order, coins = plain_stream(len(X), weight, takes_weight, seed)
    weight = weight if takes_weight else None
    size = size or max(1, len(order) // 3)
    rows = [order[:size]]
    members = [plain_fit(learner, X, y, rows[0], weight)]
    part = order[size:][: (len(order) - size) // 2]
    if not part:
        return "too_few_rows", rows, members
    is_wrong = {i: members[0].predict(X[[i]])[0] != y[i] for i in part}
    if not any(is_wrong.values()):
        return "no_errors", rows, members
    second, n_read = plain_filter(part, is_wrong, coins, size)
    second.sort(key=part.index)
    member = plain_fit(learner, X, y, second, weight, [is_wrong[i] for i in second])
    rest = order[size + n_read :]
    third = [i for i in rest if members[0].predict(X[[i]]) != member.predict(X[[i]])][:size]
    if not third:
        return "no_disagreement", rows, members
    rows += [second, third]
    members += [member, plain_fit(learner, X, y, third, weight)]
    return "boosted", rows, members


def plain_votes(members, X, classes):
    """Return the decision and the shares of the votes for one row after another."""
    labels, shares = [], []
    for i in range(len(X)):
        said = [member.predict(X[[i]])[0] for member in members]
        agree = len(said) == 1 or said[0] == said[1]
        labels.append(said[0] if agree else said[2])
        if len(set(said)) == 3:
            said.append(said[2])
        shares.append([said.count(label) / len(said) for label in classes])
    return labels, shares


@st.composite
def problems(draw):
    n_rows = draw(st.integers(1, 60))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_classes, n_values = draw(st.integers(1, 4)), draw(st.integers(1, 9))
    X = random.integers(0, n_values, (n_rows, draw(st.integers(1, 3)))).astype(float)
    noise = random.random(n_rows) < draw(st.sampled_from([0.0, 0.2, 1.0]))
    codes = np.where(noise, random.integers(0, n_classes, n_rows), X[:, 0] % n_classes)
    y = np.array(["red", "green", "blue", "amber"])[codes.astype(int)]
    weight = draw(st.sampled_from([None, random.integers(0, 4, n_rows).astype(float)]))
    if weight is not None and not weight.any():
        weight[0] = 1.0
    return X, y, weight


@pytest.mark.slow
@pytest.mark.parametrize("learner", [STUMP, CARTClassifier(max_depth=3), NEIGHBOUR], ids=str)
@given(problem=problems(), seed=st.integers(0, 1000), share=st.sampled_from([None, 0.1, 0.5]))
def test_rows_learners_and_votes_are_those_of_the_plain_version(learner, problem, seed, share):
    X, y, weight = problem
    takes_weight = learner is not NEIGHBOUR
    n_used = len(plain_stream(len(X), weight, takes_weight, seed)[0])
    size = None if share is None or n_used < 4 else int(np.ceil(share * n_used))
    model = BoostByFilteringClassifier(learner, sample_size=size, random_state=seed)
    model.fit(X, y, sample_weight=weight)
    outcome, rows, members = plain_boost(learner, X, y, size=size, weight=weight, seed=seed)
    assert model.outcome_ == outcome
    assert [places.tolist() for places in model.sample_indices_] == rows
    labels, shares = plain_votes(members, X, model.classes_.tolist())
    assert model.predict(X).tolist() == labels
    np.testing.assert_allclose(model.predict_proba(X), shares)
    assert model.classes_[model.predict_proba(X).argmax(axis=1)].tolist() == labels


# -- What the filters promise


@pytest.fixture
def disc():
    """Return many rows: inside a disc or not, with some labels wrong."""
    random = np.random.default_rng(7)
    X = random.normal(size=(6000, 2))
    y = ((X**2).sum(axis=1) < 1.4) ^ (random.random(6000) < 0.05)
    return X, y


def test_learner_1_is_of_no_use_on_the_rows_of_learner_2(disc):
    X, y = disc
    model = BoostByFilteringClassifier(sample_size=400, random_state=0).fit(X, y)
    first, second, third = model.sample_indices_
    assert (len(first), len(second), len(third)) == (400, 400, 400)
    assert 0.4 < model.estimators_[0].score(X[second], y[second]) < 0.6
    assert (model.estimators_[0].predict(X[third]) != model.estimators_[1].predict(X[third])).all()
    assert len(np.unique(np.concatenate(model.sample_indices_))) == 1200


def test_the_vote_is_better_than_its_first_learner(disc):
    X, y = disc
    gains = []
    for seed in range(10):
        model = BoostByFilteringClassifier(CARTClassifier(max_depth=2), random_state=seed)
        first, _, all_three = model.fit(X[:4000], y[:4000]).staged_score(X[4000:], y[4000:])
        gains.append(all_three - first)
    assert np.mean(gains) > 0.01


def test_the_default_learner_is_a_tree_that_can_name_every_class():
    X = np.repeat(np.arange(5.0), 60)[:, None]
    for n_classes, depth in [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3)]:
        model = BoostByFilteringClassifier(random_state=0).fit(X, X[:, 0] % n_classes)
        learner = model.estimators_[0]
        assert isinstance(learner, CARTClassifier)
        assert (learner.max_depth, learner.max_surrogates) == (depth, 0)


def test_stages_are_the_first_learner_twice_and_then_the_vote(disc):
    X, y = disc
    model = BoostByFilteringClassifier(random_state=1).fit(X, y)
    one, two, three = model.staged_predict(X)
    np.testing.assert_array_equal(one, model.estimators_[0].predict(X))
    np.testing.assert_array_equal(two, one)
    np.testing.assert_array_equal(three, model.predict(X))
    weight = np.linspace(0, 1, len(y))
    assert list(model.staged_score(X, y, weight))[2] == model.score(X, y, weight)


# -- Fall-backs


def test_a_perfect_first_learner_stands_alone():
    X = np.arange(90.0)[:, None]
    model = BoostByFilteringClassifier(random_state=0).fit(np.where(X < 45, 0.0, 1.0), X[:, 0] < 45)
    assert model.outcome_ == "no_errors"
    assert (len(model.estimators_), len(model.sample_indices_)) == (1, 1)
    assert model.score(np.where(X < 45, 0.0, 1.0), X[:, 0] < 45) == 1.0
    assert len(list(model.staged_predict(X))) == 1
    assert set(model.predict_proba(X).ravel()) == {0.0, 1.0}


def test_learners_that_agree_on_all_that_is_left_are_not_boosted():
    X = np.zeros((40, 1))
    model = BoostByFilteringClassifier(DummyClassifier(strategy="constant", constant=1))
    y = np.array([0, 1] * 20)
    model.set_params(random_state=0).fit(X, y)
    assert model.outcome_ == "no_disagreement"
    assert len(model.estimators_) == 1
    assert model.predict(X).tolist() == [1] * 40


@pytest.mark.parametrize("n_rows", [1, 2])
@pytest.mark.parametrize("size", [None, 0.5, 1, 9])
def test_too_few_rows_leave_the_first_learner_alone(n_rows, size):
    model = BoostByFilteringClassifier(sample_size=size, random_state=0)
    model.fit(np.arange(n_rows)[:, None], [5, 6][:n_rows])
    assert model.outcome_ == "too_few_rows"
    assert np.isfinite(model.predict_proba([[0.0]])).all()


def test_a_first_learner_that_is_always_wrong_gives_all_its_rows_to_the_second():
    class Contrary(ClassifierMixin, BaseEstimator):
        """Says of every row what it is not, at first; later learners are right."""

        def fit(self, X, y):
            self.classes_ = np.array([0, 1])
            self.flips_ = 1 if 0 in X[:, 1] else 0
            return self

        def predict(self, X):
            return np.abs(X[:, 0] - self.flips_).astype(int)

    X = np.c_[np.arange(30) % 2, np.ones(30)]
    order = np.random.RandomState(3).permutation(30)
    X[order[:10], 1] = 0
    model = BoostByFilteringClassifier(Contrary(), random_state=3).fit(X, X[:, 0].astype(int))
    assert model.outcome_ == "boosted"
    assert [len(rows) for rows in model.sample_indices_] == [10, 10, 10]
    assert model.score(X, X[:, 0].astype(int)) == 1.0


@pytest.mark.slow
def test_rows_of_one_class_do_not_fail_learners_that_need_two():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 2))
    y = np.where(np.arange(200) < 6, "rare", "common")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kinds = set()
        for seed in range(20):
            model = BoostByFilteringClassifier(LogisticRegression(), sample_size=20)
            model.set_params(random_state=seed).fit(X, y)
            kinds |= {type(member) for member in model.estimators_}
            assert model.predict_proba(X).shape == (200, 2)
            assert np.isfinite(model.predict_proba(X)).all()
    assert kinds == {LogisticRegression, DummyClassifier}


@pytest.mark.parametrize("learner", [None, GaussianNB()], ids=str)
def test_many_classes_among_few_rows_give_no_warning(learner):
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 2))
    y = np.array([f"kind {code}" for code in random.integers(0, 40, 300)], dtype=object)
    model = BoostByFilteringClassifier(learner, sample_size=25, random_state=0).fit(X, y)
    assert model.outcome_ == "boosted"
    assert len(set(y[model.sample_indices_[0]])) > 13  # of 25 rows


def test_one_class_is_predicted_everywhere():
    model = BoostByFilteringClassifier(random_state=0).fit(np.arange(30.0)[:, None], ["only"] * 30)
    assert model.predict([[0.0], [99.0]]).tolist() == ["only", "only"]
    assert model.predict_proba([[0.0]]).tolist() == [[1.0]]


# -- Tables


def _credit(n_rows=400):
    data = load_german_credit()
    return data.X.iloc[:n_rows], np.asarray(data.y)[:n_rows]


FORMS = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "arrow": pa.Table.from_pandas,
    "mapping of series": lambda frame: {name: frame[name] for name in frame},
    "mapping of lists": lambda frame: {name: frame[name].tolist() for name in frame},
    "mapping of arrow arrays": lambda frame: {name: pa.array(frame[name]) for name in frame},
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_raw_tables_of_every_kind_give_the_same_model(form):
    frame, y = _credit()
    frame = frame.astype(dict.fromkeys(frame.select_dtypes("category"), object))
    frame = frame.where(np.random.default_rng(0).random(frame.shape) > 0.1, None)
    expected = BoostByFilteringClassifier(random_state=0).fit(frame, y)
    model = BoostByFilteringClassifier(random_state=0).fit(form(frame), y)
    assert model.feature_names_in_.tolist() == list(frame)
    for one, other in zip(model.sample_indices_, expected.sample_indices_, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(model.predict_proba(form(frame)), expected.predict_proba(frame))


def test_lists_of_numbers_and_strings_work():
    rows = [[i, "ab"[i % 2]] for i in range(60)]
    y = [i % 2 if i < 50 else 0 for i in range(60)]
    model = BoostByFilteringClassifier(random_state=0).fit(rows, y)
    assert model.predict(rows[:4]).tolist() == [0, 1, 0, 1]


def test_a_string_column_of_which_a_learner_sees_only_gaps_is_no_number():
    words = np.full(300, None, dtype=object)
    words[[5, 77, 123]] = "rare"
    frame = pd.DataFrame({"word": words, "x": np.arange(300.0) % 7})
    y = (frame["x"] > 3) ^ (np.arange(300) % 5 == 0)
    for seed in range(5):
        model = BoostByFilteringClassifier(sample_size=30, random_state=seed).fit(frame, y)
        assert len(model.predict(frame)) == 300


def test_trees_of_members_keep_names_and_labels():
    frame, y = _credit()
    model = BoostByFilteringClassifier(random_state=0).fit(frame, y)
    for member in model.estimators_:
        assert member.tree_.root.test.feature_name in frame.columns
        assert set(member.classes_) <= {"bad", "good"}


def test_fit_with_names_and_predict_without_warns_once_in_its_own_name():
    data = load_pima_indians_diabetes()
    model = BoostByFilteringClassifier(random_state=0).fit(data.X, data.y)
    with pytest.warns(UserWarning, match="BoostByFilteringClassifier was fitted with") as caught:
        model.predict(data.X.to_numpy())
    assert len(caught) == 1


LEARNERS = [
    CARTClassifier(max_depth=3, ccp_alpha=0.001),
    C45Classifier(),
    DecisionTreeClassifier(max_depth=2),
    GaussianNB(),
    make_pipeline(StandardScaler(), LogisticRegression()),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize("weighted", [False, True])
def test_any_classifier_can_be_the_learner(learner, weighted, disc):
    X, y = disc[0][:900], disc[1][:900]
    weight = np.linspace(0.0, 2.0, 900) if weighted else None
    model = BoostByFilteringClassifier(learner, random_state=0).fit(X, y, sample_weight=weight)
    assert model.outcome_ == "boosted"
    assert {type(member) for member in model.estimators_} == {type(learner)}
    assert model.score(X, y) > 0.6
    assert cross_val_score(model, X, y, cv=2).min() > 0.5


# -- Weights and random numbers


@pytest.mark.parametrize("learner", [STUMP, NEIGHBOUR], ids=["takes weights", "takes none"])
def test_rows_of_weight_zero_are_as_if_absent(learner, disc):
    X, y = disc[0][:600], np.where(disc[1][:600], "in", "out")
    weight = np.random.default_rng(0).integers(0, 3, 600)
    y[weight == 0] = "absent"
    kept = np.flatnonzero(weight)
    model = BoostByFilteringClassifier(learner, random_state=0)
    whole = clone(model).fit(X, y, weight)
    part = clone(model).fit(X[kept], y[kept], weight[kept])
    assert whole.classes_.tolist() == ["in", "out"]
    np.testing.assert_array_equal(whole.predict_proba(X), part.predict_proba(X))
    for one, other in zip(whole.sample_indices_, part.sample_indices_, strict=True):
        np.testing.assert_array_equal(one, kept[other])


@pytest.mark.parametrize("learner", [STUMP, NEIGHBOUR], ids=["takes weights", "takes none"])
def test_equal_weights_are_as_none_and_scale_does_not_matter(learner, disc):
    X, y = disc[0][:600], disc[1][:600]
    fits = [
        BoostByFilteringClassifier(learner, random_state=0).fit(X, y, weight).predict_proba(X)
        for weight in (None, np.ones(600), np.full(600, 1e-300), np.full(600, 7e8))
    ]
    for other in fits[1:]:
        np.testing.assert_array_equal(fits[0], other)


def test_a_learner_without_weights_gets_heavy_rows_more_often(disc):
    X, y = disc
    weight = np.where(np.arange(len(y)) % 2, 1.0, 0.1)
    model = BoostByFilteringClassifier(NEIGHBOUR, random_state=0).fit(X, y, weight)
    heavy = np.concatenate(model.sample_indices_) % 2
    assert 0.85 < heavy.mean() < 0.96


def test_results_depend_on_random_state_only(disc):
    X, y = disc[0][:600], disc[1][:600]
    learner = DecisionTreeClassifier(max_features=1)
    answers = [
        BoostByFilteringClassifier(learner, random_state=state).fit(X, y).predict_proba(X)
        for state in (5, 5, np.random.RandomState(5), 6)
    ]
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])
    assert (answers[0] != answers[3]).any()


def test_copies_predict_alike_and_the_given_learner_stays_unfitted(disc):
    X, y = disc[0][:600], disc[1][:600]
    learner = CARTClassifier(max_depth=2)
    model = BoostByFilteringClassifier(learner, random_state=0).fit(X, y)
    assert not hasattr(learner, "tree_")
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert not hasattr(clone(model), "estimators_")
    np.testing.assert_array_equal(clone(model).fit(X, y).predict(X), model.predict(X))


# -- Bad input


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"estimator": LinearRegression()}, "estimator must be a classifier"),
        ({"estimator": CARTClassifier}, "estimator must be a classifier"),
        ({"estimator": "tree"}, "estimator must be a classifier"),
        ({"sample_size": 0}, "sample_size must be None, an integer >= 1 or a share .*got 0"),
        ({"sample_size": 1.0}, "sample_size must be None, an integer >= 1 or a share"),
        ({"sample_size": "many"}, "sample_size must be None, an integer >= 1 or a share"),
        ({"sample_size": True}, "sample_size must be None, an integer >= 1 or a share"),
        ({"sample_size": 29}, "sample_size=29 leaves no rows for learners 2 and 3: there are 30"),
        ({"sample_size": 0.99}, "sample_size=0.99 leaves no rows for learners 2 and 3"),
        ({"verbose": -1}, "verbose must be True, False or an integer >= 0"),
        ({"random_state": "dice"}, "random_state must be None, an integer or"),
    ],
)
def test_a_bad_parameter_is_named(changes, message):
    X = np.arange(30.0)[:, None]
    model = BoostByFilteringClassifier(**changes)
    before = dict(vars(model))
    with pytest.raises(ValueError, match=message):
        model.fit(X, X[:, 0] > 9)
    assert vars(model) == before


@pytest.mark.parametrize(
    ("X", "y", "weight", "message"),
    [
        (np.zeros((0, 2)), [], None, "minimum of 1 is required"),
        (np.zeros(3), [0, 1, 0], None, "Reshape your data"),
        (np.zeros((3, 1)), [0, 1], None, "inconsistent numbers of samples"),
        (np.zeros((3, 1)), [0, 1, np.nan], None, "target is missing in 1 rows"),
        (np.zeros((3, 1)), [0.1, 0.2, 0.7], None, "continuous"),
        (np.zeros((3, 1)), [0, 1, 0], [0, 0, 0], "sample_weight is 0 for every row"),
        (np.zeros((3, 1)), [0, 1, 0], [1, -1, 1], "first: -1.0 at index 1"),
        (np.zeros((3, 1)), [0, 1, 0], [1, 1], "sample_weight has 2 entries for 3 rows"),
    ],
)
def test_bad_data_is_refused(X, y, weight, message):
    with pytest.raises(ValueError, match=message):
        BoostByFilteringClassifier().fit(X, y, weight)


def test_other_columns_at_prediction_are_refused():
    data = load_pima_indians_diabetes()
    model = BoostByFilteringClassifier(GaussianNB(), random_state=0)
    with pytest.raises(NotFittedError):
        model.predict(data.X)
    model.fit(data.X.fillna(0), data.y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(data.X.fillna(0).iloc[:, ::-1])
    with pytest.raises(
        ValueError, match=r"X has 7 features, but BoostByFilteringClassifier is exp"
    ):
        BoostByFilteringClassifier().fit(np.eye(8), range(8)).predict(np.eye(8)[:, :7])


def test_a_failing_fit_leaves_the_last_one(disc):
    X, y = disc[0][:300], disc[1][:300]
    model = BoostByFilteringClassifier(random_state=0).fit(X, y)
    before = dict(vars(model))
    with pytest.raises(ValueError, match="leaves no rows"):
        model.set_params(sample_size=299).fit(X, y)
    assert vars(model) == before | {"sample_size": 299}


def test_fit_shows_its_progress(capsys, disc):
    BoostByFilteringClassifier(random_state=0, verbose=1).fit(disc[0][:300], disc[1][:300])
    BoostByFilteringClassifier(verbose=1).fit([[0.0]], ["only"])
    assert capsys.readouterr().err.splitlines() == [
        "boosting by filtering: 3 of 3, 0 s",
        "boosting by filtering: 1 of 3, 0 s",
    ]


@pytest.mark.skipif(with_callbacks is None, reason="this scikit-learn has no callbacks")
def test_callbacks_are_told_of_three_learners(disc):
    ended = []

    class Callback:
        def setup(self, estimator, context): ...

        def on_fit_task_begin(self, estimator, context): ...

        def on_fit_task_end(self, estimator, context):
            ended.append((context.estimator_name, context.task_name))

        def teardown(self, estimator, context): ...

    model = BoostByFilteringClassifier(random_state=0).set_callbacks(Callback())
    model.fit(disc[0][:300], disc[1][:300])
    name = "BoostByFilteringClassifier"
    assert ended == [(name, "member")] * 3 + [(name, "boosting by filtering")]


def test_a_table_with_too_many_cells_is_refused_before_it_is_copied():
    X = np.broadcast_to(0.0, (2**20, 2**12))
    with pytest.raises(ValueError, match="the limit of fit is 2147483647"):
        BoostByFilteringClassifier().fit(X, np.zeros(2**20))


def test_gaps_are_allowed_if_the_learner_allows_them():
    allowed = [
        BoostByFilteringClassifier(learner).__sklearn_tags__().input_tags.allow_nan
        for learner in (None, STUMP, GaussianNB(), "no learner")
    ]
    assert allowed == [True, True, False, False]


@parametrize_with_checks(
    [
        BoostByFilteringClassifier(),
        BoostByFilteringClassifier(LogisticRegression(), sample_size=0.4),
    ],
    expected_failed_checks=lambda estimator: {
        "check_sample_weight_equivalence_on_dense_data": "rows are drawn: two rows are not one of "
        "weight 2",
    },
)
def test_scikit_learn_finds_no_fault(estimator, check):
    check(estimator)
