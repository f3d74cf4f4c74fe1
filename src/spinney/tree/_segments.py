"""Where a numeric column can be cut to advantage."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def segment_borders(x: ArrayLike, y: Any) -> NDArray[np.float64]:
    """Return the cut points between segments: the only ones that can be best.

    A segment is a run of neighbouring values with the same shares of the classes. For a strictly
    concave impurity (Gini, entropy, exponent) no cut inside a segment beats its borders.

    Parameters
    ----------
    x : array of shape (n_rows,)
        A numeric column; missing values are left out.
    y : array of shape (n_rows,)
        The classes.

    Returns
    -------
    array
        Cut points, ascending.

    Examples
    --------
    >>> from spinney.tree import segment_borders
    >>> segment_borders([8, 8, 12, 12, 14, 16, 16, 18, 20, 20], list("ABABAAAAAB")).tolist()
    [13.0, 19.0]
    """
    from spinney import _core

    values = np.require(x, np.float64, ["C", "ALIGNED"])
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    return _core.segment_borders(values, codes.astype(np.int32), len(classes))
