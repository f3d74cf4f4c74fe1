"""Encoding of tables as one array of numbers and a schema.

A table is a NumPy array, a pandas, polars or Arrow table, or a mapping of column names to
one-dimensional arrays. `encode_table` turns it into a float64 array at fit time and returns the
`Schema`; `encode_with` repeats the encoding at prediction time.

Terminology:

column
    One feature. Its *kind* is numeric, ordered (categories with an order) or nominal (without).
label
    A category as it is in the user's table: a string, a number or a boolean.
vocabulary
    The labels of a column in the training table, in code order.
code
    The place of a label in the vocabulary, as a float. A missing cell is NaN.

::

    any table -> OpenTable (_open) -> Numbers or Codes (_readers) -> values (_encode)
"""

from spinney import _libraries  # noqa: F401  (first: see there)
from spinney._table._batches import BatchEncoder, EncodedTable, join_encoders, recode
from spinney._table._cells import CodedLabels
from spinney._table._encode import encode_for, encode_table, encode_with
from spinney._table._names import check_columns, feature_names
from spinney._table._schema import Column, Kind, Label, Schema

__all__ = [
    "BatchEncoder",
    "CodedLabels",
    "Column",
    "EncodedTable",
    "Kind",
    "Label",
    "Schema",
    "check_columns",
    "encode_for",
    "encode_table",
    "encode_with",
    "feature_names",
    "join_encoders",
    "recode",
]
