"""Constraints of growth: directions of predictions, interacting columns, tests given by hand."""

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._checks import is_integer
from spinney._format import did_you_mean
from spinney._table import Schema
from spinney._typing import Floats

Region = dict[int, Any]


def are_signs(given: Any) -> bool:
    """Return whether a value can be `monotonic_cst`: a mapping or a list, of -1, 0 and 1."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        return False
    signs = list(given.values()) if isinstance(given, Mapping) else list(given)
    keys = list(given) if isinstance(given, Mapping) else []
    return all(map(_is_column, keys)) and all(is_integer(s) and -1 <= s <= 1 for s in signs)


def are_groups(given: Any) -> bool:
    """Return whether a value can be `interaction_cst`: a list of lists of columns."""
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        return False
    groups = list(given)
    are_lists = all(
        isinstance(g, Iterable) and not isinstance(g, str | bytes | Mapping) for g in groups
    )
    return are_lists and all(list(g) and all(map(_is_column, g)) for g in groups)


def are_forced_tests(given: Any) -> bool:
    """Return whether a value can be `forced_tests`: paths with a text, a dict or None."""
    return isinstance(given, Mapping) and all(
        isinstance(path, str)
        and (
            test is None or isinstance(test, str) or (isinstance(test, Mapping) and "test" in test)
        )
        for path, test in given.items()
    )


def _is_column(value: Any) -> bool:
    return isinstance(value, str) or is_integer(value)


def _position(parameter: str, column: Any, schema: Schema) -> int:
    """Return where a column is that a parameter names."""
    n_columns = len(schema.columns)
    if isinstance(column, str):
        if column not in schema.names:
            raise ValueError(
                f"{parameter} names {column!r}, which is not a column of X."
                f"{did_you_mean(column, schema.names)}"
            )
        return schema.names.index(column)
    if not 0 <= column < n_columns:
        raise ValueError(
            f"{parameter} names column {column}, but X has {n_columns} columns: positions are in "
            f"[0, {n_columns - 1}]."
        )
    return int(column)


def monotone_signs(monotonic_cst: Any, schema: Schema) -> NDArray[np.int8]:
    """Return the sign of every column; none if there is no constraint.

    Parameters
    ----------
    monotonic_cst : mapping of columns to signs, array-like of signs, or None
        As a user gives it.
    schema : Schema
        The columns of the training table.

    Returns
    -------
    array of shape (n_columns,) or (0,)
    """
    signs = np.zeros(len(schema.columns), np.int8)
    if isinstance(monotonic_cst, Mapping):
        _set_signs(signs, monotonic_cst, schema)
    elif monotonic_cst is not None:
        given = list(monotonic_cst)
        if len(given) != len(signs):
            raise ValueError(
                f"monotonic_cst has {len(given)} entries, but X has {len(signs)} columns. Give one "
                "sign for each column, or a mapping such as {'income': 1}."
            )
        signs[:] = given
    for column, sign in zip(schema.columns, signs, strict=True):
        if sign and column.kind == "nominal":
            raise ValueError(
                f"monotonic_cst constrains {column.name!r}, a nominal column, whose categories "
                "have no order. Make it an ordered categorical, or leave it out."
            )
    return signs if signs.any() else signs[:0]


def _set_signs(signs: NDArray[np.int8], given: Mapping[Any, Any], schema: Schema) -> None:
    seen: dict[int, Any] = {}
    for column, sign in given.items():
        place = _position("monotonic_cst", column, schema)
        if seen.setdefault(place, sign) != sign:
            raise ValueError(
                f"monotonic_cst gives column {schema.names[place]!r} the signs {seen[place]} and "
                f"{sign}: it cannot have both."
            )
        signs[place] = sign


def interaction_groups(interaction_cst: Any, schema: Schema) -> list[NDArray[np.int32]]:
    """Return the groups of columns that may stand on one path; none if all may.

    Parameters
    ----------
    interaction_cst : "no_interactions", list of lists of columns, or None
        As a user gives it. Columns in none of the lists are one more group.
    schema : Schema
        The columns of the training table.

    Returns
    -------
    list of array
        Positions, ascending; every column is in at least one of them.
    """
    if interaction_cst is None:
        return []
    everyone = range(len(schema.columns))
    if isinstance(interaction_cst, str):
        return [np.array([j], np.int32) for j in everyone]
    groups = [{_position("interaction_cst", c, schema) for c in group} for group in interaction_cst]
    rest = set(everyone).difference(*groups)
    return [np.array(sorted(group), np.int32) for group in [*groups, rest] if group]


def constrain(
    params: _core.GrowParams, estimator: Any, schema: Schema, classes: NDArray[Any] | None
) -> None:
    """Put an estimator's constraints into the parameters of growth.

    Parameters
    ----------
    params : spinney._core.GrowParams
        Where they go.
    estimator : estimator
        Whose `monotonic_cst` and `interaction_cst` are read.
    schema : Schema
        The columns of the training table.
    classes : array or None
        The classes of the target, None for numbers.
    """
    signs = monotone_signs(estimator.monotonic_cst, schema)
    if signs.size and classes is not None and len(classes) > 2:
        raise ValueError(
            f"monotonic_cst needs two classes or a numeric target, but y has {len(classes)} "
            "classes. Leave it out, or predict one class against the others."
        )
    if classes is None or len(classes) == 2:
        params.set_monotone(signs)
    for group in interaction_groups(estimator.interaction_cst, schema):
        params.add_interaction(group)


def is_monotone(state: Mapping[str, Any], answer: Floats, signs: NDArray[np.int8]) -> bool:
    """Return whether the predictions of a tree keep the signs of its columns everywhere.

    Two rows that differ in one column part at a test of that column. Below it, every leaf on the
    left is compared with every leaf on the right that rows equal in all other columns can reach.

    Parameters
    ----------
    state : mapping
        The arrays of the tree.
    answer : array of shape (n_nodes,)
        The number that each node predicts, or the share of the second class.
    signs : array of shape (n_columns,)
        -1, 0 or 1.

    Returns
    -------
    bool
        For rows without missing values.
    """
    leaves = _leaves_below(state)
    regions: dict[int, Region] = {}
    for node in np.flatnonzero(state["first_child"] >= 0):
        column = int(state["feature"][node])
        sign = int(signs[column]) if column >= 0 and signs.size else 0
        if not sign or state["threshold"][node] == np.inf:  # one side has no values
            continue
        left, right = (leaves[state["first_child"][node] + b] for b in (0, 1))
        low, high = (left, right) if sign > 0 else (right, left)
        if answer[low].max() <= answer[high].min():
            continue
        regions = regions or _regions(state)
        for one, other in product(low, high):
            if answer[one] > answer[other] and _meet(regions[one], regions[other], column):
                return False
    return True


def _leaves_below(state: Mapping[str, Any]) -> list[NDArray[np.int64]]:
    """Return the leaves below every node."""
    lists: list[list[int]] = [[] for _ in state["parent"]]
    for node in range(len(lists) - 1, -1, -1):
        if state["first_child"][node] < 0:
            lists[node].append(node)
        if state["parent"][node] >= 0:
            lists[state["parent"][node]].extend(lists[node])
    return [np.array(leaves, np.int64) for leaves in lists]


def _regions(state: Mapping[str, Any]) -> dict[int, Region]:
    """Return what every node demands: of a column an interval (low, high], or a set of codes."""
    regions: dict[int, Region] = {0: {}}
    for node in range(1, len(state["parent"])):
        parent = int(state["parent"][node])
        branch, column = node - state["first_child"][parent], int(state["feature"][parent])
        region = dict(regions[parent])
        if column >= 0:
            demand = _demand(state, parent, int(branch))
            region[column] = _both(region[column], demand) if column in region else demand
        regions[node] = region
    return regions


def _demand(state: Mapping[str, Any], node: int, branch: int) -> Any:
    begin, end = state["code_begin"][node], state["code_begin"][node + 1]
    if end > begin:
        codes, branches = state["code"][begin:end], state["branch"][begin:end]
        return frozenset(codes[branches == branch].tolist())
    threshold = float(state["threshold"][node])
    return (-np.inf, threshold) if branch == 0 else (threshold, np.inf)


def _both(one: Any, other: Any) -> Any:
    if isinstance(one, frozenset):
        return one & other
    return (max(one[0], other[0]), min(one[1], other[1]))


def _meet(one: Region, other: Region, apart: int) -> bool:
    """Return whether rows that differ in one column only can be in both regions."""
    if any(_is_empty(demand) for region in (one, other) for demand in region.values()):
        return False
    for column in (one.keys() & other.keys()) - {apart}:
        common = _both(one[column], other[column])
        if not common or _is_empty(common):
            return False
    return True


def _is_empty(demand: Any) -> bool:
    """Return whether no number is in an interval: only missing values can be there."""
    return isinstance(demand, tuple) and demand[0] >= demand[1]
