"""Which columns the parameter `categorical_features` names."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._checks import is_integer
from spinney._table._open import OpenTable


def nominal_mask(categorical_features: Any, table: OpenTable) -> NDArray[np.bool_]:
    """Return a mask of the columns that are nominal whatever their type.

    Parameters
    ----------
    categorical_features : "from_dtype", None, or array-like of str, int or bool
        Names, positions or a mask of columns. "from_dtype" and None name no column.
    table : Table
        The table of fit.

    Returns
    -------
    ndarray of bool, of shape (n_columns,)
        True for the columns that are named.
    """
    wanted = named_columns(categorical_features)
    n_columns = table.shape[1]
    if not wanted:
        return np.zeros(n_columns, dtype=bool)
    if isinstance(wanted[0], bool | np.bool_):
        return _from_mask(wanted, n_columns)
    if isinstance(wanted[0], str):
        return _from_positions([_position_of(name, table) for name in wanted], n_columns)
    return _from_positions(wanted, n_columns)


def named_columns(categorical_features: Any) -> list[Any]:
    """Return the names, positions or booleans that there are, all of one type.

    Parameters
    ----------
    categorical_features : "from_dtype", None, or array-like of str, int or bool
        What the user gave, before any table is there.

    Returns
    -------
    list
        Empty for "from_dtype" and None.
    """
    given = categorical_features
    if given is None or (isinstance(given, str) and given == "from_dtype"):
        return []
    is_list = isinstance(given, Iterable) and not isinstance(given, str | bytes | Iterator)
    if not is_list or getattr(given, "ndim", 1) == 0:
        raise ValueError(
            "categorical_features must be 'from_dtype', None or a list of names, positions or "
            f"booleans, got {given!r}. For one column write categorical_features=[{given!r}]."
        )
    wanted = list(given)
    are_flags = all(isinstance(item, bool | np.bool_) for item in wanted)
    if are_flags or all(isinstance(item, str) for item in wanted) or all(map(is_integer, wanted)):
        return wanted
    types = sorted({type(item).__name__ for item in wanted})
    raise ValueError(
        "categorical_features must be an array-like of bool, int or str, all of one type, got: "
        f"{', '.join(types)}."
    )


def _from_mask(wanted: list[Any], n_columns: int) -> NDArray[np.bool_]:
    if len(wanted) != n_columns:
        raise ValueError(
            "categorical_features set as a boolean mask must have one entry for each of the "
            f"{n_columns} columns, got {len(wanted)}."
        )
    return np.array(wanted, dtype=bool)


def _from_positions(wanted: list[Any], n_columns: int) -> NDArray[np.bool_]:
    mask = np.zeros(n_columns, dtype=bool)
    for position in wanted:
        if not 0 <= position < n_columns:
            raise ValueError(
                f"categorical_features set as integer positions must be in [0, {n_columns - 1}], "
                f"got {position}."
            )
        mask[position] = True
    return mask


def _position_of(name: str, table: OpenTable) -> int:
    if table.given_names is None:
        raise ValueError(
            f"categorical_features holds the name {name!r}, but X has no column names. Pass "
            "positions or a boolean mask."
        )
    names = list(table.given_names)
    if name not in names:
        raise ValueError(
            f"categorical_features holds {name!r}, which is not a column of X. The columns are "
            f"{names}."
        )
    return names.index(name)
