"""Categories that fit did not see, in another order, or very many."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from contracts.estimators import (
    LISTED,
    every,
    every_learner,
    most_leaves,
    over,
    row_methods,
    same_model,
)

from faults.outcomes import CHANCE, Raises, refused

every_judge = over([one for one in LISTED if one.has("unseen")])  # others leave it to members
CITIES = ["Bonn", "Cork", "Graz", "Lyon"]


@pytest.fixture
def frame(rng):
    n = 120
    return pd.DataFrame({"city": rng.choice(CITIES, n), "size": rng.normal(size=n)})


def _codes(frame):
    return frame["city"].isin(["Bonn", "Lyon"]).to_numpy(int)


@every
def test_unseen_categories_are_missing_by_default(listed, frame):
    fitted = listed.new().fit(frame, listed.target(_codes(frame)))
    new = frame.assign(city="Pisa")
    gone = frame.assign(city=pd.Series([None] * len(frame), dtype=object))
    np.testing.assert_array_equal(fitted.predict(new), fitted.predict(gone))
    if hasattr(fitted, "apply"):
        np.testing.assert_array_equal(fitted.apply(new), fitted.apply(gone))


@every_judge
def test_unseen_categories_are_an_error_on_request(listed, frame):
    fitted = listed.new(unseen="error").fit(frame, listed.target(_codes(frame)))
    new = frame.assign(city=["Pisa", "Oslo"] * (len(frame) // 2))
    words = "column 'city' .*did not see: 'Pisa', 'Oslo'.*unseen='missing'"
    for method in row_methods(fitted):
        with refused(Raises(words), fitted):
            method(new)
    gaps = frame.assign(city=pd.Series([None] * len(frame), dtype=object))
    assert len(fitted.predict(gaps)) == len(frame)  # a gap is not a category


@every_judge
def test_unseen_may_be_changed_after_fit(listed, frame):
    fitted = listed.new().fit(frame, listed.target(_codes(frame)))
    fitted.set_params(unseen="error")
    with pytest.raises(ValueError, match="'Pisa'"):
        fitted.predict(frame.assign(city="Pisa"))
    fitted.set_params(unseen="eror")
    with pytest.raises(ValueError, match=r"unseen must be .*got 'eror'"):
        fitted.predict(frame)


@every
def test_unseen_ordered_categories_are_missing_too(listed, rng):
    grades = pd.CategoricalDtype(["low", "mid", "top"], ordered=True)
    X = pd.DataFrame({"grade": pd.Categorical(rng.choice(["low", "mid", "top"], 90), dtype=grades)})
    fitted = listed.new().fit(X, listed.target((X["grade"] == "top").to_numpy(int)))
    new = pd.DataFrame({"grade": pd.Categorical(["huge"], ["low", "huge"], ordered=True)})
    gap = pd.DataFrame({"grade": pd.Categorical([None], dtype=grades)})
    assert fitted.predict(new).tolist() == fitted.predict(gap).tolist()


@every
@pytest.mark.parametrize(
    "order", [CITIES, CITIES[::-1], ["Zug", *CITIES], [*CITIES[2:], "Ulm", *CITIES[:2]]]
)
def test_the_order_of_categories_in_predict_makes_no_difference(listed, order, frame):
    X = frame.assign(city=pd.Categorical(frame["city"], CITIES))
    fitted = listed.new().fit(X, listed.target(_codes(frame)))
    other = X.assign(city=pd.Categorical(frame["city"], order))
    np.testing.assert_array_equal(fitted.predict(other), fitted.predict(X))
    if hasattr(fitted, "apply"):
        np.testing.assert_array_equal(fitted.apply(frame), fitted.apply(X))


@every
def test_the_order_of_categories_in_fit_makes_no_difference(listed, frame):
    y = listed.target(_codes(frame))
    one = listed.new().fit(frame.assign(city=pd.Categorical(frame["city"], CITIES)), y)
    other = listed.new().fit(frame.assign(city=pd.Categorical(frame["city"], CITIES[::-1])), y)
    assert same_model(one, other, frame)
    text = listed.new().fit(frame, y)
    assert same_model(one, text, frame)


@every
def test_categories_of_polars_do_not_depend_on_other_tables(listed, frame):
    """The codes of a polars Categorical depend on what the process read before."""
    y = listed.target(_codes(frame))
    plain = listed.new().fit(frame, y)
    pl.Series(["Ulm", "Lyon", "Zug"], dtype=pl.Categorical)
    X = pl.DataFrame({"city": frame["city"].tolist(), "size": frame["size"].to_numpy()})
    X = X.with_columns(pl.col("city").cast(pl.Categorical))
    np.testing.assert_array_equal(plain.predict(X), plain.predict(frame))
    assert same_model(plain, listed.new().fit(X, y), frame)


@every_learner
def test_numbers_and_text_of_the_same_category_are_the_same(listed, frame):
    X = pd.DataFrame({"zone": frame["city"].map(CITIES.index)})
    y = listed.target(_codes(frame))
    fitted = listed.new(categorical_features=["zone"]).fit(X, y)
    np.testing.assert_array_equal(fitted.predict(X), y)
    np.testing.assert_array_equal(fitted.predict(X.astype(float)), y)
    np.testing.assert_array_equal(fitted.predict(X.astype(str)), y)


@every_learner
def test_every_category_by_itself_is_learned(listed):
    """As many categories as rows, with two targets in no order."""
    names = [f"k{i}" for i in range(300)]
    y = listed.target(np.arange(300) * 7 % 2)
    X = pd.DataFrame({"key": names})
    fitted = listed.new().fit(X, y)
    np.testing.assert_array_equal(fitted.predict(X), y)


@every
def test_many_classes_and_many_categories_together_end_soon(listed, rng):
    X = pd.DataFrame({"key": rng.integers(0, 200, 1_000).astype(str)})
    y = listed.target(rng.integers(0, 20, 1_000))
    if listed.refuses_half:
        with refused(CHANCE, estimator := listed.new()):
            estimator.fit(X, y)
    else:
        assert most_leaves(listed.new().fit(X, y)) <= 200
