"""The columns of a hand-written tree, worked out from how its tests use them.

A column that is asked with `<=` is numeric, or ordered if its categories are listed; one that is
asked with `in`, or by itself, is nominal. In an expression a column that is compared with what is
neither a number nor a column is nominal, others are numeric. Categories that are not listed are
collected from the tests in the order in which they appear.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from spinney._expression.parse import Item, column_uses
from spinney._table import Schema
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
        """Take notice of a test: how it uses its column, and which categories it names."""
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
        """Take notice of an expression, unless what it says is listed."""
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
        """Tell whether the categories of a column were listed rather than collected."""
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
