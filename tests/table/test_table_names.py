"""Names of columns, in the words of scikit-learn."""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from spinney._table import check_columns, encode_table, encode_with, feature_names


class Tree(BaseEstimator):
    """An estimator that checks its input as scikit-learn does."""

    def fit(self, X):
        validate_data(self, X, skip_check_array=True)
        return self

    def check(self, X):
        validate_data(self, X, reset=False, skip_check_array=True)


def table_of(names):
    return {name: [1.0, 2.0] for name in names}


def said_by(function, *args, **kwargs):
    """Return the warning or error that a call gives, or None."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            function(*args, **kwargs)
        except (TypeError, ValueError) as error:
            return type(error), str(error)
    return (caught[0].category, str(caught[0].message)) if caught else None


@pytest.mark.parametrize(
    "names",
    ["abc", "cab", "abd", "ab", "abcd", "xyz", ["a", "b", *(f"c{i}" for i in range(9))]],
    ids=lambda names: "-".join(names)[:12],
)
def test_wrong_names_are_refused_as_by_scikit_learn(make_named_table, names):
    fitted = Tree().fit(pd.DataFrame(table_of("abc")))
    expected = said_by(fitted.check, pd.DataFrame(table_of(names)))
    _, schema = encode_table(make_named_table(table_of("abc")))
    X = make_named_table(table_of(names))
    assert said_by(check_columns, schema, X, estimator_name="Tree") == expected
    assert said_by(encode_with, schema, X, estimator_name="Tree") == expected


@pytest.mark.parametrize("n_columns", [1, 3, 4])
def test_arrays_are_checked_by_number_of_columns_as_by_scikit_learn(n_columns):
    fitted = Tree().fit(np.zeros((2, 3)))
    X = np.zeros((2, n_columns))
    expected = said_by(fitted.check, X)
    _, schema = encode_table(np.zeros((2, 3)))
    assert said_by(check_columns, schema, X, estimator_name="Tree") == expected
    assert said_by(encode_with, schema, X, estimator_name="Tree") == expected
    assert said_by(encode_with, schema, X.tolist(), estimator_name="Tree") == expected


def test_names_on_one_side_only_are_warned_about_as_by_scikit_learn(make_named_table):
    frame, array = pd.DataFrame(table_of("abc")), np.zeros((2, 3))
    _, with_names = encode_table(make_named_table(table_of("abc")))
    _, without = encode_table(array)
    X = make_named_table(table_of("abc"))
    for check in (check_columns, encode_with):
        found = said_by(check, with_names, array, estimator_name="Tree")
        assert found == said_by(Tree().fit(frame).check, array)
        found = said_by(check, without, X, estimator_name="Tree")
        assert found == said_by(Tree().fit(array).check, frame)


def test_without_an_estimator_only_the_number_of_columns_is_checked():
    _, schema = encode_table(table_of("abc"))
    assert said_by(encode_with, schema, np.zeros((2, 3))) is None
    assert said_by(encode_with, schema, table_of("cab")) is None
    with pytest.raises(ValueError, match="X has 2 features, but the model is expecting 3"):
        encode_with(schema, table_of("ab"))


def test_feature_names_are_an_array_of_objects(make_named_table):
    names = feature_names(make_named_table(table_of("abc")))
    assert names.dtype == object
    assert names.tolist() == ["a", "b", "c"]


def test_record_batches_have_feature_names():
    batch = pa.RecordBatch.from_pydict(table_of("abc"))
    assert feature_names(batch).tolist() == ["a", "b", "c"]
    _, schema = encode_table(batch)
    assert said_by(check_columns, schema, batch, estimator_name="Tree") is None


@pytest.mark.parametrize(
    "X", [np.zeros((1, 2)), [[1.0]], pd.DataFrame({0: [1.0], 1: [2.0]}), {0: [1.0]}]
)
def test_tables_without_string_names_have_no_feature_names(X):
    assert feature_names(X) is None
    values, schema = encode_table(X)
    assert schema.names == tuple(f"x{j}" for j in range(values.shape[1]))
    assert not schema.has_names


def test_names_of_mixed_type_are_refused_as_by_scikit_learn():
    columns = {"a": [1.0], 1: [2.0]}
    expected = said_by(Tree().fit, pd.DataFrame(columns))
    for X in (pd.DataFrame(columns), columns):
        assert said_by(feature_names, X) == expected
        assert said_by(encode_table, X) == expected
