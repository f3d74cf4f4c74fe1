"""Names of columns: those of a table, those that fit saw, and those that the user lists.

The wording of these errors and warnings is scikit-learn's, for every kind of table: users and the
estimator checks expect. scikit-learn's own function sees the names of some table libraries only,
and which ones depends on its version.
"""

import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from spinney._checks import is_integer
from spinney._table._cells import as_objects
from spinney._table._schema import Schema

if TYPE_CHECKING:
    from spinney._table._open import OpenTable

_MOST_NAMES_SHOWN = 5


def feature_names(X: Any) -> NDArray[Any] | None:
    """Return the column names of a table.

    Parameters
    ----------
    X : table
        Any table that `encode_table` takes.

    Returns
    -------
    ndarray of object, or None
        None if the table has no names, or none that are strings.
    """
    names = column_names(unwrap(X))
    return None if names is None else string_names(names)


def check_columns(schema: Schema, X: Any, *, estimator_name: str) -> None:
    """Check that a table has the columns of the schema, in the same order.

    Parameters
    ----------
    schema : Schema
        What `encode_table` returned in fit.
    X : table
        A table of at least two dimensions.
    estimator_name : str
        The class of the estimator, for the messages.
    """
    X = unwrap(X)
    names = column_names(X)
    check_names(schema, None if names is None else string_names(names), estimator_name)
    if names is not None:
        check_count(schema, len(names), estimator_name)
    elif len(np.shape(X)) == 2:
        check_count(schema, np.shape(X)[1], estimator_name)


def unwrap(X: Any) -> Any:
    """Return the table of its own library behind X; an Arrow record batch becomes a table."""
    X = nw.to_native(X, pass_through=True)
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is not None and isinstance(X, pyarrow.RecordBatch):
        return pyarrow.Table.from_batches([X])
    return X


def column_names(X: Any) -> list[Any] | None:
    """Return the names of an unwrapped table as they are, or None for an array."""
    if isinstance(X, np.ndarray) or issparse(X):  # some sparse matrices are mappings
        return None
    if isinstance(X, Mapping):
        return list(X)
    if nw.dependencies.is_pandas_dataframe(X):  # narwhals refuses duplicates; we name them
        return list(X.columns)
    if nw.dependencies.is_pyarrow_table(X):
        return list(X.column_names)
    if nw.dependencies.is_into_dataframe(X):
        return list(nw.from_native(X, eager_only=True).columns)
    return None


def string_names(names: list[Any]) -> NDArray[Any] | None:
    """Return the names if all are strings, None if none is; a mixture is an error."""
    types = sorted({type(name).__qualname__ for name in names})
    if "str" not in types:
        return None
    if len(types) > 1:
        raise TypeError(
            "Feature names are only supported if all input features have string names, "
            f"but your input has {types} as feature name / column name types. "
            "If you want feature names to be stored and validated, you must convert "
            "them all to strings, by using X.columns = X.columns.astype(str) for "
            "example. Otherwise you can remove feature / column names from your input "
            "data, or convert them all to a non-string data type."
        )
    return as_objects(names)


def check_count(schema: Schema, n_columns: int, estimator_name: str) -> None:
    """Check the number of columns against the schema."""
    if n_columns != len(schema.columns):
        raise ValueError(
            f"X has {n_columns} features, but {estimator_name} is expecting "
            f"{len(schema.columns)} features as input."
        )


def check_names(schema: Schema, names: NDArray[Any] | None, estimator_name: str) -> None:
    """Check the names of the columns against the schema; warn if one side has none."""
    if names is None and schema.has_names:
        _warn(
            f"X does not have valid feature names, but {estimator_name} was fitted with feature "
            "names"
        )
    if names is not None and not schema.has_names:
        _warn(f"X has feature names, but {estimator_name} was fitted without feature names")
    if names is None or not schema.has_names or schema.names == tuple(names):
        return
    unexpected = sorted(set(names) - set(schema.names))
    missing = sorted(set(schema.names) - set(names))
    message = "The feature names should match those that were passed during fit.\n"
    if unexpected:
        message += "Feature names unseen at fit time:\n" + _bullets(unexpected)
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n" + _bullets(missing)
    if not missing and not unexpected:
        message += "Feature names must be in the same order as they were in fit.\n"
    raise ValueError(message)


def _bullets(names: list[str]) -> str:
    shown: Iterable[str] = names
    if len(names) > _MOST_NAMES_SHOWN:
        shown = [*names[:_MOST_NAMES_SHOWN], "..."]
    return "".join(f"- {name}\n" for name in shown)


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=4)


def nominal_mask(categorical_features: Any, table: "OpenTable") -> NDArray[np.bool_]:
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


def _position_of(name: str, table: "OpenTable") -> int:
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
