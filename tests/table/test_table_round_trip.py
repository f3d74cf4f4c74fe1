"""Encoding loses nothing: decoding by the schema gives the table back."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from table_makers import MAKERS, NAMED

from spinney._table import Schema, encode_table, encode_with

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=3)
NUMBERS = st.floats(allow_nan=False)
WHOLE = st.integers(-(2**53), 2**53)


@st.composite
def tables(draw):
    """Draw columns of one type each, with gaps."""
    n_rows = draw(st.integers(1, 12))
    columns = {}
    for j in range(draw(st.integers(1, 4))):
        cells = draw(st.sampled_from([TEXT, NUMBERS, WHOLE, st.booleans()]))
        column = draw(st.lists(st.none() | cells, min_size=n_rows, max_size=n_rows))
        columns[f"c{j}"] = column
    return columns


def decode(values: np.ndarray, schema: Schema) -> dict[str, list]:
    """Return the table that the values and the schema stand for."""
    columns = {}
    for j, column in enumerate(schema.columns):
        cells = [None if math.isnan(value) else value for value in values[:, j].tolist()]
        if column.kind != "numeric":
            cells = [None if code is None else column.categories[int(code)] for code in cells]
        columns[column.name] = cells
    return columns


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@pytest.mark.parametrize("library", NAMED)
@given(columns=tables())
def test_decoding_gives_the_table_back(library, columns):
    table = MAKERS[library](columns)
    values, schema = encode_table(table)
    assert decode(values, schema) == columns
    assert_array_equal(encode_with(schema, table, unseen="error"), values)
    again = Schema.from_state(schema.to_state())
    assert again == schema
    assert_array_equal(encode_with(again, columns, unseen="error"), values)


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(columns=tables())
def test_every_library_gives_the_same_codes_when_all_columns_are_categories(columns):
    results = [
        encode_table(MAKERS[name](columns), categorical_features=list(range(len(columns))))
        for name in MAKERS
    ]
    for values, schema in results:
        assert_array_equal(values, results[0][0])
        found = [column.categories for column in schema.columns]
        assert found == [column.categories for column in results[0][1].columns]
        assert all(column.kind == "nominal" for column in schema.columns)


@settings(deadline=None)
@given(
    labels=st.lists(TEXT, min_size=1, max_size=8, unique=True),
    data=st.data(),
)
def test_ordered_codes_follow_the_declared_order(labels, data):
    cells = data.draw(st.lists(st.none() | st.sampled_from(labels), min_size=1, max_size=12))
    expected = [label for label in labels if label in cells]
    places = pa.array([None if c is None else labels.index(c) for c in cells], pa.int32())
    for column in (
        pd.Series(pd.Categorical(cells, labels, ordered=True)),
        pl.Series(cells, dtype=pl.Enum(labels)),
        pa.DictionaryArray.from_arrays(places, pa.array(labels), ordered=True),
    ):
        values, schema = encode_table({"c": column})
        assert schema.columns[0].kind == "ordered"
        assert list(schema.columns[0].categories) == expected
        assert decode(values, schema)["c"] == cells


@settings(deadline=None)
@given(cells=st.lists(st.none() | TEXT, min_size=1, max_size=12), data=st.data())
def test_unused_rows_are_as_if_absent(cells, data):
    used = np.array(data.draw(st.lists(st.booleans(), min_size=len(cells), max_size=len(cells))))
    values, schema = encode_table({"c": cells}, used_rows=used)
    if used.any():
        kept, alone = encode_table(
            {"c": [cell for cell, keep in zip(cells, used, strict=True) if keep]},
            categorical_features=["c"],
        )
        assert schema.columns[0].categories == alone.columns[0].categories
        assert_array_equal(values[used], kept)
    top = len(schema.columns[0].categories)
    assert np.all(np.isnan(values) | ((values >= 0) & (values < max(top, 1))))
