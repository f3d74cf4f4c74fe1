"""The first step of a query that reads columns as the model does, and may be strict about them.

Categories become their codes, which later steps compare as numbers. With `strict` a value of the
wrong type ends the query instead of being compared in silence: SQLite compares text with numbers,
MySQL and Spark take any text for a number. Databases without an error of their own get one by an
expression that fails, with the name of the column in its message where that is possible.
"""

from dataclasses import replace

from spinney._table import Column, Schema
from spinney.export._literals import comment_text
from spinney.export._sql_dialects import Dialect
from spinney.export._sql_syntax import Chain, Writer, case, holds_text

_NUMBER = "^[[:space:]]*[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?[[:space:]]*$"


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
