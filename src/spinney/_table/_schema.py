"""What the columns of an encoded table mean.

Takes nothing from the user's table but names and labels, so a schema can be compared, stored in a
model file and read back without any table library.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeAlias, get_args

from spinney._state import plain_state

Kind: TypeAlias = Literal["numeric", "ordered", "nominal"]
Label: TypeAlias = str | int | float | bool


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    name : str
        The name in the table, or "x0", "x1" and so on when the table has no names.
    kind : {"numeric", "ordered", "nominal"}
        How the values are to be read.
    categories : tuple of str, int, float or bool, default=()
        The vocabulary in code order; empty for a numeric column.
    """

    name: str
    kind: Kind
    categories: tuple[Label, ...] = ()

    def code_of(self, label: Label) -> int | None:
        """Return the code of a label, or None if the vocabulary does not hold it.

        Labels are matched by value: 2, 2.0 and the text "2" are the same category, and so are True
        and the text "true", so that it does not matter how a library chose to store the column
        this time.
        """
        code = self._codes.get(label)
        if code is None and self.categories:
            vocabulary_is_text = isinstance(self.categories[0], str)
            if vocabulary_is_text != isinstance(label, str):
                others = _as_texts(label) if vocabulary_is_text else [_as_number(str(label))]
                codes = (self._codes.get(other) for other in others if other is not None)
                code = next((code for code in codes if code is not None), None)
        return code

    @cached_property
    def _codes(self) -> dict[Label, int]:
        return {label: code for code, label in enumerate(self.categories)}

    def __getstate__(self) -> dict[str, Any]:
        # The cached index is not part of the value: a pickle is the same before and after predict.
        return {"name": self.name, "kind": self.kind, "categories": self.categories}


@plain_state
@dataclass(frozen=True)
class Schema:
    """The columns of a table, in order.

    Parameters
    ----------
    columns : tuple of Column
        One entry for each column.
    has_names : bool
        Whether the names came with the table.
    """

    columns: tuple[Column, ...]
    has_names: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def all_numeric(self) -> bool:
        """Whether every column is numeric."""
        return all(column.kind == "numeric" for column in self.columns)

    def to_state(self) -> dict[str, Any]:
        """Return the schema as a dict of lists, strings, numbers and booleans."""
        columns = [
            {"name": column.name, "kind": column.kind, "categories": list(column.categories)}
            for column in self.columns
        ]
        return {"columns": columns, "has_names": self.has_names}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Schema":
        """Build the schema that `to_state` wrote, and refuse anything it cannot have written."""
        columns = _entry(state, "columns", list, "the schema")
        has_names = _entry(state, "has_names", bool, "the schema")
        schema = cls(tuple(_column_from_state(j, c) for j, c in enumerate(columns)), has_names)
        if len(set(schema.names)) != len(schema.names):
            raise ValueError("the schema is not valid: two columns have the same name.")
        return schema


def numeric_schema(n_columns: int) -> Schema:
    """Return the schema of an array of numbers, whose columns have no names."""
    # Schemas are immutable, so small ones are shared: making one costs a microsecond per column.
    return _shared_schema(n_columns) if n_columns <= 256 else _new_schema(n_columns)


def _new_schema(n_columns: int) -> Schema:
    columns = tuple(Column(f"x{j}", "numeric") for j in range(n_columns))
    return Schema(columns, has_names=False)


_shared_schema = lru_cache(maxsize=64)(_new_schema)


def _as_text(label: Label) -> str:
    """Write a label as the text that a table of strings would hold for it."""
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return str(label)


def _as_texts(label: Label) -> list[str]:
    """Write a label as the texts that a table of strings may hold for it."""
    text = _as_text(label)
    return [text, text.lower(), text.upper()] if isinstance(label, bool) else [text]


def _as_number(text: str) -> Label | None:
    """Read text as a number or a boolean; None if it is neither."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if "_" in text:  # Python reads "1_0" as ten; a table does not
        return None
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return None


def _column_from_state(position: int, state: Any) -> Column:
    where = f"column {position} of the schema"
    name = _entry(state, "name", str, where)
    kind = _entry(state, "kind", str, where)
    categories = _entry(state, "categories", list, where)
    if kind not in get_args(Kind):
        raise ValueError(f"{where} is not valid: the kind must be one of {get_args(Kind)}.")
    if kind == "numeric" and categories:
        raise ValueError(f"{where} is not valid: a numeric column has no categories.")
    texts = sum(isinstance(label, str) for label in categories)
    if texts not in (0, len(categories)) or not all(map(_is_label, categories)):
        raise ValueError(f"{where} is not valid: categories must be all text or all numbers.")
    if len(set(categories)) != len(categories):
        raise ValueError(f"{where} is not valid: a category is listed twice.")
    return Column(name, kind, tuple(categories))


def _entry(state: Any, key: str, wanted: type, where: str) -> Any:
    if not isinstance(state, Mapping) or not isinstance(state.get(key), wanted):
        raise ValueError(f"{where} is not valid: {key!r} must be given as {wanted.__name__}.")
    return state[key]


def _is_label(label: object) -> bool:
    # type() rather than isinstance(): nothing else can come out of a file; NaN is no category.
    return type(label) in (str, int, float, bool) and label == label
