"""However an array lies in memory, and whatever its number type, its values decide."""

import numpy as np
import pandas as pd
import pytest
from contracts.estimators import every, most_leaves, same_model, trees

from spinney import CARTClassifier
from spinney._table import encode_table, encode_with
from spinney._target import check_numbers

N, D = 64, 3


@pytest.fixture
def grid(rng):
    """Return values that every float type holds exactly."""
    return rng.integers(-60, 60, size=(N, D)).astype(float) / 2


def _codes(X):
    return (X[:, 0] > 0).astype(int) + (X[:, 1] > 10)


def _strided(X):
    base = np.full((2 * len(X), 3 * X.shape[1]), np.nan)
    base[::2, ::3] = X
    return base[::2, ::3]


def _negative(X):
    return np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]


def _unaligned(X):
    raw = np.zeros(X.nbytes + 1, dtype=np.uint8)
    view = raw[1:].view(np.float64).reshape(X.shape)
    view[:] = X
    assert not view.flags.aligned
    return view


def _read_only(X):
    frozen = X.copy()
    frozen.flags.writeable = False
    return frozen


def _packed_record(X):
    """Return a column view whose rows are nine bytes apart."""
    record = np.zeros(len(X), dtype=[("flag", "u1"), ("row", "f8", X.shape[1])])
    record["row"] = X
    return record["row"]


class _Subclass(np.ndarray):
    """An array of a type of its own."""


KINDS = {
    "read-only": _read_only,
    "Fortran": np.asfortranarray,
    "strided": _strided,
    "negative strides": _negative,
    "unaligned": _unaligned,
    "rows of odd length": _packed_record,
    "a list of lists": lambda X: X.tolist(),
    "a tuple of rows": lambda X: tuple(map(tuple, X)),
    "a list of arrays": list,
    "a subclass": lambda X: X.view(_Subclass),
    "big-endian": lambda X: X.astype(">f8"),
    "big-endian float32": lambda X: X.astype(">f4"),
    "float16": lambda X: X.astype(np.float16),
    "float32": lambda X: X.astype(np.float32),
    "longdouble": lambda X: X.astype(np.longdouble),
    "objects": lambda X: X.astype(object),
    "pandas": lambda X: pd.DataFrame(X),
    "pandas big-endian": lambda X: pd.DataFrame(X.astype(">f4")),
    "pandas float32": lambda X: pd.DataFrame(X.astype(np.float32)),
    "transposed twice": lambda X: X.T.copy().T,
    "a memory view": lambda X: memoryview(np.ascontiguousarray(X)),
}


@every
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_layout_gives_the_bytes_of_c_order(listed, kind, grid):
    y = listed.target(_codes(grid))
    plain, other = listed.new().fit(grid, y), listed.new().fit(kind(grid), y)
    assert same_model(plain, other, grid)
    np.testing.assert_array_equal(other.predict(kind(grid)), plain.predict(grid))
    if hasattr(plain, "apply"):
        np.testing.assert_array_equal(plain.apply(kind(grid)), plain.apply(grid))


@every
def test_a_target_of_any_layout_gives_the_same_model(listed, grid):
    y = _codes(grid).astype(float) + 1.0
    plain, other = listed.new().fit(grid, y), listed.new().fit(grid, _unaligned(y))
    assert same_model(plain, other, grid)


@pytest.mark.parametrize("kind", [_unaligned, _packed_record], ids=["unaligned", "odd rows"])
def test_the_core_gets_whole_aligned_numbers(kind, grid):
    tree = CARTClassifier().fit(grid, _codes(grid)).tree_
    values, _ = encode_table(kind(grid))
    again = encode_with(tree.schema, kind(grid))
    for encoded in (values, again):
        assert encoded.flags.aligned
        assert not any(stride % 8 for stride in encoded.strides)
        np.testing.assert_array_equal(encoded, grid)
    assert check_numbers(_unaligned(grid[:, 0]), np.ones(N), "it").flags.aligned
    np.testing.assert_array_equal(tree.apply(kind(grid)), tree.apply(grid))


@every
def test_a_memory_mapped_file_gives_the_bytes_of_c_order(listed, grid, tmp_path):
    np.save(tmp_path / "X.npy", grid)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert isinstance(mapped, np.memmap)
    y = listed.target(_codes(grid))
    plain, other = listed.new().fit(grid, y), listed.new().fit(mapped, y)
    assert same_model(plain, other, mapped)
    assert mapped.tobytes() == grid.tobytes()


@every
@pytest.mark.parametrize("dtype", ["i1", "u1", ">i2", "i4", ">i8", "u8", bool, ">u4"])
def test_integers_and_booleans_are_numbers(listed, dtype, rng):
    X = rng.integers(0, 2 if dtype is bool else 100, size=(N, D)).astype(float)
    y = listed.target((X[:, 0] > X[:, 0].mean()).astype(int))
    plain, other = listed.new().fit(X, y), listed.new().fit(X.astype(dtype), y)
    assert same_model(plain, other, X)
    np.testing.assert_array_equal(other.predict(X.astype(dtype)), plain.predict(X))


@every
def test_a_column_repeated_by_stride_zero_is_a_constant(listed, grid):
    X = np.broadcast_to(grid[:1], grid.shape)
    assert 0 in X.strides
    codes = np.array([0, 1, 1, 1] * (N // 4))
    assert most_leaves(listed.new().fit(X, listed.target(codes))) == 1


@every
def test_values_beyond_float64_in_a_long_double_are_infinite(listed):
    if np.finfo(np.longdouble).max == np.finfo(float).max:
        pytest.skip("long double is double here")
    X = np.array([[1], [2], [3], [4]], dtype=np.longdouble)
    X[3] = np.longdouble(10) ** 400
    y = listed.target([0, 0, 0, 1])
    plain = listed.new().fit([[1.0], [2.0], [3.0], [np.inf]], y)
    assert trees(plain) == trees(listed.new().fit(X, y))


@every
@pytest.mark.parametrize("kind", ["strided", "negative strides", "read-only", "big-endian"])
def test_targets_and_weights_lie_in_memory_as_they_like(listed, kind, grid, rng):
    codes, weight = _codes(grid), rng.integers(1, 5, N).astype(float)
    y = listed.target(codes)
    plain = listed.new().fit(grid, y, sample_weight=weight)
    lay = {
        "strided": lambda a: np.repeat(a, 2)[::2],
        "negative strides": lambda a: a[::-1].copy()[::-1],
        "read-only": lambda a: _read_only(a),
        "big-endian": lambda a: a if a.dtype == object else a.astype(a.dtype.newbyteorder(">")),
    }[kind]
    other = listed.new().fit(grid, lay(y), sample_weight=lay(weight))
    assert same_model(plain, other, grid)
    if listed.is_classifier:
        numbered = listed.new().fit(grid, lay(codes), sample_weight=lay(weight))
        for one, other in zip(trees(numbered), trees(plain), strict=True):
            assert one.value.tobytes() == other.value.tobytes()
