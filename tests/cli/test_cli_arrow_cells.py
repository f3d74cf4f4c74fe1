"""Cells are read from the memory of Arrow's arrays as its own methods give them."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._cli.data.arrow import dictionary_codes, floats_of

NUMBERS = st.lists(st.none() | st.floats(allow_nan=False), max_size=20)
TEXTS = st.lists(st.none() | st.sampled_from(["a", "b", "", "ä"]), max_size=20)
SLICES = st.tuples(st.integers(0, 20), st.integers(0, 20))


@given(st.lists(st.tuples(NUMBERS, SLICES), max_size=4))
def test_numbers_are_those_of_the_chunks(parts: list) -> None:
    chunks = [pa.array(cells, pa.float64()).slice(*cut) for cells, cut in parts]
    column = pa.chunked_array(chunks, pa.float64())
    found = floats_of(column)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, np.array(column.to_pylist(), dtype=np.float64))


@given(st.lists(st.tuples(TEXTS, SLICES), max_size=4), st.booleans())
def test_codes_lead_to_the_texts_of_the_chunks(parts: list, encoded: bool) -> None:
    column = pa.chunked_array(
        [pa.array(cells, pa.string()).slice(*cut) for cells, cut in parts], pa.string()
    )
    codes, texts = dictionary_codes(column.dictionary_encode() if encoded else column)
    assert [None if code < 0 else texts[code] for code in codes.tolist()] == column.to_pylist()
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("width", [pa.int8(), pa.uint8(), pa.int16(), pa.uint32(), pa.int64()])
@pytest.mark.parametrize("gap", [None, 0])
def test_indices_may_have_any_width(width: pa.DataType, gap: int | None) -> None:
    places = pa.array([1, gap, 2, 1], width)
    cells = pa.DictionaryArray.from_arrays(places, pa.array(["a", "b", "c"]))
    codes, texts = dictionary_codes(pa.chunked_array([cells.slice(1), cells.slice(0, 1)]))
    assert codes.dtype == np.int32
    found = [None if code < 0 else texts[code] for code in codes.tolist()]
    assert found == [None if gap is None else "a", "c", "b", "b"]


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 64, 65])
def test_gaps_lie_at_any_bit(size: int) -> None:
    cells = [None if k % 3 == 1 else float(k) for k in range(size)]
    found = floats_of(pa.chunked_array([pa.array([9.0, None, *cells]).slice(2)]))
    np.testing.assert_array_equal(found, np.array(cells, dtype=np.float64))
