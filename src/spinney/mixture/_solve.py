"""Linear equations of a matrix that is symmetric and at worst a little singular."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

__all__ = ["solved"]

Floats = NDArray[np.float64]
_DAMPING = 1e-12  # of each diagonal entry, more if that is not enough


def solved(matrix: Floats, right: Floats) -> Floats:
    """Solve the equations of a positive semidefinite matrix.

    The matrix is scaled to a diagonal of ones and damped a little: columns may repeat each other,
    or hold no weight, and ridges may differ by many powers of ten.

    Parameters
    ----------
    matrix : array of shape (n, n)
        Its diagonal holds no negative numbers.
    right : array of shape (n,)
        The right-hand side.

    Returns
    -------
    array of shape (n,)
    """
    size = np.sqrt(np.diag(matrix))
    size = np.where(size > 0.0, size, 1.0)
    scaled = matrix / size / size[:, np.newaxis]
    damping = _DAMPING
    while True:
        damped = scaled.copy()
        damped[np.diag_indices(len(damped))] += damping
        try:
            factor = cho_factor(damped, check_finite=False, overwrite_a=True)
        except LinAlgError:  # rounding made it indefinite
            damping *= 1e3
            continue
        return np.asarray(cho_solve(factor, right / size, check_finite=False) / size)
