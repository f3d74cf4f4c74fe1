"""Checks of hand-made rule sets: what the text says must be what the set does."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._table import Schema
from spinney.rules._conditions import Condition, Expression, Membership
from spinney.rules._rule import Rule
from spinney.tree._tokens import check_tokens

Floats = NDArray[np.float64]


def check_rules(rules: Iterable[Any], schema: Schema) -> tuple[Rule, ...]:
    """Return rules whose conditions ask about the columns and categories of a schema."""
    checked = tuple(rules)
    for place, rule in enumerate(checked):
        if not isinstance(rule, Rule):
            raise TypeError(f"rules must be Rule objects, got {rule!r} at place {place}.")
        for condition in rule.conditions:
            _check_condition(condition, schema, place)
    return checked


def _check_condition(condition: Condition, schema: Schema, place: int) -> None:
    if isinstance(condition, Expression):
        if condition.test.columns != schema.columns:
            raise ValueError(
                f"rule {place}, condition {condition}: its columns are not those of the schema."
            )
        check_tokens(condition.test.tokens, len(schema.columns))
        return
    where = f"rule {place}, condition on {condition.name!r}"
    if not 0 <= condition.feature < len(schema.columns):
        raise ValueError(
            f"{where}: there is no column {condition.feature}, the schema has "
            f"{len(schema.columns)}."
        )
    column = schema.columns[condition.feature]
    if condition.name != column.name:
        raise ValueError(
            f"{where}: column {condition.feature} is {column.name!r}, not {condition.name!r}."
        )
    categories = condition.vocabulary if isinstance(condition, Membership) else condition.categories
    if categories is not column.categories and tuple(categories) != column.categories:
        raise ValueError(
            f"{where}: the categories of {column.name!r} are {column.categories!r} in this order, "
            f"the condition has {tuple(categories)!r}."
        )
    if isinstance(condition, Membership):
        if any(not 0 <= code < len(column.categories) for code in condition.codes):
            raise ValueError(f"{where}: a code is not among the categories of {column.name!r}.")
    elif condition.low != condition.low or condition.high != condition.high:
        raise ValueError(f"{where}: a bound is NaN. Use infinity for no bound.")


def check_default_counts(counts: Any, n_classes: int) -> Floats | None:
    """Return class weights for rows that no rule covers."""
    if counts is None:
        return None
    array = np.asarray(counts, dtype=np.float64)
    if array.shape != (n_classes,) or not (np.isfinite(array) & (array >= 0)).all():
        raise ValueError(
            f"default_counts must be {n_classes} finite numbers >= 0, one for each class, "
            f"got {counts!r}."
        )
    return array


def check_cost_matrix(cost_matrix: Any, n_classes: int) -> Floats | None:
    """Return what mistakes cost, as an array."""
    if cost_matrix is None:
        return None
    array = np.asarray(cost_matrix, dtype=np.float64)
    if array.shape != (n_classes, n_classes):
        raise ValueError(
            f"cost_matrix must have the shape ({n_classes}, {n_classes}), got {array.shape}."
        )
    return array
