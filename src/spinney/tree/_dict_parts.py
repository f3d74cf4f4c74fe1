"""Parts of a tree in a dict: its columns, and the numbers of its nodes.

The columns of a hand-written tree are worked out from how its tests use them. A column that is
tested with `<=` is numeric, or ordered if its categories are listed; one that is tested with `in`,
or by itself, is nominal. In an expression a column that is compared with what is neither a number
nor a column is nominal, others are numeric. Categories that are not listed are collected from the
tests in the order in which they appear.

The numbers of a node are read from its entry, or worked out from its class weights.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spinney._expression.parse import Item, column_uses
from spinney._table import Schema
from spinney._typing import Floats
from spinney.tree._parse import branch_lists, categories_in, column_places, read_text


class Columns:
    """What is known about the columns, one test after the other.

    Parameters
    ----------
    data : mapping
        The dict of the tree: 'features', and if given 'kinds', 'categories' and 'has_names'.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        names = data["features"]
        if not _is_list(names) or not all(isinstance(name, str) for name in names):
            raise ValueError(f"'features' must be a list of names, got {names!r}.")
        self.names: Sequence[str] = names
        self.places = column_places(names)
        self._data = data
        self._given = _listed_categories(data, names)
        self._tested_as: list[set[str]] = [set() for _ in names]
        self._found: list[dict[Any, None]] = [{} for _ in names]

    def note(self, entry: Mapping[str, Any]) -> None:
        """Record a test: how it uses its column, and which categories it names."""
        reading = read_text(entry, self.places, self._given)
        if reading.kind == "expression":
            self._note_expression(reading.items)
            return
        is_order = reading.kind == "threshold" or "cuts" in entry
        self._use(reading.feature, "threshold" if is_order else "categories")
        if "branches" in entry:
            named = [label for labels in branch_lists(entry["branches"]) for label in labels]
        else:
            named = categories_in(reading.operand) if reading.kind == "subset" else []
        self._found[reading.feature].update(dict.fromkeys(named))

    def _note_expression(self, items: Sequence[Item]) -> None:
        """Record an expression, unless what it uses is listed."""
        for name, op, literal in () if "kinds" in self._data else column_uses(items, self.places):
            feature, listed = self.places[name], name in self._given
            if listed:
                self._use(feature, "threshold" if op == "greater" else None)
            elif literal is not None and literal.op in ("word", "text"):
                if op == "greater":
                    raise ValueError(
                        f"list the categories of {name!r} in their order under 'categories'."
                    )
                self._use(feature, "categories")
                self._found[feature].setdefault(literal.text)
            else:
                self._use(feature, "threshold" if op != "equal" else None)

    def _use(self, feature: int, how: str | None) -> None:
        used = self._tested_as[feature]
        used.update([] if how is None else [how])
        if len(used) > 1:
            name = self.names[feature]
            raise ValueError(f"{name!r} is used both with '<=' and as a set of categories.")

    def schema(self) -> Schema:
        """Return the columns."""
        kinds = self._data.get("kinds")
        if kinds is None:
            kinds = [self._kind(feature) for feature in range(len(self.names))]
        elif not _is_list(kinds) or len(kinds) != len(self.names):
            raise ValueError("'kinds' must have an entry for each of 'features'.")
        columns = [
            {
                "name": name,
                "kind": kind,
                "categories": [] if kind == "numeric" else self._categories(feature),
            }
            for feature, (name, kind) in enumerate(zip(self.names, kinds, strict=True))
        ]
        has_names = self._data.get("has_names", True)
        return Schema.from_state({"columns": columns, "has_names": has_names})

    def vocabulary_is_listed(self, feature: int) -> bool:
        """Return whether the categories of a column were listed rather than collected."""
        return self.names[feature] in self._given

    def _kind(self, feature: int) -> str:
        listed = self.vocabulary_is_listed(feature)
        if "threshold" in self._tested_as[feature]:
            return "ordered" if listed else "numeric"
        return "nominal" if listed or self._tested_as[feature] else "numeric"

    def _categories(self, feature: int) -> list[Any]:
        given = self._given.get(self.names[feature])
        labels = list(self._found[feature]) if given is None else list(given)
        if len({isinstance(label, str) for label in labels}) > 1:  # a schema does not mix them
            labels = list(dict.fromkeys(map(str, labels)))
        return labels


def _listed_categories(
    data: Mapping[str, Any], names: Sequence[str]
) -> Mapping[str, Sequence[Any]]:
    given = data.get("categories")
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(_is_list(listed) for listed in given.values()):
        raise ValueError("'categories' must be a dict from features to lists of categories.")
    for name in given:
        if name not in names:
            raise ValueError(f"'categories' lists {name!r}, which is not among 'features'.")
    return given


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


@dataclass
class NodeNumbers:
    """What the core keeps for each node. `cost` is that of all its rows when it is a leaf."""

    value: Floats
    n_samples: int
    weight: float
    impurity: float
    cost: float


def node_numbers(
    entry: Mapping[str, Any], n_classes: int | None, cost_matrix: Floats | None
) -> NodeNumbers:
    """Return the numbers of a node; those that the entry lacks follow from the others.

    Parameters
    ----------
    entry : mapping
        With 'counts' for classes, with 'value', 'n_samples' and 'impurity' for regression.
    n_classes : int or None
        The number of classes, None for regression.
    cost_matrix : array or None
        What each label costs for rows of each class; None: 1 for every mistake.
    """
    if n_classes is None:
        value = np.array([_number(entry, "value")])
        n_samples = _number(entry, "n_samples")
        weight = _number(entry, "weight") if "weight" in entry else n_samples
        impurity = _number(entry, "impurity")
        cost = weight * impurity
    else:
        value = _counts(entry, n_classes)
        total = float(value.sum())
        weight = _number(entry, "weight") if "weight" in entry else total
        n_samples = _number(entry, "n_samples") if "n_samples" in entry else round(total)
        impurity = _number(entry, "impurity") if "impurity" in entry else gini(value)
        cost = least_cost(value, cost_matrix) if weight > 0 else 0.0
    if "cost" in entry:
        cost = _number(entry, "cost")
    if weight < 0 or n_samples < 0:
        raise ValueError("'weight' and 'n_samples' must not be negative.")
    return NodeNumbers(value, round(n_samples), weight, impurity, cost)


def gini(counts: Floats) -> float:
    """Return the Gini impurity of class weights; 0 if there are none."""
    total = counts.sum()
    if total <= 0:
        return 0.0
    shares = counts / total
    return 1.0 - float((shares * shares).sum())


def least_cost(counts: Floats, cost_matrix: Floats | None) -> float:
    """Return what the cheapest label costs for rows with the given class weights."""
    by_label = counts.sum() - counts if cost_matrix is None else counts @ cost_matrix
    return float(by_label.min())


def _counts(entry: Mapping[str, Any], n_classes: int) -> Floats:
    given = entry.get("counts")
    if not isinstance(given, Sequence | np.ndarray) or len(given) != n_classes:
        raise ValueError(f"'counts' must be a list of {n_classes} numbers, got {given!r}.")
    counts = np.array([float(count) for count in given])
    if not (np.isfinite(counts).all() and (counts >= 0).all()):
        raise ValueError(f"'counts' must be finite and not negative, got {given!r}.")
    return counts


def _number(entry: Mapping[str, Any], key: str) -> float:
    if key not in entry:
        raise ValueError(f"it needs {key!r}.")
    try:
        number = float(entry[key])
    except (TypeError, ValueError):
        raise ValueError(f"{key!r} must be a number, got {entry[key]!r}.") from None
    if math.isnan(number):
        raise ValueError(f"{key!r} must be a number, got {entry[key]!r}.")
    return number
