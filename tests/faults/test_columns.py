"""Tables whose columns are not those of fit: scikit-learn's errors, in every library."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from contracts.estimators import every, row_methods

from faults.outcomes import Raises, refused, table

N = 30
MAKERS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table, "mapping": dict}
MATCH = "feature names should match those that were passed during fit.*"


@pytest.fixture
def columns(rng):
    return {"age": rng.normal(size=N), "income": rng.normal(size=N), "size": rng.normal(size=N)}


def _codes(columns):
    return (columns["income"] > 0).astype(int)


@every
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@table(
    {
        "columns": ("names", "outcome"),
        "reordered": (["income", "age", "size"], Raises(MATCH + "must be in the same order")),
        "renamed": (["age", "salary", "size"], Raises(MATCH + "unseen.*salary.*missing.*income")),
        "one too few": (["age", "income"], Raises(MATCH + "now missing:.*size")),
        "one too many": (["age", "income", "size", "x"], Raises(MATCH + "unseen at fit time:.*x")),
    }
)
def test_other_columns_are_refused(listed, make, names, outcome, columns):
    fitted = listed.new().fit(make(columns), listed.target(_codes(columns)))
    by_name = columns | {"salary": columns["income"], "x": columns["age"]}
    other = make({name: by_name[name] for name in names})
    for method in row_methods(fitted):
        with refused(outcome, fitted):
            method(other)


@every
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("n_columns", [1, 2, 4])
def test_another_number_of_columns_is_refused(listed, make, n_columns, columns):
    X = np.column_stack(list(columns.values()))
    fitted = listed.new().fit(X, listed.target(_codes(columns)))
    words = f"X has {n_columns} features, but ESTIMATOR is expecting 3 features"
    with refused(Raises(words), fitted):
        fitted.predict(np.zeros((5, n_columns)))
    named = make({f"c{j}": np.zeros(5) for j in range(n_columns)})
    with refused(Raises(words), fitted), pytest.warns(UserWarning, match="fitted without"):
        fitted.predict(named)


@every
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_names_on_one_side_only_are_a_warning(listed, make, columns):
    X, named = np.column_stack(list(columns.values())), make(columns)
    y = listed.target(_codes(columns))
    with_names, without = listed.new().fit(named, y), listed.new().fit(X, y)
    with pytest.warns(UserWarning, match="X does not have valid feature names, but .* was fitted"):
        one = with_names.predict(X)
    with pytest.warns(UserWarning, match="X has feature names, but .* was fitted without"):
        other = without.predict(named)
    np.testing.assert_array_equal(one, other)


@every
@pytest.mark.parametrize("fit_in", MAKERS)
@pytest.mark.parametrize("predict_in", MAKERS)
def test_any_library_may_predict_what_another_fitted(listed, fit_in, predict_in, columns):
    y = listed.target(_codes(columns))
    fitted = listed.new().fit(MAKERS[fit_in](columns), y)
    same = fitted.predict(MAKERS[fit_in](columns))
    np.testing.assert_array_equal(fitted.predict(MAKERS[predict_in](columns)), same)


@every
@table(
    {
        "columns": ("X", "outcome"),
        "the same name twice": (
            pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["a", "a"]),
            Raises("columns 0 and 1 are both called 'a'"),
        ),
        "text and numbers as names": (
            pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["a", 1]),
            Raises("[Ff]eature names are only supported if all .* string names", TypeError),
        ),
        "columns of unequal length": (
            {"a": [1.0, 2.0], "b": [1.0]},
            Raises("'a' has 2 rows and column 'b' has 1"),
        ),
    }
)
def test_tables_with_unusable_names_are_refused(listed, X, outcome):
    estimator = listed.new()
    with refused(outcome, estimator):
        estimator.fit(X, listed.target([0, 1]))


@every
def test_names_that_are_numbers_are_no_names(listed, columns):
    X = pd.DataFrame(np.column_stack(list(columns.values())))
    fitted = listed.new().fit(X, listed.target(_codes(columns)))
    assert not hasattr(fitted, "feature_names_in_")
    np.testing.assert_array_equal(fitted.predict(X), fitted.predict(X.to_numpy()))


@every
def test_odd_names_are_names(listed, columns):
    odd = ["", "x <= 3", "naïve\n"]
    X = pd.DataFrame(dict(zip(odd, columns.values(), strict=True)))
    fitted = listed.new().fit(X, listed.target(_codes(columns)))
    assert fitted.feature_names_in_.tolist() == odd
    assert len(fitted.predict(X)) == N
