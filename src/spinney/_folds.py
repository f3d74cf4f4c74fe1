"""Which rows grow a tree and which judge it: folds and validation shares."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]


def by_stratum(rows: Rows, strata: NDArray[Any]) -> Rows:
    """Return rows ordered by stratum, in a stable way: dealing them out preserves class shares."""
    return rows[np.argsort(strata[rows], kind="stable")]


def _dealt(strata: NDArray[Any], used: Mask, random_state: Any) -> Rows:
    """Return the used rows, shuffled, then ordered by stratum."""
    from spinney import _libraries  # noqa: F401  (first: see there)
    from spinney._settings import random_numbers  # here: to divide rows needs no scikit-learn

    rows = random_numbers(random_state).permutation(np.flatnonzero(used))
    return by_stratum(rows, strata)


def make_folds(
    cv: Any,
    X: Any,
    strata: NDArray[Any],
    used: Mask,
    random_state: Any,
    groups: Any = None,
) -> list[tuple[Mask, Mask]]:
    """Return (training rows, held-out rows) for every fold.

    Parameters
    ----------
    cv : int, splitter or iterable
        A number of folds, an object with `split(X, y)`, or pairs of indices.
    X : array
        The table, for splitters.
    strata : array of shape (n_rows,)
        Classes to be divided evenly; one value for regression.
    used : array of bool
        Rows to be divided.
    random_state : int, RandomState or None
        For folds given by number.
    groups : array of shape (n_rows,), default=None
        For splitters that keep the rows of a group together.
    """
    if groups is not None and not hasattr(cv, "split"):
        raise ValueError(
            "groups is given, but cv is no splitter that uses it. Use cv=GroupKFold() of "
            "scikit-learn, or another one for groups."
        )
    if groups is None and _needs_groups(cv):
        raise ValueError(
            f"cv={type(cv).__name__}() needs the groups of the rows: fit(X, y, groups=...)."
        )
    if hasattr(cv, "split") and not isinstance(cv, str):
        pairs: Iterable[Any] = cv.split(X, strata, groups)
    elif isinstance(cv, Iterable) and not isinstance(cv, str):
        pairs = cv
    else:
        rows = _dealt(strata, used, random_state)
        fold_of = np.full(len(used), -1)
        n_parts = min(int(cv), max(len(rows), 1))
        fold_of[rows] = np.arange(len(rows)) % n_parts
        n_folds = n_parts if len(rows) > 1 else 0  # one row judges nothing
        return [(used & (fold_of != k), used & (fold_of == k)) for k in range(n_folds)]
    folds = []
    for pair in pairs:
        train, test = (_as_mask(part, len(used)) & used for part in pair)
        if not train.any() or not test.any():
            raise ValueError("cv gave a split without rows to train on, or to test on.")
        folds.append((train, test))
    if not folds:
        raise ValueError("cv gave no splits.")
    return folds


def _needs_groups(cv: Any) -> bool:
    """Return whether a splitter of scikit-learn keeps the rows of groups together."""
    if not hasattr(cv, "get_metadata_routing"):
        return False
    return cv.get_metadata_routing().split.requests.get("groups") is True


def _as_mask(rows: Any, n_rows: int) -> Mask:
    rows = np.asarray(rows)
    if rows.dtype == np.bool_ and rows.shape == (n_rows,):
        return np.array(rows, dtype=np.bool_)
    if len(rows) and (rows.min() < 0 or rows.max() >= n_rows):
        raise ValueError(f"cv gave a row index outside 0 to {n_rows - 1}.")
    mask = np.zeros(n_rows, dtype=bool)
    mask[rows.astype(np.intp)] = True
    return mask


def hold_out(fraction: float, strata: NDArray[Any], used: Mask, random_state: Any) -> Mask:
    """Return the rows set aside for validation: an even share of every stratum."""
    rows = _dealt(strata, used, random_state)
    n_out = min(max(1, round(float(fraction) * len(rows))), len(rows) - 1)  # none of a single row
    mask = np.zeros(len(used), dtype=bool)
    mask[thinned(rows, n_out)[0]] = True
    return mask


def thinned(rows: Rows, n_taken: int) -> tuple[Rows, Rows]:
    """Take a number of rows at even steps; return them and the others."""
    steps = np.arange(len(rows)) * n_taken
    taken = (steps + n_taken) // len(rows) > steps // len(rows)
    return rows[taken], rows[~taken]
