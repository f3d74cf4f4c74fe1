"""Labels of a target: integers of a small span are counted, with the outcome of sorting them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from spinney._target import CodedClasses

INTEGERS = [np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64]


def assert_as_sorted(y):
    coded = CodedClasses.of(y)
    labels, codes = np.unique(y, return_inverse=True)
    assert coded.labels.dtype == labels.dtype
    np.testing.assert_array_equal(coded.labels, labels)
    np.testing.assert_array_equal(coded.codes, codes)


@given(st.sampled_from(INTEGERS).flatmap(lambda kind: arrays.arrays(kind, st.integers(0, 30))))
def test_integers_are_coded_as_by_sorting(y):
    assert_as_sorted(y)


@given(st.sampled_from([0, -7, 2**31, -(2**62), 2**62, -(2**63), 2**63 - 9]), st.data())
def test_a_small_span_anywhere_is_coded_as_by_sorting(low, data):
    offsets = data.draw(st.lists(st.integers(0, 8), min_size=1, max_size=20))
    assert_as_sorted(np.array([low + offset for offset in offsets], dtype=np.int64))


def test_booleans_and_text_are_coded_as_by_sorting():
    assert_as_sorted(np.array([True, False, True]))
    assert_as_sorted(np.array(["good", "bad", "good"]))
