"""Arrays of numbers: what is shared, what is converted, what is warned about."""

import warnings
from time import perf_counter_ns

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from spinney._table import encode_table, encode_with

NAN = float("nan")


def layouts():
    base = np.arange(24.0).reshape(4, 6)
    read_only = base.copy()
    read_only.flags.writeable = False
    return {
        "C": base,
        "Fortran": np.asfortranarray(base),
        "read-only": read_only,
        "strided": base[::2, ::3],
        "negative strides": base[::-1, ::-1],
        "stride zero": np.broadcast_to(base[:1], (4, 6)),
        "with NaN and infinity": np.array([[NAN, np.inf], [-np.inf, 1e-310]]),
    }


@pytest.mark.parametrize("name", layouts())
def test_float64_arrays_are_passed_on_as_they_are(name):
    X = layouts()[name]
    values, schema = encode_table(X)
    assert values is X
    assert encode_with(schema, X) is X
    assert [column.name for column in schema.columns] == [f"x{j}" for j in range(X.shape[1])]
    assert not schema.has_names


def test_a_broadcast_array_of_more_than_two_to_the_31_cells_takes_no_memory():
    X = np.broadcast_to(np.arange(3.0), (2**30, 3))
    values, schema = encode_table(X)
    assert values is X
    assert len(schema.columns) == 3


def test_memory_mapped_arrays_are_not_copied(tmp_path):
    X = np.memmap(tmp_path / "x", dtype=np.float64, mode="w+", shape=(3, 2))
    X[:] = [[1, 2], [3, 4], [5, 6]]
    values, _ = encode_table(X)
    assert np.shares_memory(values, X)
    assert type(values) is np.ndarray


@pytest.mark.parametrize("dtype", ["f2", "f4", "g", ">f8", ">f4", "?", "i1", ">i8", "u8", "O"])
def test_other_numbers_are_converted(dtype):
    X = np.array([[1, 0], [0, 1]], dtype=dtype)
    values, schema = encode_table(X)
    assert values.dtype == np.float64
    assert values.dtype.isnative
    assert_array_equal(values, [[1, 0], [0, 1]])
    assert_array_equal(encode_with(schema, X), values)


def test_a_long_double_beyond_the_range_is_infinite():
    if np.finfo(np.longdouble).max == np.finfo(np.float64).max:
        pytest.skip("long double is float64 here")
    X = np.array([["1e400", "-1e400"]], dtype=np.longdouble)
    assert_array_equal(encode_table(X)[0], [[np.inf, -np.inf]])


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, bool, object, "U3"])
def test_masked_cells_are_missing(dtype):
    data = np.array([[1, 0], [0, 1]]).astype(dtype)
    X = np.ma.MaskedArray(data, [[False, True], [False, False]])
    values, schema = encode_table(X)
    assert np.isnan(values).tolist() == [[False, True], [False, False]]
    assert np.isnan(encode_with(schema, X)).tolist() == [[False, True], [False, False]]
    assert_array_equal(np.ma.getdata(X), data)


def test_a_masked_array_without_a_mask_is_an_array():
    X = np.ma.MaskedArray([[1.0, 2.0]])
    assert_array_equal(encode_table(X)[0], [[1, 2]])


def test_homogeneous_frames_of_floats_are_not_copied():
    X = np.arange(6.0).reshape(3, 2)
    frame = pd.DataFrame(X, columns=["a", "b"], copy=False)
    values, schema = encode_table(frame)
    assert np.shares_memory(values, X)
    assert schema.names == ("a", "b")
    assert np.shares_memory(encode_with(schema, frame, estimator_name="Tree"), X)


def test_frames_of_float_columns_are_numeric():
    frame = pd.DataFrame({"a": [1.0, NAN], "b": [3.0, 4.0]})
    values, schema = encode_table(frame)
    assert_array_equal(values, [[1, 3], [NAN, 4]])
    assert schema.all_numeric


ODD = 2**60 + 1
INTEGERS = {
    "array": np.array([[0, ODD]]),
    "unsigned array": np.array([[0, 2**64 - 1]], dtype=np.uint64),
    "largest int64": np.array([[0, 2**63 - 1]]),
    "negative": np.array([[0, -ODD]]),
    "objects": np.array([[0, ODD]], dtype=object),
    "pandas": pd.DataFrame({"x0": [0], "x1": [ODD]}),
    "pandas Int64": pd.DataFrame({"x0": [0], "x1": [ODD]}, dtype="Int64"),
    "polars": pl.DataFrame({"x0": [0], "x1": [ODD]}),
    "arrow": pa.table({"x0": [0], "x1": [ODD]}),
    "mapping": {"x0": [0], "x1": [ODD]},
}


@pytest.mark.parametrize("X", INTEGERS.values(), ids=INTEGERS)
def test_integers_that_float64_rounds_are_warned_about_by_column(X):
    with pytest.warns(UserWarning, match=r"column 'x1' holds 1 integer.*lose precision") as caught:
        values, _ = encode_table(X)
    assert len(caught) == 1
    assert abs(values[0, 1]) >= 2.0**60


@pytest.mark.parametrize("value", [2**53, -(2**53), 2**60, -(2**63), 2**53 + 2])
@pytest.mark.parametrize("as_array", [np.array, pl.DataFrame, list])
def test_integers_that_float64_holds_are_not_warned_about(value, as_array):
    values, _ = encode_table(as_array([[value]]))
    assert int(values[0, 0]) == value


def test_masked_integers_are_not_warned_about():
    X = np.ma.MaskedArray([[ODD, 1]], [[True, False]])
    assert_array_equal(encode_table(X)[0], [[NAN, 1]])


def test_a_small_float_array_costs_next_to_nothing():
    X = np.zeros((20, 10))
    _, schema = encode_table(X)
    encode, again = [], []
    for _ in range(200):
        start = perf_counter_ns()
        encode_table(X)
        middle = perf_counter_ns()
        encode_with(schema, X, estimator_name="Tree")
        encode.append(middle - start)
        again.append(perf_counter_ns() - middle)
    assert min(encode) < 20_000
    assert min(again) < 20_000


def test_encoding_does_not_write_to_its_input():
    frame = pd.DataFrame({"a": [1, 2], "s": ["x", None]})
    before = frame.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encode_table(frame)
    pd.testing.assert_frame_equal(frame, before)
