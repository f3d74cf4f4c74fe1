"""Objects, dates, masks and sparse matrices: what a cell may hold."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from contracts.estimators import columns, every, every_learner, same_model, trees

from faults.outcomes import Raises, refused, table

N = 12
CODES = (np.arange(N) >= 5).astype(int)
WORDS = "argument must be a string or a real number"
MAKERS = {
    "pandas": lambda cells: pd.DataFrame({"c": pd.Series(cells, dtype=object)}),
    "mapping": lambda cells: {"c": cells},
    "array": lambda cells: np.array([[cell] for cell in cells] + [[None]], dtype=object)[:-1],
}


@every
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@table(
    {
        "columns": ("cells",),
        "floats and None": ([0.0, None, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, None, 9.0, 10.0, 11.0],),
        "integers and NaN": ([0, np.nan, 2, 3, 4, 5, 6, 7, np.nan, 9, 10, 11],),
        "NA of pandas": ([0, pd.NA, 2, 3, 4, 5, 6, 7, pd.NA, 9, 10, 11],),
        "NumPy scalars": ([np.float32(0), None, *map(np.int8, range(2, 8)), None, *range(9, 12)],),
        "decimals and fractions": (
            [Decimal(0), None, Fraction(2), *range(3, 8), None, *map(Decimal, (9, 10, 11))],
        ),
    }
)
def test_objects_that_are_numbers_are_numbers(listed, make, cells):
    values = np.arange(float(N))[:, None]
    values[[1, 8]] = np.nan
    y = listed.target(CODES)
    plain, other = listed.new().fit(values, y), listed.new().fit(make(cells), y)
    assert columns(other)[0].kind == "numeric"
    for one, another in zip(trees(plain), trees(other), strict=True):
        assert one.value.tobytes() == another.value.tobytes()
    np.testing.assert_array_equal(plain.predict(values), other.predict(make(cells)))


@every_learner
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@table(
    {
        "columns": ("cells",),
        "strings": (["b", "a", "c"] * 4,),
        "strings of numbers": (["2", "10", "1"] * 4,),
        "strings with gaps": (["b", None, "c"] * 4,),
        "strings with NaN": (["b", np.nan, "c"] * 4,),
        "strings of NumPy": ([np.str_("b"), np.str_("a"), "c"] * 4,),
        "bytes": ([b"b", b"a", b"c"] * 4,),
    }
)
def test_objects_that_are_strings_are_categories(listed, make, cells):
    y = listed.target([0, 1, 0] * 4)
    fitted = listed.new().fit(make(cells), y)
    assert columns(fitted)[0].kind == "nominal"
    known = [i for i, cell in enumerate(cells) if isinstance(cell, (str, bytes))]
    if None not in cells and len(known) == N:
        np.testing.assert_array_equal(fitted.predict(make(cells)), y)


@every
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@table(
    {
        "columns": ("cells", "words"),
        "text and numbers": (["a", 1.5] * 6, "mixes float and str"),
        "text and booleans": (["a", True] * 6, "mixes bool and str"),
        "text and dates": (["a", date(2020, 1, 1)] * 6, "mixes date and str"),
        "a mapping": ([{"a": 1}, 1.0] * 6, "type 'dict'"),
        "a set": ([{1}, 1.0] * 6, "type 'set'"),
        "an object": ([object(), 1.0] * 6, "type 'object'"),
        "a complex number": ([1j, 1.0] * 6, "type 'complex'"),
        "a function": ([len, 1.0] * 6, "type 'builtin_function_or_method'"),
    }
)
def test_mixed_cells_are_a_type_error_that_names_the_column(listed, make, cells, words):
    estimator = listed.new()
    name = "x0" if make is MAKERS["array"] else "c"
    with refused(Raises(f"column '{name}' .*{words}.*{WORDS}", TypeError), estimator):
        estimator.fit(make(cells), listed.target(CODES))


DATES = {
    "NumPy": np.arange(N).astype("M8[D]"),
    "pandas": pd.Series(pd.date_range("2020-01-01", periods=N)),
    "pandas with a zone": pd.Series(pd.date_range("2020-01-01", periods=N, tz="UTC")),
    "polars": pl.Series([datetime(2020, 1, 1 + i) for i in range(N)]),
    "Arrow": pa.array([date(2020, 1, 1 + i) for i in range(N)]),
    "objects": [date(2020, 1, 1 + i) for i in range(N)],
}


@every
@pytest.mark.parametrize("dates", DATES.values(), ids=DATES)
def test_dates_are_refused_with_a_way_out(listed, dates):
    words = "column 'opened' holds dates .*number.*category"
    estimator = listed.new()
    with refused(Raises(words), estimator):
        estimator.fit({"opened": dates}, listed.target(CODES))
    fitted = listed.new().fit({"opened": np.arange(N)}, listed.target(CODES))
    with refused(Raises(words), fitted):
        fitted.predict({"opened": dates})


@every
def test_an_array_of_dates_or_time_spans_is_refused(listed):
    estimator = listed.new()
    with refused(Raises("column 'x0' holds dates .*number.*category"), estimator):
        estimator.fit(np.arange(N).astype("M8[ns]")[:, None], listed.target(CODES))
    spans = [timedelta(i) for i in range(N)]
    with refused(Raises("column 'waited' holds time spans"), estimator):
        estimator.fit({"waited": spans}, listed.target(CODES))


@every_learner
def test_dates_work_as_the_error_says(listed):
    """As a number, and as a category."""
    opened = pd.Series(pd.date_range("2020-01-01", periods=N))
    y = listed.target(CODES)
    days = pd.DataFrame({"opened": (opened - opened[0]).dt.days})
    np.testing.assert_array_equal(listed.new().fit(days, y).predict(days), y)
    months = pd.DataFrame({"opened": opened.dt.strftime("%d")})
    np.testing.assert_array_equal(listed.new().fit(months, y).predict(months), y)


@every
@pytest.mark.parametrize("dtype", [float, np.float32, int, np.int8, ">f8"])
def test_masked_cells_are_missing(listed, dtype, rng):
    values = rng.integers(0, 100, size=(80, 3))
    mask = rng.random(values.shape) < 0.2
    hidden = np.where(mask, 99, values).astype(dtype)  # what lies under the mask must not count
    gaps = np.where(mask, np.nan, values.astype(float))
    y = listed.target((values[:, 0] > 50).astype(int))
    masked = np.ma.masked_array(hidden, mask)
    plain, other = listed.new().fit(gaps, y), listed.new().fit(masked, y)
    assert same_model(plain, other, gaps)
    np.testing.assert_array_equal(other.predict(masked), plain.predict(gaps))


@every
def test_a_masked_column_of_a_mapping_is_missing_where_it_is_masked(listed, rng):
    values, mask = rng.normal(size=60), rng.random(60) < 0.2
    y = listed.target((values > 0).astype(int))
    plain = listed.new().fit({"a": np.where(mask, np.nan, values)}, y)
    other = listed.new().fit({"a": np.ma.masked_array(values, mask)}, y)
    assert trees(plain) == trees(other)


@every
def test_an_empty_mask_changes_nothing(listed, rng):
    values = rng.normal(size=(60, 2))
    y = listed.target((values[:, 0] > 0).astype(int))
    for mask in (np.ma.nomask, np.zeros(values.shape, bool)):
        other = listed.new().fit(np.ma.masked_array(values, mask), y)
        assert same_model(listed.new().fit(values, y), other, values)


def _malformed(kind):
    X = sp.csr_matrix(np.eye(N)[:, :3] + 1)
    if kind == "indices far outside":
        X.indices[:] = 1_000_000_000
    elif kind == "negative indices":
        X.indices[:] = -7
    elif kind == "row pointers beyond the data":
        X.indptr[:] = np.arange(len(X.indptr)) * 1_000_000
    elif kind == "row pointers that fall":
        X.indptr[:] = X.indptr[::-1].copy()
    else:
        X.data = X.data[:2]
    return X


MALFORMED = [
    "indices far outside",
    "negative indices",
    "row pointers beyond the data",
    "row pointers that fall",
    "too little data",
]
SPARSE = {
    "csr": sp.csr_matrix,
    "csc": sp.csc_matrix,
    "coo": sp.coo_matrix,
    "dok": sp.dok_matrix,
    "lil": sp.lil_matrix,
    "bsr": sp.bsr_matrix,
    "csr array": sp.csr_array,
}


@every
@pytest.mark.parametrize("make", SPARSE.values(), ids=SPARSE)
def test_sparse_matrices_are_a_clear_error(listed, make):
    X = np.eye(N)[:, :3]
    estimator = listed.new()
    words = "Sparse data was passed for X.*dense.*(toarray|numpy array)"
    with refused(Raises(words, TypeError), estimator):
        estimator.fit(make(X), listed.target(CODES))
    fitted = listed.new().fit(X, listed.target(CODES))
    with refused(Raises(words, TypeError), fitted):
        fitted.predict(make(X))


@every
@pytest.mark.parametrize("kind", MALFORMED)
def test_a_malformed_sparse_matrix_never_crashes(listed, kind):
    estimator = listed.new()
    with refused(Raises("Sparse data was passed for X", TypeError), estimator):
        estimator.fit(_malformed(kind), listed.target(CODES))
    fitted = listed.new().fit(np.eye(N)[:, :3], listed.target(CODES))
    with refused(Raises("Sparse data was passed for X", TypeError), fitted):
        fitted.predict(_malformed(kind))


@every
def test_a_sparse_column_of_pandas_is_read(listed):
    dense = pd.DataFrame({"a": np.arange(N) % 3 * 1.0})
    sparse = pd.DataFrame({"a": pd.arrays.SparseArray(dense["a"])})
    y = listed.target(CODES)
    plain, other = listed.new().fit(dense, y), listed.new().fit(sparse, y)
    assert trees(plain) == trees(other)


@every
@table(
    {
        "columns": ("X", "outcome"),
        "complex": (np.ones((N, 1)) + 1j, Raises("[Cc]omplex data not supported")),
        "np.matrix": (np.matrix(np.ones((N, 1))), Raises("np.matrix is not supported", TypeError)),
        "a structured array": (
            np.zeros(N, dtype=[("a", float), ("b", float)]),
            Raises("structured array.*mapping"),
        ),
        "a lazy frame": (
            pl.LazyFrame({"a": range(N)}),
            Raises("lazy table .*collect", TypeError),
        ),
        "nested lists": (
            pl.DataFrame({"c": [[1, 2]] * N}),
            Raises("column 'c' holds nested values", TypeError),
        ),
        "a number beyond float64": (
            {"c": [10**400] * N},
            Raises("column 'c' holds a number that float64 cannot hold"),
        ),
        "a string": ("abc", Raises("Reshape your data|Expected 2D|string", Exception)),
    }
)
def test_other_inputs_are_a_clear_error(listed, X, outcome):
    estimator = listed.new()
    with refused(outcome, estimator):
        estimator.fit(X, listed.target(CODES))
