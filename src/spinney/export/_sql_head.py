"""The beginning of a query: its comment, the statement that keeps it, the step that reads columns.

Categories become their codes, which later steps compare as numbers. With `strict` a value of the
wrong type ends the query instead of being compared in silence: SQLite compares text with numbers,
MySQL and Spark take any text for a number. Databases without an error of their own get one by an
expression that fails, with the name of the column in its message where that is possible.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from spinney import __version__
from spinney._table import Column, Schema
from spinney.export._ensemble_model import EnsembleModel
from spinney.export._literals import comment_text
from spinney.export._model import RuleModel, TreeModel
from spinney.export._sql_dialects import Dialect
from spinney.export._sql_syntax import Chain, Writer, case, holds_text

_MOST_COLUMNS = 100  # arguments that a function of PostgreSQL takes
Model = TreeModel | RuleModel | EnsembleModel

_NUMBER = "^[[:space:]]*[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?[[:space:]]*$"


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


def add_reading(chain: Chain, features: list[int], writer: Writer, strict: bool) -> Writer:
    """Add the step that reads the columns of a model; return a writer of conditions on it."""
    columns = list(writer.schema.columns)
    kept, chain.carried = list(chain.carried), []
    read = []
    for feature in features:
        column = columns[feature]
        columns[feature] = replace(column, name=f"{chain.stem}_x{feature}")
        read.append((columns[feature].name, _read(column, writer, strict)))
    chain.add([*((chain.aliases.get(n, n), chain.dialect.quoted(n)) for n in kept), *read])
    chain.carried = [*(chain.aliases.get(n, n) for n in kept), *(name for name, _ in read)]
    schema = Schema(tuple(columns), writer.schema.has_names)
    return replace(writer, schema=schema, coded=True)


def _read(column: Column, writer: Writer, strict: bool) -> str:
    dialect, name = writer.dialect, writer.dialect.quoted(column.name)
    if column.kind != "numeric":
        return _code(column, name, writer, strict)
    text = strict_number(name, column.name, dialect) if strict else name
    if not writer.nan:
        return text
    return case([(f"{name} <= 0 OR 0 - {name} < 0", text)], "NULL")


def _code(column: Column, name: str, writer: Writer, strict: bool) -> str:
    """Return the code of a category; NULL for an unseen one."""
    labels = list(enumerate(column.categories))
    if writer.dialect.empty_is_null:
        labels = [(code, label) for code, label in labels if label != ""]
    if not labels:
        return "NULL"
    key = name
    if strict and holds_text(column):
        key = _strict_text(column, name, writer.dialect)
    elif strict and not isinstance(labels[0][1], bool):
        key = strict_number(name, column.name, writer.dialect)
    if holds_text(column):
        key = writer.text_key(key)
    pairs = [(writer.literal(label), str(code)) for code, label in labels]
    return case(pairs, "NULL", operand=key)


def strict_number(name: str, label: str, dialect: Dialect) -> str:
    """Return a number, or an error if the column holds anything else."""
    cast = f"CAST({name} AS {dialect.real})"
    message = dialect.string(f"{comment_text(label)[:40]} is not a number")
    if dialect.name == "sqlite":
        kinds = [("'real'", name), ("'integer'", name), ("'null'", "NULL")]
        failed = f"json_extract('{{}}', {message} || typeof({name}))"
        blank = case([(f"TRIM({name}) = ''", "NULL")], failed)
        return case(kinds, blank, operand=f"typeof({name})")
    if dialect.name == "mysql":
        pairs = [
            (f"TRIM({name}) = ''", "NULL"),
            (f"{name} IS NULL OR {name} REGEXP '{_NUMBER}'", cast),
        ]
        return case(pairs, _two_rows(name))
    if dialect.name == "sqlserver":  # which reads a blank as 0
        return case([(f"CONVERT(NVARCHAR(4000), {name}) = N''", "NULL")], cast)
    if dialect.name == "spark":  # which reads text that is no number as NULL
        text = f"TRIM(CAST({name} AS STRING))"
        pairs = [(f"{text} = ''", "NULL"), (f"{name} IS NULL OR {cast} IS NOT NULL", cast)]
        return case(pairs, f"CAST(raise_error({message}) AS DOUBLE)")
    return cast


def _two_rows(name: str) -> str:
    """Return a value of two rows, which MySQL refuses when it is needed and only then."""
    rows = "SELECT 1 AS n UNION ALL SELECT 2"
    return f"(SELECT {name} IS NULL FROM ({rows}) AS not_a_number)"


def _strict_text(column: Column, name: str, dialect: Dialect) -> str:
    """Return a category as text: whole numbers without a point, booleans as fit saw them."""
    cast = f"CAST({name} AS {dialect.text})"
    if dialect.name == "sqlite":
        whole = f"{name} = CAST({name} AS INTEGER)"
        short = f"CAST(CAST({name} AS INTEGER) AS TEXT)"
        pairs = [(f"typeof({name}) = 'real' AND {whole}", short)]
        return "(" + case(pairs, cast) + ") COLLATE BINARY"
    kind = {"duckdb": f"typeof({name})", "postgresql": f"upper(pg_typeof({name})::text)"}
    if dialect.name not in kind:
        return cast
    pairs = []
    for truth in (False, True):
        code = column.code_of(truth)
        if code is not None:
            is_it = f"{kind[dialect.name]} = 'BOOLEAN' AND {cast} = '{str(truth).lower()}'"
            pairs.append((is_it, dialect.value(column.categories[code])))
    if dialect.name == "duckdb":
        short = f"regexp_replace({cast}, '\\.0$', '')"
        pairs.append((f"typeof({name}) IN ('DOUBLE', 'FLOAT')", short))
    return case(pairs, cast)
