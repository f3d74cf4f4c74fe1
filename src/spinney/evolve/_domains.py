"""Nominal columns that are declared to speak of the same things, and so can be compared."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._checks import is_integer
from spinney._table import Column, Schema

Floats = NDArray[np.float64]


def share_domains(values: Floats, schema: Schema, domains: Any) -> tuple[Floats, Schema]:
    """Give columns of one domain one vocabulary: all categories that any of them has.

    Parameters
    ----------
    values : array of shape (n_rows, n_features)
        The encoded table. It is copied if codes change.
    schema : Schema
        Its columns.
    domains : list of lists of str or int, or None
        Columns by name or position, a list for each domain.

    Returns
    -------
    values, schema
        With the new codes and vocabularies.
    """
    groups = _checked(domains, schema)
    if not groups:
        return values, schema
    values, columns = np.array(values, order="F"), list(schema.columns)
    for group in groups:
        vocabulary = _joined([columns[place] for place in group])
        for place in group:
            old = columns[place]
            columns[place] = replace(old, categories=vocabulary)
            codes = [columns[place].code_of(label) for label in old.categories]
            known = ~np.isnan(values[:, place])
            values[known, place] = np.array(codes, dtype=float)[values[known, place].astype(int)]
    return values, replace(schema, columns=tuple(columns))


def _joined(columns: list[Column]) -> tuple[Any, ...]:
    labels = {label for column in columns for label in column.categories}
    try:
        return tuple(sorted(labels))
    except TypeError:
        names = ", ".join(repr(column.name) for column in columns)
        raise ValueError(
            f"domains joins the columns {names}, whose categories are numbers in one and text in "
            "another. Make them all text, or all numbers."
        ) from None


def _checked(domains: Any, schema: Schema) -> list[list[int]]:
    if domains is None:
        return []
    if isinstance(domains, str) or not all(_is_list(group) for group in domains):
        raise ValueError(
            "domains must be a list of lists of columns, such as [['home', 'work']], got "
            f"{domains!r}."
        )
    groups = [[_place(one, schema) for one in group] for group in domains]
    places = [place for group in groups for place in group]
    for place in places:
        if places.count(place) > 1:
            raise ValueError(f"domains names the column {schema.names[place]!r} more than once.")
    return groups


def _is_list(group: Any) -> bool:
    return not isinstance(group, str) and hasattr(group, "__iter__")


def _place(one: Any, schema: Schema) -> int:
    if isinstance(one, str) and one in schema.names:
        place = schema.names.index(one)
    elif is_integer(one) and 0 <= int(one) < len(schema.columns):
        place = int(one)
    else:
        raise ValueError(
            f"domains holds {one!r}, which is no column. The columns are {list(schema.names)}."
        )
    column = schema.columns[place]
    if column.kind != "nominal":
        raise ValueError(
            f"domains holds {column.name!r}, which is {column.kind}: only nominal columns have a "
            "domain. Name it in categorical_features too, or leave it out."
        )
    return place
