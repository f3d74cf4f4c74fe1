"""Rows of fit reach the leaf that counted them, whatever the type and however close the numbers."""

import numpy as np
import pytest
from contracts.estimators import LISTED
from hypothesis import given
from hypothesis import strategies as st

COUNTS_ALL = [one for one in LISTED if one.is_tree and not one.holds_out]
FLOATS = ["float16", "float32", "float64", "longdouble", ">f4", ">f8"]
WHOLE = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", ">i8", "bool"]
N = 24


def neighbours(dtype, start, n):
    """Return numbers of a type, each right after the one before; the last ones may be infinite."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        step = 2**11 if dtype.itemsize == 8 else 1  # beyond 2**53 not every integer is a double
        first = min(max(int(start), info.min), info.max - n * step) // step * step
        return np.array([max(first, info.min) + k * step for k in range(n)], dtype=dtype)
    native = dtype.newbyteorder("=")
    if native.itemsize > 8:
        native = np.dtype(float)  # what is told apart is a double
    with np.errstate(over="ignore"):
        values = [native.type(start)]
        while len(values) < n:
            values.append(np.nextafter(values[-1], native.type(np.inf)))
    return np.array(values, dtype=native).astype(dtype)


def starts(dtype):
    """Return where a run of neighbours may begin."""
    if np.dtype(dtype).kind != "f":
        return st.integers(-(2**63), 2**63 - 1)
    width = {2: 16, 4: 32}.get(np.dtype(dtype).itemsize, 64)
    return st.floats(width=width, allow_nan=False) | st.sampled_from([0.0, 1.0, -1.0, -0.0])


@pytest.mark.filterwarnings(r"ignore:.*lose precision")
@pytest.mark.parametrize("dtype", [*FLOATS, *WHOLE])
@given(data=st.data())
def test_rows_of_fit_reach_the_leaf_that_counted_them(dtype, data):
    listed = data.draw(st.sampled_from(COUNTS_ALL))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    pools = [neighbours(dtype, data.draw(starts(dtype)), data.draw(st.integers(2, 9)))]
    pools.append(neighbours(dtype, data.draw(starts(dtype)), 3))
    X = np.column_stack([rng.choice(pool, N) for pool in pools])
    if X.dtype.kind == "f" and not listed.is_fractional and data.draw(st.booleans()):
        X[rng.random(X.shape) < 0.15] = np.nan
    codes = rng.integers(0, 3, N)
    y = listed.target(codes)
    fitted = listed.new().fit(X, y)
    tree, leaf = fitted.tree_, fitted.apply(X)
    reached = np.bincount(leaf, minlength=tree.n_nodes)
    counted = np.array([node.n_samples if node.is_leaf else 0 for node in tree])
    np.testing.assert_array_equal(reached, counted)
    if listed.is_classifier:
        labels = np.unique(y, return_inverse=True)[1]
        for node in set(leaf.tolist()):
            seen = np.bincount(labels[leaf == node], minlength=len(fitted.classes_))
            np.testing.assert_allclose(tree.value[node], seen)
