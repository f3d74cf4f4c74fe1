"""Encoding another table by the schema of fit."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from table_makers import MAKERS

from spinney._table import Column, Schema, encode_table, encode_with

NAN = float("nan")
TRAINING = {
    "x": [1.0, 2.0, None],
    "town": ["York", "Bath", "Ely"],
    "member": [True, False, None],
}


def nominal(*categories):
    return Schema((Column("c", "nominal", categories),), has_names=True)


@pytest.mark.parametrize("second", MAKERS)
def test_any_kind_of_table_can_be_predicted_after_any_other(make_named_table, second):
    values, schema = encode_table(make_named_table(TRAINING))
    if second == "numpy":
        with pytest.warns(UserWarning, match="X does not have valid feature names, but Tree was"):
            again = encode_with(schema, MAKERS[second](TRAINING), estimator_name="Tree")
    else:
        again = encode_with(schema, MAKERS[second](TRAINING), estimator_name="Tree")
    assert_array_equal(again, values)
    assert again.flags.f_contiguous


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(pd.Categorical(["b", "a", None, "c"], ["c", "b", "a"])),
        pd.Series(pd.Categorical(["b", "a", None, "c"], ["x", "a", "y", "b", "c"])),
        pl.Series(["b", "a", None, "c"], dtype=pl.Enum(["c", "b", "a"])),
        pa.DictionaryArray.from_arrays(pa.array([2, 1, None, 0]), ["c", "a", "b"]),
    ],
    ids=["reordered", "more categories", "polars", "arrow"],
)
def test_the_order_of_categories_in_the_new_table_does_not_matter(column):
    assert_array_equal(encode_with(nominal("a", "b", "c"), {"c": column})[:, 0], [1, 0, NAN, 2])
    ordered = Schema((Column("c", "ordered", ("b", "c", "a")),), has_names=True)
    assert_array_equal(encode_with(ordered, {"c": column})[:, 0], [0, 2, NAN, 1])


def test_unseen_categories_are_missing_or_an_error(make_table):
    _, schema = encode_table(make_table({"s": ["a", "b"]}))
    table = make_table({"s": ["b", "mauve", None]})
    assert_array_equal(encode_with(schema, table)[:, 0], [1, NAN, NAN])
    with pytest.raises(ValueError, match=r"holds categories that fit did not see: 'mauve'\. "):
        encode_with(schema, table, unseen="error")
    assert_array_equal(encode_with(schema, make_table({"s": ["a"]}), unseen="error"), [[0]])


def test_the_error_for_unseen_categories_lists_five_and_the_column():
    with pytest.raises(ValueError, match=r"column 'c' .*: 1, 2, 3, 4, 5 and 2 more\. "):
        encode_with(nominal(0), {"c": range(8)}, unseen="error")


def test_unseen_categories_are_listed_in_order_of_appearance(make_table):
    _, schema = encode_table(make_table({"s": ["a", "b"]}))
    with pytest.raises(ValueError, match="did not see: 'q', 'p', 'r'"):
        encode_with(schema, make_table({"s": ["q", "a", "p", "q", None, "r"]}), unseen="error")


def test_declared_categories_that_do_not_occur_are_not_unseen():
    column = pd.Series(pd.Categorical(["a"], ["z", "a"]))
    assert_array_equal(encode_with(nominal("a"), {"c": column}, unseen="error"), [[0]])


@pytest.mark.parametrize(
    ("vocabulary", "cells"),
    [
        (("10", "2"), [10, 2]),
        (("10", "2"), np.array([10.0, 2.0])),
        ((2, 10), ["10", "2"][::-1]),
        ((2, 10), [2.0, 10.0]),
        ((2.0, 10.0), pl.Series([2, 10], dtype=pl.Int8)),
        ((2.5, 10.0), ["2.5", "10"]),
        ((False, True), [0, 1]),
        ((False, True), ["False", "True"]),
        (("False", "True"), [False, True]),
        ((0, 1), [False, True]),
        (("a", "b"), pa.array([b"a", b"b"])),
    ],
)
def test_labels_are_matched_by_value_across_types(vocabulary, cells):
    assert_array_equal(encode_with(nominal(*vocabulary), {"c": cells}, unseen="error"), [[0], [1]])


@pytest.mark.parametrize("cells", [["1_0"], ["ten"], [NAN], ["nan"], [11]])
def test_labels_that_only_look_alike_are_not_matched(cells):
    assert np.isnan(encode_with(nominal(10, 20), {"c": cells})).all()


def test_an_array_of_floats_is_matched_with_the_vocabulary():
    X = np.array([[1.0, 7.0], [2.0, 9.0]])
    values, schema = encode_table(X, categorical_features=[1])
    assert_array_equal(values, [[1, 0], [2, 1]])
    assert_array_equal(encode_with(schema, np.array([[2.0, 8.0], [1.0, 9.0]])), [[2, NAN], [1, 1]])


@pytest.mark.parametrize(
    "cells",
    [["1.5", None, "2"], pd.Series(pd.Categorical([1.5, None, 2])), pl.Series(["1.5", None, "2"])],
)
def test_a_numeric_column_may_arrive_as_text(cells):
    schema = Schema((Column("c", "numeric"),), has_names=True)
    assert_array_equal(encode_with(schema, {"c": cells})[:, 0], [1.5, NAN, 2])


def test_a_numeric_column_may_arrive_as_booleans():
    schema = Schema((Column("c", "numeric"),), has_names=True)
    assert_array_equal(encode_with(schema, {"c": [True, False, None]})[:, 0], [1, 0, NAN])


def test_a_numeric_column_of_words_is_an_error_that_names_it(make_table):
    _, schema = encode_table(make_table({"x0": [1.0, 2.0], "s": ["a", "b"]}))
    with pytest.raises(ValueError, match="column 'x0' must hold numbers, but it holds 'tall'"):
        encode_with(schema, make_table({"x0": ["1", "tall"], "s": ["a", "b"]}))


def test_missing_only_at_predict_time(make_table):
    _, schema = encode_table(make_table({"x": [1.0, 2.0], "s": ["a", "b"]}))
    values = encode_with(schema, make_table({"x": [None, None], "s": [None, None]}))
    assert np.isnan(values).all()


def test_an_empty_vocabulary_knows_no_label():
    assert_array_equal(encode_with(nominal(), {"c": ["a", 1]}), [[NAN], [NAN]])


def test_unseen_must_be_one_of_its_choices():
    with pytest.raises(ValueError, match="unseen must be 'missing' or 'error', got 'ignore'"):
        encode_with(nominal("a"), {"c": ["a"]}, unseen="ignore")


def test_a_pickled_schema_is_the_same_before_and_after_use():
    _, schema = encode_table({"c": ["a", "b"]})
    before = pickle.dumps(schema)
    encode_with(schema, {"c": ["b"]})
    assert pickle.dumps(schema) == before
    assert_array_equal(encode_with(pickle.loads(before), {"c": ["b"]}), [[1]])
