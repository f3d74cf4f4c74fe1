"""What kind each column is, and the values it is given."""

from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from spinney._table import CodedLabels, Column, encode_table, encode_with

NAN = float("nan")


def encode_one(cells, **kwargs):
    values, schema = encode_table({"c": cells}, **kwargs)
    return values[:, 0].tolist(), schema.columns[0]


def test_a_mixed_table_is_encoded_alike_in_every_library(make_table):
    table = make_table(
        {
            "income": [1.5, None, -2.0, 4.0],
            "age": [3, 1, 2, 3],
            "town": ["York", "Bath", None, "York"],
        }
    )
    values, schema = encode_table(table)
    expected = [[1.5, 3, 1], [NAN, 1, 0], [-2, 2, NAN], [4, 3, 1]]
    assert_array_equal(values, expected)
    assert [column.kind for column in schema.columns] == ["numeric", "numeric", "nominal"]
    assert schema.columns[2].categories == ("Bath", "York")
    assert values.dtype == np.float64
    assert values.flags.f_contiguous


def test_booleans_with_gaps_are_nominal_in_named_tables(make_named_table):
    values, schema = encode_table(make_named_table({"b": [True, None, False]}))
    assert_array_equal(values[:, 0], [1, NAN, 0])
    assert schema.columns[0] == Column("b", "nominal", (False, True))


@pytest.mark.parametrize("dtype", [bool, object])
def test_booleans_are_numbers_in_arrays(dtype):
    values, schema = encode_table(np.array([[True, False], [False, True]], dtype=dtype))
    assert_array_equal(values, [[1, 0], [0, 1]])
    assert schema.all_numeric


def test_named_columns_of_numbers_become_sorted_categories(make_named_table):
    table = make_named_table({"code": [30, 10, None, 10], "x": [1.0, 2.0, 3.0, 4.0]})
    values, schema = encode_table(table, categorical_features=["code"])
    assert_array_equal(values[:, 0], [1, 0, NAN, 0])
    assert schema.columns[0] == Column("code", "nominal", (10, 30))
    assert schema.columns[1].kind == "numeric"


@pytest.mark.parametrize("chosen", [[1], [False, True], np.array([1]), np.array([False, True])])
@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.longdouble, ">i8", object])
def test_positions_and_masks_choose_columns_of_an_array(chosen, dtype):
    X = np.array([[5, 9], [6, 7]], dtype=dtype)
    values, schema = encode_table(X, categorical_features=chosen)
    assert_array_equal(values, [[5, 1], [6, 0]])
    assert schema.columns == (Column("x0", "numeric"), Column("x1", "nominal", (7, 9)))
    assert all(type(label) in (int, float) for label in schema.columns[1].categories)


def test_no_chosen_column_means_from_dtype():
    assert encode_one(["a", "b"], categorical_features=[])[1].kind == "nominal"


def test_large_integers_are_exact_as_categories():
    ids = [2**60 + 1, 2**60, None]
    for cells in (ids, pl.Series(ids), pa.array(ids), pd.array(ids, dtype="Int64")):
        values, column = encode_one(cells, categorical_features=["c"])
        assert column.categories == (2**60, 2**60 + 1)
        assert_array_equal(values, [1, 0, NAN])


@pytest.mark.parametrize("cells", [[-0.0, 0.0], [0.0, -0.0], np.array([-0.0, 0.0])])
def test_the_two_zeros_are_one_category(cells):
    values, column = encode_one(cells, categorical_features=["c"])
    assert values == [0.0, 0.0]
    assert repr(column.categories) == "(0.0,)"


SIZES = ["small", "medium", "large"]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(pd.Categorical(["large", None, "small"], SIZES, ordered=True)),
        pd.Categorical(["large", None, "small"], SIZES, ordered=True),
        pl.Series(["large", None, "small"], dtype=pl.Enum(SIZES)),
        pa.DictionaryArray.from_arrays(pa.array([2, None, 0]), SIZES, ordered=True),
    ],
    ids=["pandas", "pandas array", "polars", "pyarrow"],
)
def test_ordered_categories_keep_their_order_and_only_those_that_occur(column):
    values, found = encode_one(column)
    assert found == Column("c", "ordered", ("small", "large"))
    assert_array_equal(values, [1, NAN, 0])
    values, found = encode_one(column, categorical_features=["c"])
    assert found == Column("c", "nominal", ("large", "small"))
    assert_array_equal(values, [0, NAN, 1])


NOMINAL = {
    "pandas category": pd.Series(["b", None, "a"], dtype="category"),
    "pandas category in another order": pd.Series(pd.Categorical(["b", None, "a"], ["b", "a"])),
    "pandas string": pd.Series(["b", None, "a"], dtype="string"),
    "pandas object": pd.Series(["b", None, "a"], dtype=object),
    "pandas object with NaN": pd.Series(["b", NAN, "a"], dtype=object),
    "pandas over arrow": pd.Series(["b", None, "a"], dtype=pd.ArrowDtype(pa.string())),
    "pandas over arrow dictionary": pd.Series(
        ["b", None, "a"], dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))
    ),
    "polars string": pl.Series(["b", None, "a"]),
    "polars categorical": pl.Series(["b", None, "a"], dtype=pl.Categorical),
    "arrow string": pa.array(["b", None, "a"]),
    "arrow large string": pa.array(["b", None, "a"], pa.large_string()),
    "arrow dictionary": pa.array(["b", None, "a"]).dictionary_encode(),
    "arrow chunks": pa.chunked_array([["b", None], ["a"]]),
    "arrow dictionary chunks": pa.chunked_array(
        [pa.array(["b", None]).dictionary_encode(), pa.array(["a"]).dictionary_encode()]
    ),
    "arrow dictionary of small unsigned codes": pa.DictionaryArray.from_arrays(
        pa.array([1, None, 0], pa.uint8()), ["a", "b"]
    ),
    "arrow null in the dictionary": pa.DictionaryArray.from_arrays(
        pa.array([2, 1, 0]), pa.array(["a", None, "b"])
    ),
    "numpy object": np.array(["b", None, "a"], dtype=object),
    "numpy masked": np.ma.MaskedArray(["b", "?", "a"], [False, True, False]),
    "bytes": np.ma.MaskedArray([b"b", b"?", b"a"], [False, True, False]),
    "narwhals": nw.from_native(pl.Series(["b", None, "a"]), series_only=True),
    "list": ["b", None, "a"],
    "tuple with NaN": ("b", NAN, "a"),
    "list with NA": ["b", pd.NA, "a"],
}


@pytest.mark.parametrize("column", NOMINAL.values(), ids=NOMINAL)
def test_strings_are_nominal_with_a_sorted_vocabulary(column):
    values, found = encode_one(column)
    assert found == Column("c", "nominal", ("a", "b"))
    assert_array_equal(values, [1, NAN, 0])


NUMBERS = {
    "object with None": np.array([2, None, 0.5], dtype=object),
    "object with NA": np.array([2, pd.NA, 0.5], dtype=object),
    "decimals": [Decimal("2.0"), None, Decimal("0.5")],
    "fractions": [Fraction(2), None, Fraction(1, 2)],
    "NumPy scalars": [np.int8(2), None, np.float32(0.5)],
    "masked": np.ma.MaskedArray([2, 9, 0.5], [False, True, False]),
    "float16": np.array([2, NAN, 0.5], dtype=np.float16),
    "longdouble": np.array([2, NAN, 0.5], dtype=np.longdouble),
    "pandas float32": pd.Series([2, None, 0.5], dtype="float32"),
    "pandas Float64": pd.Series([2, None, 0.5], dtype="Float64"),
    "pandas sparse": pd.Series(pd.arrays.SparseArray([2, NAN, 0.5])),
    "pandas over arrow": pd.Series([2, None, 0.5], dtype=pd.ArrowDtype(pa.float64())),
    "polars": pl.Series([2.0, None, 0.5]),
    "polars decimal": pl.Series([Decimal("2.0"), None, Decimal("0.5")]),
    "polars object": pl.Series([2, None, Fraction(1, 2)], dtype=pl.Object),
    "arrow": pa.array([2, None, 0.5]),
    "arrow half floats": pa.array(np.array([2, NAN, 0.5], dtype=np.float16)),
    "arrow decimal": pa.array([Decimal("2.0"), None, Decimal("0.5")]),
}


@pytest.mark.parametrize("column", NUMBERS.values(), ids=NUMBERS)
def test_numbers_of_every_type_are_numeric(column):
    values, found = encode_one(column)
    assert found == Column("c", "numeric")
    assert_array_equal(values, [2, NAN, 0.5])


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([2, None, 1], dtype="Int64"),
        pl.Series([2, None, 1]),
        pl.Series([2, None, 1], dtype=pl.UInt8),
        pa.array([2, None, 1]),
        np.ma.MaskedArray([2, 2**62 + 1, 1], [False, True, False]),
    ],
    ids=["pandas", "polars", "polars small", "pyarrow", "masked"],
)
def test_integers_with_gaps_are_numeric(column):
    values, found = encode_one(column)
    assert found.kind == "numeric"
    assert_array_equal(values, [2, NAN, 1])


def test_numeric_categories_are_sorted_as_numbers():
    values, found = encode_one(pd.Series([10, 9, None, 10], dtype="category"))
    assert found == Column("c", "nominal", (9.0, 10.0))
    assert_array_equal(values, [1, 0, NAN, 1])


def test_intervals_that_were_made_a_category_are_known_by_their_text():
    values, found = encode_one(pd.Series(pd.cut([1.0, 9.0, NAN], [0, 5, 10])))
    assert found == Column("c", "ordered", ("(0, 5]", "(5, 10]"))
    assert_array_equal(values, [0, 1, NAN])


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(pd.to_datetime(["2021-05-01", None, "2020-01-01"])),
        pl.Series([datetime(2021, 5, 1), None, datetime(2020, 1, 1)]),
        pa.array([datetime(2021, 5, 1), None, datetime(2020, 1, 1)]),
        np.array(["2021-05-01", "NaT", "2020-01-01"], dtype="datetime64[ns]"),
        [datetime(2021, 5, 1), None, datetime(2020, 1, 1)],
    ],
    ids=["pandas", "polars", "pyarrow", "numpy", "list"],
)
def test_dates_may_be_named_as_categories(column):
    values, found = encode_one(column, categorical_features=["c"])
    assert found.categories == ("2020-01-01 00:00:00", "2021-05-01 00:00:00")
    assert_array_equal(values, [1, NAN, 0])


@pytest.mark.parametrize(
    "column",
    [[date(2020, 1, 2)], pl.Series([date(2020, 1, 2)]), np.array(["2020-01-02"], dtype="M8[D]")],
    ids=["list", "polars", "numpy"],
)
def test_days_are_known_by_their_iso_text(column):
    assert encode_one(column, categorical_features=["c"])[1].categories == ("2020-01-02",)


def test_times_may_be_named_as_categories():
    found = encode_one(pl.Series([time(8, 30)]), categorical_features=["c"])[1]
    assert found.categories == ("08:30:00",)


@pytest.mark.parametrize(
    "column",
    [
        [None, None],
        np.array([NAN, NAN]),
        pd.Series([None, None], dtype=object),
        pl.Series([None, None]),
        pa.nulls(2),
        pl.Series([None, None], dtype=pl.Object),
    ],
    ids=["list", "numpy", "pandas", "polars null", "arrow null", "polars object"],
)
@pytest.mark.parametrize(("chosen", "kind"), [("from_dtype", "numeric"), (["c"], "nominal")])
def test_a_column_with_nothing_in_it_is_all_missing(column, chosen, kind):
    values, found = encode_one(column, categorical_features=chosen)
    assert found == Column("c", kind)
    assert_array_equal(values, [NAN, NAN])


def test_strings_that_are_all_missing_have_an_empty_vocabulary():
    values, found = encode_one(pl.Series([None, None], dtype=pl.String))
    assert found == Column("c", "nominal")
    assert_array_equal(values, [NAN, NAN])


def test_an_array_of_strings_is_nominal_column_by_column():
    values, schema = encode_table(np.array([["b", "y"], ["a", "x"], ["b", ""]]))
    assert_array_equal(values, [[1, 2], [0, 1], [1, 0]])
    assert [c.categories for c in schema.columns] == [("a", "b"), ("", "x", "y")]


def test_lists_of_rows_keep_numbers_beside_strings():
    values, schema = encode_table([[1.5, "b"], [2, "a"]])
    assert_array_equal(values, [[1.5, 1], [2, 0]])
    assert [column.kind for column in schema.columns] == ["numeric", "nominal"]


def test_record_batches_and_narwhals_frames_are_tables():
    columns = {"x": [1.0, 2.0], "s": ["b", "a"]}
    expected = encode_table(columns)
    batch = pa.RecordBatch.from_pydict(columns)
    for table in (batch, nw.from_native(pl.DataFrame(columns)), nw.from_native(pa.table(columns))):
        values, schema = encode_table(table)
        assert_array_equal(values, expected[0])
        assert schema == expected[1]


def test_a_library_that_only_narwhals_knows_is_read_through_pandas(monkeypatch):
    columns = {"x": [1.0, None], "s": ["b", "a"]}
    expected = encode_table(pd.DataFrame(columns))
    known = vars(nw.dependencies) | {"is_polars_dataframe": lambda X: False}
    narwhals = SimpleNamespace(**vars(nw) | {"dependencies": SimpleNamespace(**known)})
    monkeypatch.setattr("spinney._table._open.nw", narwhals)
    values, schema = encode_table(pl.DataFrame(columns))
    assert_array_equal(values, expected[0])
    assert schema == expected[1]


def test_none_takes_whatever_is_a_number_and_nothing_else():
    table = pd.DataFrame(
        {
            "x": [1, 2],
            "b": [True, False],
            "c": pd.Categorical([10, 20]),
            "s": ["1.5", "2"],
        }
    )
    values, schema = encode_table(table, categorical_features=None)
    assert_array_equal(values, [[1, 1, 10, 1.5], [2, 0, 20, 2]])
    assert schema.all_numeric
    with pytest.raises(ValueError, match="column 't' must hold numbers, but it holds 'a'"):
        encode_table({"t": ["a", "b"]}, categorical_features=None)


def test_rows_that_are_not_used_add_nothing_to_the_vocabulary(make_table):
    table = make_table({"s": ["b", "z", "a", None], "n": [1, 2, 3, 4]})
    values, schema = encode_table(
        table, used_rows=np.array([True, False, True, False]), categorical_features=[1]
    )
    assert [column.categories for column in schema.columns] == [("a", "b"), (1, 3)]
    assert_array_equal(values, [[1, 0], [NAN, NAN], [0, 1], [NAN, NAN]])


def test_the_vocabulary_does_not_depend_on_the_order_of_rows(make_table):
    cells = ["d", "a", None, "c", "b", "a"]
    values, schema = encode_table(make_table({"s": cells}))
    backwards, same = encode_table(make_table({"s": cells[::-1]}))
    assert schema == same
    assert_array_equal(values[::-1], backwards)


def test_more_categories_than_a_byte_counts(make_table):
    labels = [f"{i:04}" for i in range(1000)]
    values, schema = encode_table(make_table({"s": [*labels, None]}))
    assert schema.columns[0].categories == tuple(labels)
    assert_array_equal(values[:, 0], [*range(1000), NAN])
    assert_array_equal(encode_with(schema, make_table({"s": ["0999", None]}))[:, 0], [999, NAN])


def test_coded_labels_are_listed_with_their_gaps() -> None:
    labels = CodedLabels.of(np.array(["high", None, "low"], dtype=object), ["low", "high"])
    assert labels.tolist() == ["high", None, "low"]
    assert labels[[2, 1]].tolist() == ["low", None]
