"""Too little data, constant data, missing data."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from contracts.estimators import (
    LARGE_LOSS,
    answers,
    every,
    every_booster,
    every_learner,
    most_leaves,
    row_methods,
    trees,
)

from faults.outcomes import CHANCE, Raises, refused, table
from spinney import (
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    CARTClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)

NAN = np.nan
QUERY = np.array([[0.0, 0.0], [9.0, -9.0], [NAN, NAN], [np.inf, 1.0]])


@every
@table(
    {
        "columns": ("X", "outcome"),
        "no rows": (np.zeros((0, 3)), Raises(r"0 sample\(s\).*minimum of 1 .* ESTIMATOR")),
        "no columns": (np.zeros((4, 0)), Raises(r"0 feature\(s\).*minimum of 1 .* ESTIMATOR")),
        "no rows in pandas": (pd.DataFrame({"a": []}), Raises(r"0 sample\(s\).*minimum of 1")),
        "no rows in polars": (pl.DataFrame({"a": []}), Raises(r"0 sample\(s\).*minimum of 1")),
        "no columns in pandas": (pd.DataFrame(index=range(4)), Raises(r"0 feature\(s\)")),
        "an empty list": ([], Raises("Expected 2D array|Reshape your data")),
        "a list of empty lists": ([[], [], [], []], Raises(r"0 feature\(s\)")),
        "an empty mapping": ({}, Raises(r"0 (sample|feature)\(s\)")),
        "one dimension": (np.zeros(4), Raises("Reshape your data")),
        "three dimensions": (np.zeros((4, 2, 2)), Raises("dim 3")),
        "a number": (5.0, Raises("Reshape your data")),
        "nothing": (None, Raises("Reshape your data|None")),
        "rows of unequal length": ([[1.0], [1.0, 2.0]], Raises("inhomogeneous|same length")),
    }
)
def test_a_table_without_rows_or_columns_is_refused_by_fit(listed, X, outcome):
    estimator = listed.new()
    with refused(outcome, estimator):
        estimator.fit(X, listed.target([0, 1, 0, 1]))


@every
@table(
    {
        "columns": ("X", "outcome"),
        "no rows": (np.zeros((0, 2)), Raises(r"0 sample\(s\).*minimum of 1 .* ESTIMATOR")),
        "one dimension": (np.zeros(2), Raises("Reshape your data")),
        "three dimensions": (np.zeros((1, 2, 1)), Raises("dim 3")),
        "an empty list": ([], Raises("Reshape your data|Expected 2D")),
        "one column": (np.zeros((3, 1)), Raises("X has 1 features, but ESTIMATOR is expecting 2")),
        "three columns": (
            np.zeros((3, 3)),
            Raises("X has 3 features, but ESTIMATOR is expecting 2"),
        ),
        "nothing": (None, Raises("Reshape your data|None")),
    }
)
def test_a_table_of_another_shape_is_refused_by_predict(listed, X, outcome):
    fitted = listed.new().fit(np.eye(4)[:, :2], listed.target([0, 1, 0, 1]))
    for method in row_methods(fitted):
        with refused(outcome, fitted):
            method(X)


def assert_same(listed, predicted, expected):
    """Rates of events by time are rounded, all others are not."""
    if listed.is_risk:
        np.testing.assert_allclose(predicted, expected, 1e-12)
    else:
        np.testing.assert_array_equal(predicted, expected)


@every
@table(
    {
        "columns": ("X", "codes"),
        "one row": ([[1.0, 2.0]], [1]),
        "one row with gaps": ([[NAN, NAN]], [1]),
        "two equal rows": ([[1.0, 2.0]] * 2, [1, 1]),
        "one class": ([[1.0, 2.0], [2.0, 1.0], [3.0, NAN], [4.0, 4.0]], [1] * 4),
        "constant features": ([[1.0, 2.0]] * 10, [0, 1, 1, 0, 1, 1, 1, 0, 1, 1]),
        "everything missing": ([[NAN, NAN]] * 10, [0, 1, 1, 0, 1, 1, 1, 0, 1, 1]),
        "constant or missing": ([[1.0, NAN], [NAN, 2.0]] * 5, [0, 1] * 3 + [1] * 4),
        "constant infinities": ([[np.inf, -np.inf]] * 10, [0, 1, 1, 0, 1, 1, 1, 0, 1, 1]),
        "zeros of both signs": ([[0.0, -0.0], [-0.0, 0.0]] * 5, [0, 1] * 3 + [1] * 4),
    }
)
def test_data_that_teach_nothing_give_the_prior(listed, X, codes):
    if len(set(codes)) > 1:  # so often that drawn rows have the same majority
        X, codes = X * 10, codes * 10
    if listed.is_risk and len(codes) < 2:
        return  # one event is refused
    X, y = np.array(X), listed.target(codes)
    if listed.learns_from_gaps and len({*np.isnan(X.astype(float)).ravel()}) > 1 and len(X) > 1:
        return  # gaps are told from values
    fitted = listed.new().fit(X, y)
    assert most_leaves(fitted) == 1
    predicted = fitted.predict(QUERY)
    if not listed.knows_prior and len(set(codes)) > 1:  # the prior of the rows that grew the tree
        assert len(set(predicted)) == 1
        return
    assert_same(listed, predicted, [listed.prior(y)] * len(QUERY))
    if listed.is_classifier and listed.is_tree:
        shares = np.unique(y, return_counts=True)[1] / len(y)
        np.testing.assert_allclose(fitted.predict_proba(QUERY), [shares] * len(QUERY))


@every
@table(
    {
        "columns": ("cells",),
        "one category": (["a"] * 6,),
        "no cell with a value": ([None] * 6,),
        "one category or missing": (["a", None] * 3,),
        "all boolean true": ([True] * 6,),
    }
)
def test_categories_that_teach_nothing_give_the_prior(listed, cells):
    if listed.learns_from_gaps and len({*cells}) > 1:
        return  # gaps are told from values
    X = pd.DataFrame({"c": np.array(cells * 10, dtype=object)})
    y = listed.target([0, 1, 1, 1, 0, 1] * 10)
    fitted = listed.new().fit(X, y)
    assert most_leaves(fitted) == 1
    if listed.knows_prior:
        query = pd.DataFrame({"c": [cells[0], None, cells[0]]}, dtype=object)
        assert_same(listed, fitted.predict(query), [listed.prior(y)] * 3)


@every_learner
def test_equal_rows_with_different_labels_get_their_own_prior(listed, rng):
    kinds = np.array([[0.0, 1.0], [0.0, 2.0], [3.0, 1.0]])
    X = np.repeat(kinds, 7, axis=0)
    y = listed.target([0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 2, 2, 2, 2, 2, 0, 1])
    order = rng.permutation(len(X))
    fitted = listed.new().fit(X[order], y[order])
    assert fitted.get_n_leaves() == 3
    expected = [listed.prior(y[:7]), listed.prior(y[7:14]), listed.prior(y[14:])]
    got = fitted.predict(kinds)
    if listed.is_classifier:
        np.testing.assert_array_equal(got, expected)
    else:
        np.testing.assert_allclose(got, expected)


@every
def test_equal_rows_with_different_labels_end_quickly(listed, rng):
    """No endless division: at most one leaf for each distinct row."""
    X = rng.integers(0, 3, size=(2_000, 2)).astype(float)
    y = listed.target(rng.integers(0, 3, 2_000))
    if listed.refuses_half:
        with refused(CHANCE, estimator := listed.new()):
            estimator.fit(X, y)
    else:
        assert most_leaves(listed.new().fit(X, y)) <= 9


@every_booster
@table(
    {
        "columns": ("X",),
        "constant features": (np.ones((8, 2)),),
        "everything missing": (np.full((8, 2), NAN),),
        "pairs of equal rows": (np.repeat(np.arange(4.0), 2)[:, None],),
    }
)
def test_data_that_are_no_better_than_guessing_are_not_boosted(listed, X):
    """Each row is there with both classes, so every member is wrong for half of them."""
    y = listed.target([0, 1] * 4)
    with refused(CHANCE, estimator := listed.new()):
        estimator.fit(X, y)
    fitted = listed.new().fit(np.arange(12.0)[:, None] >= 5, listed.target(np.arange(12) >= 5))
    before = answers(fitted, [[0.0], [1.0]])
    with refused(CHANCE, fitted):
        fitted.fit(X, y)
    assert answers(fitted, [[0.0], [1.0]]) == before


def test_a_first_member_with_too_large_a_loss_stays_alone_with_a_warning():
    y = np.array([0.0, 1.0] * 6)
    with pytest.warns(UserWarning, match=LARGE_LOSS + " 1, which is not below 1/2.*alone"):
        fitted = AdaBoostRegressor(resample=False).fit(np.ones((12, 1)), y)
    assert len(fitted.estimators_) == 1
    np.testing.assert_array_equal(fitted.predict([[1.0], [7.0]]), [0.5, 0.5])


FORESTS = [RandomForestClassifier, RandomForestRegressor, BaggingClassifier, BaggingRegressor]


@pytest.mark.parametrize("cls", FORESTS, ids=lambda cls: cls.__name__)
def test_rows_that_every_member_saw_are_counted_in_a_warning(cls):
    X, codes = np.arange(12.0)[:, None], np.arange(12) % 2
    estimator = cls(n_estimators=3, sampling="overlap", max_samples=2, oob_score=True)
    with pytest.warns(UserWarning, match="6 of 12 rows were seen by every member.*more members"):
        fitted = estimator.fit(X, codes)
    name = "oob_prediction_" if cls.__name__.endswith("Regressor") else "oob_decision_function_"
    answered = np.isfinite(getattr(fitted, name)).reshape(12, -1).all(axis=1)
    assert answered.sum() == 6
    assert np.isfinite(fitted.oob_score_)


@pytest.mark.parametrize("cls", FORESTS, ids=lambda cls: cls.__name__)
def test_without_rows_left_out_there_is_no_out_of_bag_score(cls):
    estimator = cls(n_estimators=3, sampling=None, oob_score=True)
    with pytest.warns(UserWarning, match="12 of 12 rows were seen by every member"):
        fitted = estimator.fit(np.arange(12.0)[:, None], np.arange(12) % 2)
    assert not hasattr(fitted, "oob_score_")


@pytest.mark.parametrize("cls", FORESTS[2:], ids=lambda cls: cls.__name__)
def test_a_member_that_saw_all_rows_cannot_be_judged_on_those_left_out(cls):
    estimator = cls(n_estimators=3, sampling=None, selection="mode", selection_data="oob")
    outcome = Raises("selection_data='oob' needs an error of every member.*3 of 3 have none")
    with refused(outcome, estimator):
        estimator.fit(np.arange(12.0)[:, None], np.arange(12) % 2)


@every
@table(
    {
        "columns": ("empty",),
        "floats": (np.full(80, NAN),),
        "objects": (np.array([None] * 80, dtype=object),),
        "a categorical": (pd.Categorical([None] * 80, ["a", "b"]),),
        "a nullable integer": (pd.array([None] * 80, dtype="Int64"),),
        "a nullable string": (pd.array([None] * 80, dtype="string"),),
    }
)
def test_a_column_without_any_value_is_ignored(listed, empty, rng):
    X = pd.DataFrame({"a": rng.normal(size=80), "b": rng.normal(size=80)})
    y = listed.target((X["a"] > 0).astype(int) + (X["b"] > 1).astype(int))
    more = X.assign(empty=empty)[["empty", "a", "b"]]
    fitted = listed.new().fit(more, y)
    assert set().union(*map(_used, trees(fitted))) <= {"a", "b"}
    if listed.estimator.get_params().get("max_features") is None and not listed.draws_cuts:
        without = listed.new().fit(X, y)
        for one, other in zip(trees(fitted), trees(without), strict=True):
            assert [str(node.test) for node in one] == [str(node.test) for node in other]
        np.testing.assert_array_equal(fitted.predict(more), without.predict(X))


def _used(tree):
    """Return the names of the columns that tests and surrogates ask."""
    inner = [node for node in tree if not node.is_leaf]
    tests = [node.test for node in inner] + [s.test for node in inner for s in node.surrogates]
    asked = [getattr(test, "features", None) or (test.feature,) for test in tests]
    return {tree.feature_names[place] for places in asked for place in places}


@every
def test_missing_against_one_constant_value_is_no_test(listed, rng):
    """A gap says nothing: the other column decides, although the gaps give the class away."""
    codes = np.arange(80) % 2
    X = np.column_stack([np.where(codes == 0, NAN, 5.0), codes + rng.normal(size=80)])
    fitted = listed.new().fit(X, listed.target(codes))
    if listed.learns_from_gaps:
        assert str(fitted.tree_.root.test) == "x0 is known"
        return
    for tree in trees(fitted):
        assert set(tree.feature.tolist()) <= {-1, 1}
    if not listed.refuses_chance:
        assert most_leaves(listed.new().fit(X[:, :1], listed.target(codes))) == 1


@every_learner
def test_who_means_missingness_makes_it_a_category(listed):
    codes = np.arange(40) % 2
    X = pd.DataFrame({"phone": np.where(codes == 0, "not given", "given").astype(object)})
    y = listed.target(codes)
    np.testing.assert_array_equal(listed.new().fit(X, y).predict(X), y)


def test_a_value_missing_only_in_predict_goes_by_the_surrogate_then_by_majority():
    x = np.arange(10.0)
    X, y = np.column_stack([x, 100 - x]), np.where(x < 4, "low", "high")
    fitted = CARTClassifier().fit(X, y)
    assert str(fitted.tree_.root.test) == "x0 <= 3.5"
    rows = [[NAN, 99.0], [NAN, 91.0], [NAN, NAN]]
    assert fitted.predict(rows).tolist() == ["low", "high", "high"]


@pytest.mark.parametrize("settings", [{"missing": "majority"}, {"max_surrogates": 0}])
def test_a_value_missing_only_in_predict_goes_by_majority(settings):
    x = np.arange(10.0)
    X, y = np.column_stack([x, 100 - x]), np.where(x < 4, "low", "high")
    fitted = CARTClassifier(**settings).fit(X, y)
    assert fitted.predict([[NAN, 99.0], [NAN, 91.0], [NAN, NAN]]).tolist() == ["high"] * 3


def test_a_value_missing_only_in_predict_goes_every_way_by_its_share():
    x = np.arange(10.0)
    fitted = CARTClassifier(missing="fractional").fit(x[:, None], np.where(x < 4, "low", "high"))
    assert fitted.predict_proba([[NAN]]).tolist() == [[0.6, 0.4]]
    assert fitted.predict([[NAN]]).tolist() == ["high"]


@every
def test_rows_with_gaps_that_fit_never_saw_are_predicted(listed, rng):
    X = rng.normal(size=(60, 3))
    y = listed.target((X[:, 0] > 0).astype(int))
    fitted = listed.new().fit(X, y)
    gaps = np.where(rng.random(X.shape) < 0.6, NAN, X)
    predicted = fitted.predict(np.vstack([gaps, np.full((1, 3), NAN)]))
    if listed.is_classifier:
        assert set(predicted) <= set(y)
    elif not listed.is_risk:
        assert ((predicted >= y.min()) & (predicted <= y.max())).all()
    else:
        assert (predicted > 0).all()
