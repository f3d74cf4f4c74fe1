"""One row, in whatever form it comes, to the numbers that rules ask about."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from spinney._table import Schema, encode_for
from spinney.tree._words import category_text, join_words, number_text


def encode_row(
    schema: Schema, row: Any, unseen: Literal["missing", "error"] = "missing"
) -> NDArray[np.float64]:
    """Return a row as encoded values, of shape (n_features,).

    Parameters
    ----------
    schema : Schema
        The columns.
    row : mapping, pandas Series, table with one row, or 1-D array
        A mapping and a Series go by the names of the columns.
    unseen : {"missing", "error"}
        What to do with categories that the schema does not know.
    """
    values = encode_for("the rule set", schema, _as_table(schema, row), unseen=unseen)
    if len(values) != 1:
        raise ValueError(f"row must be a single row, got a table of {len(values)} rows.")
    return np.array(values[0], dtype=np.float64)


def _as_table(schema: Schema, row: Any) -> Any:
    is_series = hasattr(row, "to_dict") and getattr(row, "ndim", 0) == 1
    if is_series:
        row = row.to_dict() if schema.has_names else np.asarray(row, dtype=object)
    if isinstance(row, Mapping):
        return _from_mapping(schema, row)
    if isinstance(row, list | tuple) and not any(isinstance(v, list | tuple) for v in row):
        row = np.array(row, dtype=object)
    if isinstance(row, np.ndarray) and row.ndim == 1:
        return row.reshape(1, -1)
    return row


def _from_mapping(schema: Schema, row: Mapping[Any, Any]) -> dict[str, NDArray[Any]]:
    lacking = [name for name in schema.names if name not in row]
    strange = [name for name in row if name not in schema.names]
    if lacking or strange:
        problem = f"lacks {join_words(lacking)}" if lacking else f"holds {join_words(strange)}"
        raise ValueError(
            f"row {problem}, but the columns are {join_words(schema.names)}. Give every column by "
            "its name; None stands for a missing value."
        )
    table = {}
    for name in schema.names:
        value = row[name]
        if np.ndim(value) and np.size(value) != 1:
            raise ValueError(f"row holds {np.size(value)} values of {name!r}. Give one row.")
        cell = np.empty(1, dtype=object)
        cell[0] = value if np.ndim(value) == 0 else np.asarray(value, dtype=object).ravel()[0]
        table[name] = cell
    return table


def raw_value(schema: Schema, feature: int, value: float) -> Any:
    """Return an encoded value as a table holds it: a number, a category, or None if missing."""
    if value != value:
        return None
    categories = schema.columns[feature].categories
    return categories[int(value)] if categories else value


def value_text(schema: Schema, feature: int, value: float) -> str:
    """Return an encoded value as text."""
    raw = raw_value(schema, feature, value)
    if raw is None:
        return "missing" if not schema.columns[feature].categories else "missing or unknown"
    return category_text(raw) if schema.columns[feature].categories else number_text(raw)
