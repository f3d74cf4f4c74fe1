"""Dialects of SQL: how each writes names, text and numbers, and what it limits.

Names are quoted and text is escaped by the rules of the dialect, so that no character of either
can end the quotes. What a dialect cannot hold is refused.
"""

import difflib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from spinney.export._literals import movable, sql_number

_ROW_NUMBER = "ROW_NUMBER() OVER ({order})"


@dataclass(frozen=True)
class Dialect:
    """What a database calls things, and how much of them it takes."""

    name: str
    title: str
    quotes: str = '""'  # around names
    real: str = "DOUBLE PRECISION"
    text: str = "VARCHAR(4000)"
    backslash: bool = False  # whether it escapes in text
    doubled: bool = True  # whether two quotes in text are one
    text_mark: str = ""  # before the quotes of text
    real_end: str = ""  # after a real number
    booleans: tuple[str, str] = ("FALSE", "TRUE")
    infinity: str | None = "9e999"  # None where there are no infinite numbers
    has_nan: bool = True
    # A step of a query that must not be merged with the next one has a numbered row, or this end.
    order: str | None = ""
    fence: str = ""
    folds_names: bool = True  # whether names that differ by case alone are the same
    longest_name: int | None = None
    name_bytes: bool = False  # whether that counts bytes, not characters
    most_columns: int = 2000
    deepest_case: int = 10
    least: str = "LEAST"
    unquotable: str = "^$"  # what names cannot hold, as a regular expression
    text_by_bytes: str = ""  # an expression that tells all texts apart, of {text}
    empty_is_null: bool = False
    underflow_fails: bool = False  # whether a product too small for a double ends the query

    def quoted(self, name: str | Sequence[str]) -> str:
        """Return an identifier in quotes; several, as schema and table, are joined by dots."""
        parts = [name] if isinstance(name, str) else list(name)
        return ".".join(map(self._quoted, parts))

    def _quoted(self, name: str) -> str:
        left, right = self.quotes[0], self.quotes[1]
        if self.unquotable and (found := re.search(self.unquotable, name)):
            held = found.group()
            what = f"the character {held!r} in a name" if held else "an empty name"
            what = "a name that ends in a blank" if held == " " else what
            raise ValueError(
                f"{self.title} cannot hold {what}, got {name!r}. Rename the column, or the table."
            )
        size = len(name.encode("utf-8", "replace")) if self.name_bytes else len(name)
        if self.longest_name is not None and size > self.longest_name:
            unit = "bytes" if self.name_bytes else "characters"
            raise ValueError(
                f"{self.title} limits names to {self.longest_name} {unit}, but {name!r} has "
                f"{size}. Give it a shorter name."
            )
        if self.name == "bigquery":
            return left + self._escaped(name).replace("`", "\\`") + right
        return left + movable(name).replace(right, right * 2) + right

    def string(self, text: str) -> str:
        """Return a text literal."""
        body = self._escaped(text)
        body = body.replace("'", "''" if self.doubled else "\\'")
        return f"{self.text_mark}'{body}'"

    def _escaped(self, text: str) -> str:
        """Return text with backslashes escaped; in BigQuery line breaks too, which end text."""
        body = movable(text)
        if self.backslash:
            body = body.replace("\\", "\\\\")
        if self.name == "bigquery":
            body = body.replace(movable("\n"), "\\n").replace("\r", "\\r")
        return body

    def value(self, value: Any) -> str:
        """Return a category or a class as a literal."""
        if isinstance(value, str):
            return self.string(value)
        if isinstance(value, bool):
            return self.booleans[value]
        return str(value) if isinstance(value, int) else self.number(value)

    def number(self, value: float, always_real: bool = False) -> str:
        """Return a number that is read back as the same double."""
        if math.isinf(value):
            if self.infinity is None:
                raise ValueError(
                    f"{self.title} has no infinite numbers, but the model predicts one."
                )
            return self.infinity if value > 0 else f"-{self.infinity}"
        text = sql_number(value, always_real)
        whole = text.lstrip("-").isdigit()
        return text if whole else text + self.real_end

    def real_number(self, value: float) -> str:
        """Return a number of type double, also if it is whole."""
        return self.number(value, always_real=True)


_ALL = (
    Dialect("ansi", "standard SQL"),
    Dialect(
        "sqlite", "SQLite", real="REAL", text="TEXT", least="MIN", has_nan=False, unquotable=""
    ),
    Dialect("duckdb", "DuckDB", real="DOUBLE", text="VARCHAR", deepest_case=40),
    Dialect(
        "postgresql",
        "PostgreSQL",
        text="TEXT",
        real_end="::float8",
        infinity="CAST('Infinity' AS DOUBLE PRECISION)",
        order=None,
        fence="OFFSET 0",
        folds_names=False,
        longest_name=63,
        name_bytes=True,
        most_columns=1600,
        deepest_case=40,
        underflow_fails=True,
    ),
    Dialect(
        "mysql",
        "MySQL",
        quotes="``",
        real="DOUBLE",
        text="CHAR",
        backslash=True,
        infinity=None,
        has_nan=False,
        order=None,
        fence="LIMIT 18446744073709551615",
        longest_name=64,
        unquotable="[\U00010000-\U0010ffff]|^$| $",
        most_columns=1000,
        deepest_case=25,
        text_by_bytes="CAST(CONVERT({text} USING utf8mb4) AS BINARY)",
    ),
    Dialect(
        "sqlserver",
        "SQL Server",
        quotes="[]",
        real="FLOAT(53)",
        text="NVARCHAR(4000)",
        text_mark="N",
        booleans=("0", "1"),
        infinity=None,
        has_nan=False,
        order="ORDER BY (SELECT NULL)",
        longest_name=128,
        most_columns=1000,
        deepest_case=8,
        text_by_bytes="CONVERT(VARBINARY(8000), CONVERT(NVARCHAR(4000), {text}))",
    ),
    Dialect(
        "oracle",
        "Oracle",
        real="BINARY_DOUBLE",
        text="VARCHAR2(4000)",
        real_end="d",
        booleans=("0", "1"),
        infinity="BINARY_DOUBLE_INFINITY",
        order="ORDER BY NULL",
        folds_names=False,
        longest_name=128,
        name_bytes=True,
        most_columns=1000,
        unquotable='"|^$',
        empty_is_null=True,
    ),
    Dialect(
        "snowflake",
        "Snowflake",
        real="FLOAT",
        text="VARCHAR",
        backslash=True,
        infinity="CAST('inf' AS FLOAT)",
        order="ORDER BY NULL",
        folds_names=False,
        longest_name=255,
        deepest_case=20,
    ),
    Dialect(
        "bigquery",
        "BigQuery",
        quotes="``",
        real="FLOAT64",
        text="STRING",
        backslash=True,
        doubled=False,
        infinity="CAST('inf' AS FLOAT64)",
        order=None,
        longest_name=300,
        deepest_case=20,
    ),
    Dialect(
        "spark",
        "Spark",
        quotes="``",
        real="DOUBLE",
        text="STRING",
        backslash=True,
        doubled=False,
        real_end="D",
        infinity="DOUBLE('Infinity')",
        order=None,
        deepest_case=8,
    ),
)
DIALECTS = {dialect.name: dialect for dialect in _ALL}


def dialect_named(name: Any) -> Dialect:
    """Return a dialect by its name."""
    found = DIALECTS.get(name) if isinstance(name, str) else None
    if found is None:
        listed = ", ".join(map(repr, DIALECTS))
        near = difflib.get_close_matches(str(name).lower(), list(DIALECTS), 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"dialect must be one of {listed}, got {name!r}.{hint}")
    return found
