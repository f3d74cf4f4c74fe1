"""Tables that cannot be encoded: what is said, and about which column."""

import re
from datetime import date, datetime, time, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from spinney._table import encode_table, encode_with

STRING_OR_NUMBER = "argument must be a string or a real number"
DATES = "column 'opened' holds dates (datetime64). Turn it into a number, such as days since a date"


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (np.zeros(3), ValueError, "Reshape your data"),
        ([1.0, 2.0], ValueError, "Reshape your data"),
        (5.0, ValueError, "Reshape your data"),
        (None, ValueError, "Reshape your data"),
        (np.zeros((2, 2, 2)), ValueError, "Found array with dim 3"),
        (np.zeros((0, 3)), ValueError, "0 sample(s) (shape=(0, 3)) while a minimum of 1"),
        (np.zeros((12, 0)), ValueError, "0 feature(s) (shape=(12, 0)) while a minimum of 1"),
        (pd.DataFrame({"a": []}), ValueError, "0 sample(s) (shape=(0, 1)) while a minimum of 1"),
        (pl.DataFrame({"a": []}), ValueError, "0 sample(s) (shape=(0, 1)) while a minimum of 1"),
        (pa.table({"a": []}), ValueError, "0 sample(s) (shape=(0, 1)) while a minimum of 1"),
        ({"a": []}, ValueError, "0 sample(s) (shape=(0, 1)) while a minimum of 1"),
        ({}, ValueError, "0 sample(s) (shape=(0, 0)) while a minimum of 1"),
        (pd.DataFrame(index=range(3)), ValueError, "0 feature(s) (shape=(3, 0)) while a minimum"),
        (pd.Series([1.0]), ValueError, "Expected a 2-dimensional container"),
        (pl.Series([1.0]), ValueError, "Reshape your data"),
        (np.array([[1 + 2j]]), ValueError, "Complex data not supported"),
        (sp.csr_matrix(np.eye(2)), TypeError, "Sparse data was passed for X"),
        (sp.dok_matrix(np.eye(2)), TypeError, "Sparse data was passed for X"),
        (np.eye(1).view(np.matrix), TypeError, "np.matrix is not supported"),
        (np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]), ValueError, "('a', 'b')"),
        (pl.DataFrame({"a": [1]}).lazy(), TypeError, "lazy table (LazyFrame). Call collect()"),
        ({"a": [1, 2], "b": [1]}, ValueError, "'a' has 2 rows and column 'b' has 1"),
        ({"a": np.zeros((2, 2))}, ValueError, "column 'a' must be one-dimensional"),
        ({"a": 5}, ValueError, "column 'a' must be one-dimensional"),
        (
            pd.DataFrame([[1, 2, "a"]], columns=["a", "b", "a"]),
            ValueError,
            "columns 0 and 2 are both called 'a'",
        ),
        (
            pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]),
            ValueError,
            "columns 0 and 1 are both called 'a'",
        ),
    ],
)
def test_tables_of_the_wrong_shape_are_refused(X, error, message):
    with pytest.raises(error, match=re.escape(message)):
        encode_table(X)


def test_shape_errors_name_the_estimator():
    for X in (np.zeros((0, 3)), pd.DataFrame({"a": [], "b": [], "c": []})):
        with pytest.raises(ValueError, match=r"minimum of 1 is required by CARTClassifier\."):
            encode_table(X, estimator_name="CARTClassifier")


def test_a_malformed_sparse_matrix_is_refused_before_it_is_read():
    X = sp.csr_matrix(np.eye(2))
    X.indices[:] = 1_000_000
    with pytest.raises(TypeError, match="Sparse data was passed"):
        encode_table(X)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(pd.to_datetime(["2020-01-01"])),
        pd.Series(pd.to_datetime(["2020-01-01"], utc=True)),
        pd.Series([date(2020, 1, 1)], dtype=object),
        pl.Series([datetime(2020, 1, 1)]),
        pl.Series([date(2020, 1, 1)]),
        pa.array([datetime(2020, 1, 1)]),
        np.array(["2020-01-01"], dtype="M8[D]"),
        [datetime(2020, 1, 1)],
    ],
)
def test_dates_are_refused_in_fit_and_predict(column):
    with pytest.raises(ValueError, match=re.escape(DATES)):
        encode_table({"opened": column})
    _, schema = encode_table({"opened": [1.0]})
    with pytest.raises(ValueError, match=re.escape(DATES)):
        encode_with(schema, {"opened": column})


def test_dates_in_an_array_are_refused_by_position():
    with pytest.raises(ValueError, match=re.escape("column 'x0' holds dates (datetime64)")):
        encode_table(np.array([["2020-01-01"]], dtype="M8[s]"))


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([{"foo": "bar"}, 1.0], "holds an object of type 'dict'"),
        ([[1], [2]], "holds an object of type 'list'"),
        (np.array([1j, None], dtype=object), "holds an object of type 'complex'"),
        (["a", 1.5], "mixes float and str"),
        (["a", True], "mixes bool and str"),
        (["a", date(2020, 1, 1)], "mixes date and str"),
        ([1, date(2020, 1, 1)], "mixes date and int"),
        (pd.Series(pd.Categorical(["a", 1])), "mixes int and str"),
        (pd.Series(pd.interval_range(0, 2)), "holds an object of type 'Interval'"),
        (pl.Series([[1], [2]]), "holds nested values (List(Int64))"),
        (pl.Series([{"a": 1}]), "holds nested values (Struct"),
        (pa.array([[1], [2]]), "holds nested values (List(Int64))"),
        (pa.array([{"a": 1}]), "holds nested values (Struct"),
        (np.array([(1, 2)], dtype=[("a", int), ("b", int)]), "holds an object of type 'record'"),
    ],
)
def test_cells_that_are_neither_text_nor_numbers_are_a_type_error(column, message):
    with pytest.raises(TypeError, match=STRING_OR_NUMBER) as caught:
        encode_table({"c": column})
    assert f"column 'c' {message}" in str(caught.value)


def test_mixed_cells_cannot_be_named_a_category():
    with pytest.raises(TypeError, match="column 'c' mixes int and str"):
        encode_table({"c": ["a", 1]}, categorical_features=["c"])
    with pytest.raises(TypeError, match="column 'c' holds an object of type 'dict'"):
        encode_table({"c": ["a", {}]}, categorical_features=["c"])


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (np.array([1], dtype="m8[D]"), "holds time spans (timedelta64)"),
        (pd.Series(pd.to_timedelta([1], unit="D")), "holds time spans (timedelta64)"),
        (pl.Series([timedelta(1)]), "holds time spans (timedelta64)"),
        ([timedelta(1)], "holds time spans (timedelta64)"),
        (pl.Series([time(8)]), "holds times (time)"),
        (pd.Series([1j]), "holds complex numbers"),
        ([10**400, 1], "holds a number that float64 cannot hold"),
    ],
)
def test_other_types_are_a_value_error_that_names_the_column(column, message):
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        encode_table({"c": column})
    assert "column 'c'" in str(caught.value)


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ("a", "For one column write categorical_features=['a']"),
        ("from_dtypes", "must be 'from_dtype', None or a list"),
        (["z"], "'z', which is not a column of X. The columns are ['a', 'b']"),
        ([2], "must be in [0, 1], got 2"),
        ([-1], "must be in [0, 1], got -1"),
        ([True], "one entry for each of the 2 columns, got 1"),
        ([0.5], "array-like of bool, int or str, all of one type, got: float"),
        (["a", 1], "all of one type, got: int, str"),
        ([True, 1], "all of one type, got: bool, int"),
    ],
)
def test_categorical_features_that_name_no_column_are_refused(chosen, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        encode_table({"a": [1.0], "b": [2.0]}, categorical_features=chosen)


def test_names_of_categories_need_names_of_columns():
    with pytest.raises(ValueError, match="'a', but X has no column names"):
        encode_table(np.zeros((2, 2)), categorical_features=["a"])


@pytest.mark.parametrize("rows", [[True], [1, 0], [[True, False]]])
def test_used_rows_must_be_a_mask_of_the_rows(rows):
    with pytest.raises(ValueError, match=re.escape("used_rows must be a boolean array of shape")):
        encode_table({"a": ["x", "y"]}, used_rows=rows)
