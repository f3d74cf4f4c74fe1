"""Any table to one array of numbers and a schema.

A table is a NumPy array, a pandas, polars or Arrow table, or a mapping of column names to
one-dimensional arrays. `encode_table` turns it into a float64 array at fit time and returns the
`Schema` that says what the numbers mean; `encode_with` repeats the encoding at predict time.

The words used here:

column
    One feature. Its *kind* is numeric, ordered (categories with an order) or nominal (without).
label
    What the user's table holds for a category: a string, a number or a boolean.
vocabulary
    The labels of a column that fit knows, in code order.
code
    The place of a label in the vocabulary, as a float. A missing cell is NaN.

::

    any table -> Table (_open) -> Numbers or Codes, by column (_arrays, _series) -> values (_encode)
"""

from spinney import _libraries  # noqa: F401  (first: see there)
from spinney._table._coded import CodedLabels
from spinney._table._encode import encode_for, encode_table, encode_with
from spinney._table._names import check_columns, feature_names
from spinney._table._schema import Column, Kind, Label, Schema

__all__ = [
    "CodedLabels",
    "Column",
    "Kind",
    "Label",
    "Schema",
    "check_columns",
    "encode_for",
    "encode_table",
    "encode_with",
    "feature_names",
]
