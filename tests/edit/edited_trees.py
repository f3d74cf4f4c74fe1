"""What the tests of edited and forced trees share."""

import numpy as np


def same_tree(one, other) -> bool:
    """Tell whether two trees are the same to the last bit, but for the rounding of gains."""
    a, b = dict(one._state), dict(other._state)
    np.testing.assert_allclose(a.pop("gain"), b.pop("gain"), rtol=1e-9, atol=1e-9)
    assert a.keys() == b.keys()
    return all(np.array_equal(a[key], b[key], equal_nan=a[key].dtype.kind == "f")
               if isinstance(a[key], np.ndarray) else a[key] == b[key] for key in a)  # fmt: skip
