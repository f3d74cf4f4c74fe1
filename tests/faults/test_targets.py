"""Targets that cannot be learned are refused; those that only look hard are learned."""

import numpy as np
import pandas as pd
import pytest
from contracts.estimators import (
    every,
    every_classifier,
    every_of_any_numbers,
    every_regressor,
    trees,
)

from faults.outcomes import Raises, refused, table
from spinney import CARTClassifier, CARTRegressor

N = 12
X = np.arange(float(N))[:, None]
STEP = np.arange(N) >= 5
CODES = STEP.astype(int)


def spoiled(value, at=7, dtype=float):
    y = STEP.astype(dtype)
    y[at] = value
    return y


@every
@table(
    {
        "columns": ("y", "outcome"),
        "NaN": (spoiled(np.nan), Raises("y contains NaN.*1 rows? .*index 7.*Drop")),
        "two NaN": (np.where(np.isin(np.arange(N), [3, 9]), np.nan, STEP), Raises("index 3, 9")),
        "infinity": (spoiled(np.inf), Raises("y contains infinity.*index 7")),
        "minus infinity": (spoiled(-np.inf), Raises("y contains infinity.*index 7")),
        "None": (spoiled(None, dtype=object), Raises("y contains NaN.*index 7")),
        "NaN among objects": (spoiled(np.nan, dtype=object), Raises("y contains NaN.*index 7")),
        "NA of pandas": (pd.Series(spoiled(pd.NA, dtype=object)), Raises("NaN.*index 7")),
        "a nullable column": (pd.Series(spoiled(pd.NA, dtype=object), dtype="Int64"), Raises("7")),
        "NaT": (spoiled(pd.NaT, dtype=object), Raises("y contains NaN.*index 7")),
        "a mask": (np.ma.masked_array(STEP * 1.0, np.arange(N) == 7), Raises("NaN.*index 7")),
        "an integer mask": (np.ma.masked_array(STEP * 1, np.arange(N) == 7), Raises("index 7")),
        "complex": (STEP + 1j, Raises("[Cc]omplex")),
        "too short": (STEP[:-1] * 1.0, Raises("12.*11")),
        "too long": (np.zeros(N + 1), Raises("12.*13")),
        "nothing": (None, Raises("requires y to be passed, but the target y is None")),
        "two columns": (np.zeros((N, 2)), Raises("y.*shape|1d array|multi-?output")),
        "three dimensions": (np.zeros((N, 1, 1)), Raises("y.*(shape|dim)")),
        "one number": (1.0, Raises("y.*(shape|scalar)|0")),
    }
)
def test_targets_with_gaps_or_of_the_wrong_shape_are_refused(listed, y, outcome):
    estimator = listed.new()
    with refused(outcome, estimator):
        estimator.fit(X, y)


@every_classifier
@table(
    {
        "columns": ("y", "outcome"),
        "continuous": (np.linspace(0, 1, N), Raises("continuous.*[Rr]egress")),
        "text and numbers": (
            np.array(["a", 1] * (N // 2), dtype=object),
            Raises("y .*int, str.*one type", TypeError),
        ),
        "bytes": (np.array([b"no", b"yes"] * (N // 2)), Raises("bytes.*Convert", TypeError)),
        "booleans in objects": (
            np.array([False, True] * (N // 2), dtype=object),
            Raises(r"type bool .*y\.astype\(bool\)"),
        ),
        "numbers in objects": (
            np.array([3, 4] * (N // 2), dtype=object),
            Raises(r"type int .*y\.astype\(int\)"),
        ),
        "no label at all": (np.array([None] * N, dtype=object), Raises("NaN.*12 rows.*index 0")),
    }
)
def test_targets_that_are_no_classes_are_refused(listed, y, outcome):
    estimator = listed.new()
    with refused(outcome, estimator):
        estimator.fit(X, y)


@every_regressor
@table(
    {
        "columns": ("y",),
        "text": (np.array(["low", "high"] * (N // 2)),),
        "text in objects": (np.array(["low", "high"] * (N // 2), dtype=object),),
        "bytes": (np.array([b"low", b"high"] * (N // 2)),),
        "dates": (np.arange(N).astype("M8[D]"),),
    }
)
def test_text_is_no_number_to_predict(listed, y):
    estimator = listed.new()
    with refused(Raises("y must hold numbers"), estimator):
        estimator.fit(X, y)


LABELS = {
    "strings": ["no", "yes"],
    "strings of numbers": ["10", "9"],
    "empty and blank strings": ["", " "],
    "unicode": ["naïve", "日本"],
    "negative numbers": [-7, -2],
    "minus one and one": [-1, 1],
    "booleans": [False, True],
    "floats": [-1.0, 2.0],
    "large integers": [2**62, 2**62 + 1],
    "unsigned": np.array([0, 2**64 - 1], dtype=np.uint64),
    "small integers": np.array([-128, 127], dtype=np.int8),
    "objects": np.array(["no", "yes"], dtype=object),
}


@every_classifier
@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_labels_of_any_kind_come_back_as_they_are(listed, labels):
    labels = np.asarray(labels)
    table_x = np.arange(60.0)[:, None]
    y = labels[(np.arange(60) >= 25).astype(int)]
    fitted = listed.new().fit(table_x, y)
    assert fitted.classes_.tolist() == labels.tolist()
    assert fitted.classes_.dtype == labels.dtype
    predicted = fitted.predict(table_x)
    assert predicted.dtype == labels.dtype
    np.testing.assert_array_equal(predicted[[0, -1]], labels)
    if listed.cuts_exactly:
        np.testing.assert_array_equal(predicted, y)


@every_classifier
@pytest.mark.parametrize("make", [list, tuple, pd.Series, pd.Categorical, np.array])
def test_labels_in_any_container_are_the_same(listed, make):
    names = [f"class {code}" for code in CODES]
    plain, other = listed.new().fit(X, listed.target(CODES)), listed.new().fit(X, make(names))
    assert other.classes_.tolist() == plain.classes_.tolist()
    for one, another in zip(trees(other), trees(plain), strict=True):
        assert one.value.tobytes() == another.value.tobytes()
    assert other.predict(X).tolist() == plain.predict(X).tolist()


@pytest.mark.parametrize("dtype", ["boolean", "Int64", "UInt8", "bool[pyarrow]", "int32[pyarrow]"])
def test_labels_of_nullable_types_come_back_as_they_are(dtype):
    if "pyarrow" in dtype:
        pytest.importorskip("pyarrow")
    labels = [False, True] if dtype.startswith("bool") else [3, 4]
    y = pd.Series(np.array(labels)[np.arange(60) // 30], dtype=dtype)
    table_x = np.arange(60.0)[:, None]
    fitted = CARTClassifier().fit(table_x, y)
    assert fitted.classes_.dtype.kind in "biu"
    assert str(fitted.classes_.tolist()) == str(labels)
    assert fitted.score(table_x, y) == 1.0


SIZES = [1e300, -1e300, 1e154, 1.7e308, 1e-40, 1e-160, 1e-310]


@every_of_any_numbers
@pytest.mark.parametrize("size", SIZES)
def test_targets_of_any_size_are_split_where_they_step(listed, size):
    table_x = np.arange(60.0)[:, None]
    y = size * (np.arange(60) >= 25)
    fitted = _unpruned(listed).fit(table_x, y)
    exactly = 0.0 if listed.is_tree else 1e-13  # a mean of equal numbers is rounded
    places = [0, 20, 40, -1]
    if listed.by_parts or listed.soft:  # rows beside the step may be on the wrong side of it
        np.testing.assert_allclose(
            fitted.predict(table_x)[places] / size, y[places] / size, atol=0.2
        )
    else:
        np.testing.assert_allclose(fitted.predict(table_x)[places], y[places], rtol=exactly, atol=0)
    assert_sound(fitted)
    if listed.cuts_exactly:
        assert str(fitted.tree_.root.test) == "x0 <= 24.5"


@every_of_any_numbers
@pytest.mark.parametrize("base", [1e7, 1e9, -1e9, 1e15])
def test_a_small_step_on_a_large_number_is_found(listed, base):
    """The sum of squares less the square of the sum loses it; impurity must not be negative."""
    table_x = np.arange(200.0)[:, None]
    y = base + (np.arange(200) >= 80)
    fitted = _unpruned(listed).fit(table_x, y)
    off = 0.2 if listed.by_parts or listed.soft else 0.0
    places = [0, 70, 90, -1]
    np.testing.assert_allclose(fitted.predict(table_x)[places] - base, y[places] - base, atol=off)
    assert_sound(fitted)
    if listed.cuts_exactly:
        assert str(fitted.tree_.root.test) == "x0 <= 79.5"
        spread = 0.24 if listed.centre is np.mean else 0.4
        if listed.estimator.criterion == "quantile":
            spread = 0.6 * listed.estimator.quantile  # the rows above the step, which is 0 here
        np.testing.assert_allclose(fitted.tree_.impurity.max(), spread, rtol=1e-2)


@every_of_any_numbers
def test_large_targets_with_small_weights_have_a_finite_risk(listed):
    fitted = listed.new().fit(X, 1e300 * STEP, sample_weight=np.full(N, 0.01))
    assert_sound(fitted)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_opposite_ends_of_the_range_are_split(criterion):
    y = np.repeat([-1.7e308, 1.7e308], 6)
    fitted = CARTRegressor(criterion).fit(X, y)
    np.testing.assert_array_equal(fitted.predict(X), y)
    assert_sound(fitted)


@every_regressor
def test_random_targets_far_from_zero_have_no_negative_impurity(listed, rng):
    table_x = rng.normal(size=(300, 3))
    fitted = listed.new().fit(table_x, 1e9 + rng.random(300))
    assert_sound(fitted)
    predicted = fitted.predict(table_x)
    assert ((predicted >= 1e9) & (predicted <= 1e9 + 1)).all()


@pytest.mark.parametrize("size", [1e300, 1.7e308])
def test_the_risk_of_a_leaf_is_its_impurity_by_absolute_error(size):
    """Both are the mean distance from the median, however large the sum of the distances."""
    fitted = CARTRegressor("absolute_error", max_depth=1).fit(X, size * STEP)
    assert fitted.tree_.risk[0] == pytest.approx(fitted.tree_.impurity[0])


def _unpruned(listed):
    free = {name: None for name in ("ccp_alpha", "shrinkage") if listed.has(name)}
    return listed.new(**free)


def assert_sound(fitted):
    for tree in trees(fitted):
        assert_sound_tree(tree)


def assert_sound_tree(tree):
    for name in ("impurity", "risk"):
        values = getattr(tree, name)
        assert np.isfinite(values).all(), name
        assert (values >= 0).all(), name
    assert np.isfinite(tree.value).all()
    shares = tree.importances()
    assert np.isfinite(tree.importances(surrogates=True)).all()
    if tree.impurity.max() > 0:  # squares of the smallest numbers are zero
        assert shares.sum() == pytest.approx(float(tree.n_nodes > 1))


def test_classes_and_numbers_agree_on_a_boolean_target():
    trees = [cls().fit(X, STEP).tree_ for cls in (CARTClassifier, CARTRegressor)]
    assert [str(tree.root.test) for tree in trees] == ["x0 <= 4.5"] * 2
