"""What goes around a query: the comment at its head, and the statement that keeps it."""

from collections.abc import Sequence
from typing import Any

from spinney import __version__
from spinney._table import Column
from spinney.export._ensemble_model import EnsembleModel
from spinney.export._literals import comment_text
from spinney.export._model import RuleModel, TreeModel
from spinney.export._sql_dialects import Dialect
from spinney.export._sql_syntax import holds_text

_MOST_COLUMNS = 100  # arguments that a function of PostgreSQL takes
Model = TreeModel | RuleModel | EnsembleModel


def head(model: Model, source: Any, dialect: Dialect, strict: bool, nan: bool) -> str:
    """Return comment lines: which model it is, which columns it needs, and what is checked."""
    name = type(source).__name__
    lines = [f"{name}: {_what(model)}, as {dialect.title} by spinney {__version__}."]
    if model.classes is not None:
        lines.append(f"Classes: {_listed(map(str, model.classes))}.")
    else:
        lines.append("It predicts a number.")
    lines.append("Columns that it reads:")
    for feature in model.features:
        column = model.schema.columns[feature]
        lines.append(f"  {column.name}: {_needs(column, dialect)}")
    gaps = "NULL and NaN are" if nan else "NULL is"
    lines.append(f"{gaps} missing, and so is a category that is not listed by the model.")
    lines += _cautions(model, dialect, strict, nan)
    return "".join(f"-- {comment_text(line)}\n" for line in lines)


def _what(model: Model) -> str:
    if isinstance(model, EnsembleModel):
        return f"{len(model.members)} trees"
    if isinstance(model, RuleModel):
        return f"{len(model.entries) - 1} rules"
    return f"a tree of {sum(node.is_leaf for node in model.nodes)} leaves"


def _listed(words: Any) -> str:
    listed = list(words)
    return ", ".join(listed[:20]) + (f" and {len(listed) - 20} more" if len(listed) > 20 else "")


def _needs(column: Column, dialect: Dialect) -> str:
    if column.kind == "numeric":
        return f"a number ({dialect.real})"
    listed = _listed(map(str, column.categories))
    return f"{column_type(column, dialect)}, one of: {listed}"


def column_type(column: Column, dialect: Dialect) -> str:
    """Return the type of a column."""
    if holds_text(column):
        return dialect.text
    if column.categories and isinstance(column.categories[0], bool):
        return "BOOLEAN"
    return dialect.real


def _cautions(model: Model, dialect: Dialect, strict: bool, nan: bool) -> list[str]:
    lines = []
    if not strict:
        lines.append("Types are not checked: a column of another type may give wrong answers.")
        lines.append("A blank in a column of numbers is not taken for a missing value.")
    elif dialect.name in ("sqlite", "mysql", "sqlserver", "spark", "oracle"):
        lines.append(
            "What is not a number in a column of numbers ends the query; a blank is missing."
        )
    else:
        lines.append("In a column of numbers any other text, also a blank, ends the query.")
    if dialect.has_nan and not nan:
        lines.append("NaN in a column of numbers counts as a very large number.")
    used = [model.schema.columns[feature] for feature in model.features]
    truths = [c for c in used if holds_text(c) and c.code_of(True) is not None]
    if truths and not (strict and dialect.name in ("duckdb", "postgresql")):
        lines.append("TRUE and FALSE are not taken for the text that the model knows: cast them.")
    if dialect.empty_is_null and any("" in column.categories for column in used):
        lines.append("The model knows the empty text as a category, which is NULL here: missing.")
    if dialect.name == "mysql":
        lines.append("The connection must use utf8mb4, without NO_BACKSLASH_ESCAPES.")
    return lines


def in_view(query: str, name: str | Sequence[str], dialect: Dialect) -> str:
    """Return the statement that keeps a query as a view."""
    return f"CREATE VIEW {dialect.quoted(name)} AS\n{query}"


def in_function(
    query: str, name: str | Sequence[str], columns: Sequence[Column], answer: str, dialect: Dialect
) -> str:
    """Return the statement that keeps a query as a function of the columns."""
    pairs = [f"  {dialect.quoted(c.name)} {column_type(c, dialect)}" for c in columns]
    mark = "$spinney$"
    while mark in query:
        mark = f"{mark[:-1]}_$"
    return (
        f"CREATE FUNCTION {dialect.quoted(name)}(\n"
        + ",\n".join(pairs)
        + f"\n) RETURNS {answer} LANGUAGE sql IMMUTABLE AS {mark}\n{query}{mark}"
    )


def arguments(columns: Sequence[Column], dialect: Dialect) -> str:
    """Return the row of arguments of a function, as the body of a step."""
    if len(columns) > _MOST_COLUMNS:
        raise ValueError(
            f"a function in {dialect.title} takes at most {_MOST_COLUMNS} arguments, but the model "
            f"reads {len(columns)} columns. Use create_view."
        )
    named = [f"  ${i} AS {dialect.quoted(c.name)}" for i, c in enumerate(columns, start=1)]
    return "SELECT\n" + ",\n".join(named or ["  1 AS one"])


def answer_type(classes: list[Any] | None, abstain: Any, dialect: Dialect) -> str:
    """Return the type of what a function returns."""
    labels = [] if classes is None else [*classes, *([] if abstain is None else [abstain])]
    kinds = {type(label) for label in labels}
    if kinds == {str}:
        return dialect.text
    if kinds == {bool}:
        return "BOOLEAN"
    if kinds == {int}:
        return "BIGINT"
    if kinds <= {int, float}:
        return dialect.real
    raise ValueError(
        "a function returns values of one type, but the labels have several: "
        + ", ".join(sorted(kind.__name__ for kind in kinds))
        + ". Use create_view."
    )


def check_names(names: Sequence[str], dialect: Dialect) -> None:
    """Refuse columns whose names are the same for a database."""
    if not dialect.folds_names:
        return
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.casefold(), name)
        if other != name:
            raise ValueError(
                f"the model reads the columns {other!r} and {name!r}, which are one and the same "
                f"for {dialect.title}. Rename one of them and fit again, or use "
                "dialect='postgresql', 'oracle' or 'snowflake'."
            )
