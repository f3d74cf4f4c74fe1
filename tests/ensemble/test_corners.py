"""Corners of ensembles: rows set aside, columns of members, far targets, odd arguments."""

import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from spinney import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    CARTClassifier,
    CARTRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from spinney.ensemble import diversity

rng = np.random.default_rng(5)
N = 150
X = rng.normal(size=(N, 4))
NUMBERS = X[:, 0] + 0.5 * X[:, 1] + 0.3 * rng.normal(size=N)
LABELS = (NUMBERS > 0).astype(int)
THREE = np.digitize(NUMBERS, [-0.5, 0.5])
FRAME = pd.DataFrame({"a": rng.integers(0, 5, N), "b": X[:, 0]})
FOREIGN = DecisionTreeClassifier(max_depth=3)


@pytest.mark.parametrize("n_rows", [4095, 4200])
@pytest.mark.parametrize(
    "setting", [{"pruning": "reduced_error"}, {"early_stopping": True}], ids=["pruned", "stopped"]
)
def test_stumps_with_rows_set_aside_find_the_cut_in_large_tables(setting, n_rows):
    draw = np.random.default_rng(0)
    Z = draw.normal(size=(n_rows, 2))
    y = ((Z[:, 0] > 0) ^ (draw.random(n_rows) < 0.1)).astype(int)
    weight = draw.uniform(0.5, 1.5, n_rows)
    stump = CARTClassifier(max_depth=1, max_surrogates=0, **setting)
    model = AdaBoostClassifier(stump, 3, random_state=0).fit(Z, y, sample_weight=weight)
    test = model.forest_[0].root.test
    assert test.feature == 0
    assert abs(test.threshold) < 0.05
    assert model.estimator_errors_[0] == pytest.approx(0.1, abs=0.02)


# -- Settings of the table


@pytest.mark.parametrize("setting", [{"categorical_features": ["a"]}, {"unseen": "error"}])
@pytest.mark.parametrize(
    ("ensemble", "learner"),
    [
        (BaggingClassifier, CARTClassifier),
        (BaggingClassifier, RandomForestClassifier),
        (AdaBoostClassifier, CARTClassifier),
        (BaggingRegressor, CARTRegressor),
    ],
)
def test_settings_of_the_table_given_to_a_member_are_refused(ensemble, learner, setting):
    (name,) = setting
    for given in (learner(**setting), [learner(), learner(**setting)]):
        with pytest.raises(ValueError, match=f"Give {name} to {ensemble.__name__} instead"):
            ensemble(given, 2).fit(FRAME, LABELS)


def test_settings_of_the_table_may_be_given_to_both():
    member = CARTClassifier(categorical_features=["a"], unseen="error")
    settings = {"n_estimators": 3, "random_state": 0}
    own = {"categorical_features": ["a"], "unseen": "error"}
    both = BaggingClassifier(member, **settings, **own).fit(FRAME, LABELS)
    one = BaggingClassifier(CARTClassifier(), **settings, **own).fit(FRAME, LABELS)
    assert both.forest_.schema.columns[0].kind == "nominal"
    assert both.forest_ == one.forest_


def test_a_foreign_learner_has_categories_of_its_own():
    learner = HistGradientBoostingClassifier(max_iter=2, categorical_features=[0])
    model = BaggingClassifier(learner, 2, random_state=0).fit(FRAME.to_numpy(), LABELS)
    for member in model.estimators_:
        assert_array_equal(member.is_categorical_, [True, False])


# -- Diversity


@pytest.mark.parametrize("classes", [np.arange(3), np.array(["p", "q", "r"])], ids=["int", "str"])
@pytest.mark.parametrize("estimator", [None, FOREIGN], ids=["ours", "foreign"])
def test_diversity_of_regrouped_members_is_refused(estimator, classes):
    y = classes[THREE]
    model = BaggingClassifier(estimator, 5, targets="regroup", random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"targets='regroup'.*cannot be compared"):
        diversity(model, X, y)


def test_diversity_asks_members_their_own_columns():
    model = BaggingClassifier(LogisticRegression(), 5, max_features=2, random_state=0)
    model.fit(X, LABELS)
    found = diversity(model, X, LABELS)
    columns = model.estimators_features_
    pairs = zip(model.estimators_, columns, strict=True)
    answers = np.array([member.predict(X[:, own]) for member, own in pairs])
    assert len({tuple(own) for own in columns}) > 1
    assert_allclose(found.errors, (answers != LABELS).mean(axis=1))
    apart = (answers[:, None] != answers[None]).mean(axis=2)
    assert_allclose(found.disagreement, apart)


def test_members_of_a_mixed_list_take_the_columns_that_estimators_features_names():
    learners = [CARTClassifier(max_depth=3), FOREIGN]
    model = BaggingClassifier(learners, 6, max_features=2, random_state=0).fit(X, LABELS)
    votes = np.zeros((N, 2))
    for member, own in zip(model.estimators_, model.estimators_features_, strict=True):
        assert own.shape == (2,)
        votes[np.arange(N), member.predict(X[:, own])] += 1
    assert_array_equal(model.predict_proba(X), votes / 6)
    assert diversity(model, X, LABELS).errors.shape == (6,)


@pytest.mark.parametrize(
    "model",
    [
        BaggingClassifier(n_estimators=3, max_features=2),
        BaggingClassifier(FOREIGN, 3),
        AdaBoostClassifier(n_estimators=3),
        RandomForestClassifier(3, oob_score=False),
    ],
    ids=["bagging", "foreign", "adaboost", "forest"],
)
def test_estimators_features_are_all_columns_where_members_take_them_all(model):
    model.fit(X, LABELS)
    columns = model.estimators_features_
    assert len(columns) == len(model.estimators_)
    for member, own in zip(model.estimators_, columns, strict=True):
        assert_array_equal(own, np.arange(4))
        assert member.predict(X[:, own]).shape == (N,)


@pytest.mark.parametrize("estimator", [None, FOREIGN], ids=["ours", "foreign"])
def test_diversity_makes_the_members_at_most_once(monkeypatch, estimator):
    model = BaggingClassifier(estimator, 6, random_state=0).fit(X, LABELS)
    made = []
    members = BaggingClassifier.estimators_.fget

    def counted(self):
        made.append(self)
        return members(self)

    monkeypatch.setattr(BaggingClassifier, "estimators_", property(counted))
    diversity(model, X, LABELS)
    assert len(made) <= 1


# -- Selection


@pytest.mark.parametrize("weight", [None, rng.integers(0, 4, N) / 2.0], ids=["even", "weights"])
@pytest.mark.parametrize(
    "learner", [CARTRegressor(max_depth=2), DecisionTreeRegressor(max_depth=2)], ids=["ours", "sk"]
)
def test_errors_of_selection_on_training_rows_are_mean_squared_errors(learner, weight):
    model = BaggingRegressor(learner, 6, selection="trimmed", trim=0.5, random_state=0)
    model.fit(X, NUMBERS, sample_weight=weight)
    squares = [(member.predict(X) - NUMBERS) ** 2 for member in model.estimators_]
    assert_allclose(model.selection_report_.errors, np.average(squares, axis=1, weights=weight))


def test_errors_of_selection_are_alike_on_training_rows_and_the_same_rows_given():
    settings = {"selection": "trimmed", "trim": 0.5, "random_state": 0}
    own = BaggingRegressor(CARTRegressor(max_depth=2), 6, **settings).fit(X, NUMBERS)
    given = BaggingRegressor(
        CARTRegressor(max_depth=2), 6, selection_data=(X, NUMBERS), **settings
    ).fit(X, NUMBERS)
    assert_allclose(own.selection_report_.errors, given.selection_report_.errors)
    assert_array_equal(own.selected_, given.selected_)


def test_missing_numbers_of_selection_data_are_named():
    y = np.where(np.arange(N) == 3, np.nan, NUMBERS)
    model = BaggingRegressor(n_estimators=3, selection="trimmed", selection_data=(X, y))
    with pytest.raises(ValueError, match=r"(?s)(?=.*NaN).*selection_data"):
        model.fit(X, NUMBERS)


def test_labels_of_selection_data_that_are_no_classes_are_refused():
    words = np.array(["no", "yes"])[LABELS]
    model = BaggingClassifier(n_estimators=3, selection="trimmed", selection_data=(X, LABELS))
    with pytest.raises(ValueError, match=r"selection_data has labels such as [01], .*'?no'?.*yes"):
        model.fit(X, words)


@pytest.mark.parametrize("data", [[X, LABELS], (X,), (X, LABELS, LABELS), None, X])
def test_selection_data_of_another_form_is_refused_without_printing_it(data):
    model = BaggingClassifier(n_estimators=3, selection="trimmed", selection_data=data)
    with pytest.raises(ValueError, match=r"'training', 'oob' or a tuple \(X, y\)") as refusal:
        model.fit(X, LABELS)
    assert len(str(refusal.value)) < 120


@pytest.mark.parametrize("y", [LABELS, THREE], ids=["two", "three"])
def test_probabilities_of_adaboost_do_not_depend_on_the_other_rows(y):
    model = AdaBoostClassifier(CARTClassifier(max_depth=2), 40, random_state=0).fit(X, y)
    whole = model.predict_proba(X)
    assert_array_equal(model.predict_proba(X[::-1])[::-1], whole)
    alone = np.concatenate([model.predict_proba(X[i : i + 1]) for i in range(N)])
    assert_array_equal(alone, whole)


@pytest.mark.parametrize(
    ("dropped", "kept"),
    [
        (np.array([True, False, False, False, True]), [1, 2, 3]),
        ([True, False, False, False, True], [1, 2, 3]),
        (1, [0, 2, 3, 4]),
        (np.int64(1), [0, 2, 3, 4]),
        (range(2), [2, 3, 4]),
        ({0, 1}, [2, 3, 4]),
        ((i for i in (0, 1)), [2, 3, 4]),
        ([], [0, 1, 2, 3, 4]),
        ([False] * 5, [0, 1, 2, 3, 4]),
    ],
    ids=["mask", "list", "int", "int64", "range", "set", "generator", "none", "empty mask"],
)
def test_drop_takes_places_masks_and_one_place(dropped, kept):
    model = BaggingClassifier(n_estimators=5, random_state=0).fit(X, LABELS)
    assert_array_equal(model.drop(dropped).selected_, kept)


@pytest.mark.parametrize("dropped", [[1.7], 1.0, [1.0, 2.0], [True, False], "1", ["a"]])
def test_drop_refuses_what_names_no_place(dropped):
    model = BaggingClassifier(n_estimators=5, random_state=0).fit(X, LABELS)
    with pytest.raises(ValueError, match="places of members, or a mask"):
        model.drop(dropped)
    assert_array_equal(model.selected_, np.arange(5))


# -- Importances


def test_out_of_bag_importances_without_the_weights_of_fit_are_refused():
    weight = (np.arange(N) % 3 > 0).astype(float)
    model = RandomForestClassifier(30, random_state=0).fit(X, LABELS, sample_weight=weight)
    for wrong in (None, 1.0 - weight):
        with pytest.raises(ValueError, match="Give the sample_weight of fit"):
            model.oob_permutation_importance(X, LABELS, wrong)
    used = weight > 0
    alone = RandomForestClassifier(30, random_state=0).fit(X[used], LABELS[used])
    found = model.oob_permutation_importance(X, LABELS, weight)
    assert_allclose(found.mean, alone.oob_permutation_importance(X[used], LABELS[used]).mean)


FAR_MODELS = {
    "forest": RandomForestRegressor(8, oob_score=False, random_state=0),
    "bagging": BaggingRegressor(CARTRegressor(max_depth=4), 5, random_state=0),
    "adaboost": AdaBoostRegressor(CARTRegressor(max_depth=2), 5, random_state=0),
    "tree": CARTRegressor(max_depth=4),
}


@pytest.mark.parametrize("exponent", [505, 509, 530, 1020])
@pytest.mark.parametrize("model", FAR_MODELS.values(), ids=FAR_MODELS)
def test_importances_of_far_targets_are_those_of_near_ones(model, exponent):
    near = model.fit(X, NUMBERS).feature_importances_
    far = model.fit(X, np.ldexp(NUMBERS, exponent)).feature_importances_
    assert near.max() > 0.5
    assert_allclose(far, near, rtol=1e-9)


# -- Targets near the end of the range

LARGE = np.where(X[:, 0] > 0, 1.7e308, 1.6e308)
NEAREST = KNeighborsRegressor(1)  # adds nothing up


def test_the_median_of_huge_numbers_is_finite():
    model = BaggingRegressor(n_estimators=10, combine="median", random_state=0).fit(X, LARGE)
    answers = model.predict(X)
    assert answers.min() >= 1.6e308
    assert answers.max() <= 1.7e308
    *_, last = model.staged_predict(X)
    assert_array_equal(last, answers)


@pytest.mark.parametrize(
    "model",
    [
        RandomForestRegressor(10, oob_score=False, random_state=0),
        BaggingRegressor(NEAREST, 10, random_state=0),
    ],
    ids=["ours", "foreign"],
)
def test_stages_of_huge_numbers_are_means_of_the_members_so_far(model):
    model.fit(X, LARGE)
    answers = np.array([member.predict(X) for member in model.estimators_])
    stages = list(model.staged_predict(X))
    assert len(stages) == 10
    for n, stage in enumerate(stages, start=1):
        assert np.isfinite(stage).all()
        assert_allclose(stage, (answers[:n] / n).sum(axis=0), rtol=1e-12)
    assert_allclose(stages[-1], model.predict(X), rtol=1e-12)


@pytest.mark.parametrize("learner", [None, NEAREST], ids=["ours", "foreign"])
def test_out_of_bag_predictions_of_huge_numbers_are_those_of_small_ones(learner):
    settings = {"estimator": learner, "n_estimators": 40, "oob_score": True, "random_state": 0}
    unit = LARGE / 2.0**1023
    near = BaggingRegressor(**settings).fit(X, unit)
    far = BaggingRegressor(**settings).fit(X, LARGE)
    assert np.isfinite(far.oob_prediction_).all()
    assert_allclose(far.oob_prediction_ / 2.0**1023, near.oob_prediction_, rtol=1e-9)
    assert far.oob_score_ == pytest.approx(near.oob_score_, rel=1e-9)


@pytest.mark.parametrize("learner", [None, FOREIGN], ids=["ours", "foreign"])
def test_stop_waits_until_every_row_has_an_answer(learner):
    patience, y = 5, np.repeat([0, 1], 100)
    Z = y[:, None] + np.random.default_rng(1).uniform(0, 0.1, size=(200, 2))  # nobody ever errs
    settings = {"estimator": learner, "random_state": 0}
    model = BaggingClassifier(
        n_estimators=90, early_stopping=True, n_iter_no_change=patience, **settings
    )
    n_members = len(model.fit(Z, y).estimators_)
    assert_array_equal(model.oob_error_curve_, np.zeros(n_members))
    enough = BaggingClassifier(n_estimators=n_members - patience, oob_score=True, **settings)
    enough.fit(Z, y)
    with pytest.warns(UserWarning, match="no out-of-bag prediction"):
        enough.set_params(n_estimators=n_members - patience - 1).fit(Z, y)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_foreign_members_are_trained_and_asked_by_processes():
    model = BaggingClassifier(LogisticRegression(), 6, random_state=0)
    expected = model.fit(X, LABELS).predict_proba(X)
    with joblib.parallel_config("multiprocessing", n_jobs=2):
        model.fit(X, LABELS)
        answers = model.predict_proba(X)
    assert len(model.estimators_) == 6
    assert_array_equal(answers, expected)


COSTS = {(1, 0): 5.0}
CHEAP = CARTClassifier(max_depth=2)
DEAR = CARTClassifier(max_depth=2, cost_matrix=COSTS)


@pytest.mark.parametrize(
    "learners", [[CHEAP, DEAR], [DEAR, CHEAP], [DEAR, FOREIGN]], ids=["last", "first", "foreign"]
)
def test_costs_that_only_some_members_have_do_not_move_the_average(learners):
    model = BaggingClassifier(learners, 6, combine="average", random_state=0).fit(X, LABELS)
    assert_array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))


def test_costs_that_all_members_have_decide_for_the_average():
    model = BaggingClassifier([DEAR, DEAR], 6, combine="average", random_state=0).fit(X, LABELS)
    shares = model.predict_proba(X)
    expected = (5.0 * shares[:, 1] > shares[:, 0]).astype(int)
    assert_array_equal(model.predict(X), expected)
    assert (expected != shares.argmax(axis=1)).any()


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (BaggingClassifier(n_estimators=3, verbose=True), "growing trees: 3 of 3"),
        (BaggingClassifier(FOREIGN, 3, verbose=True), "training members: 3 of 3"),
        (RandomForestClassifier(3, oob_score=False, verbose=True), "growing trees: 3 of 3"),
        (AdaBoostClassifier(n_estimators=3, verbose=True), ": 3 of 3"),
    ],
    ids=["ours", "foreign", "forest", "adaboost"],
)
def test_verbose_may_be_true(capsys, model, words):
    model.fit(X, LABELS)
    assert words in capsys.readouterr().err


def test_verbose_false_is_silent(capsys):
    BaggingClassifier(CARTClassifier(), 3, verbose=False).fit(X, LABELS)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("kind", [float, int])
@pytest.mark.parametrize(
    "learner", [FOREIGN, [CARTClassifier(max_depth=3), FOREIGN]], ids=["foreign", "mixed"]
)
def test_foreign_members_do_not_see_what_is_masked(learner, kind):
    table = (10 * X).astype(kind)
    mask = np.zeros(X.shape, dtype=bool)
    mask[:, 0] = mask[::7, 1] = True
    masked = np.ma.masked_array(table, mask=mask)
    model = BaggingClassifier(learner, 6, random_state=0).fit(masked, LABELS)
    assert model.feature_importances_[0] == 0.0
    missing = np.where(mask, np.nan, table)
    plain = BaggingClassifier(learner, 6, random_state=0).fit(missing, LABELS)
    assert_array_equal(model.predict_proba(masked), plain.predict_proba(missing))


def test_a_column_vector_as_target_is_told_once():
    model = BaggingRegressor(DecisionTreeRegressor(max_depth=2), 2, random_state=0)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.fit(X, NUMBERS[:, None])
    assert len(told) == 1
