"""Expressions as SQL, whose NULL is the unknown of expressions: the logic is the same.

Numbers are cast, as databases add and multiply whole numbers in their own ways. Categories become
their places, so that one that fit did not see is NULL.
"""

from collections.abc import Sequence
from typing import NamedTuple

from spinney._table import Column, Schema
from spinney.export._literals import sql_name, sql_number, sql_value
from spinney.tree._tokens import Token

# How tightly a sign binds its operands: the larger, the tighter.
_SIGNS = {
    "either": ("OR", 1),
    "both": ("AND", 2),
    "equal": ("=", 4),
    "greater": (">", 4),
    "add": ("+", 5),
    "subtract": ("-", 5),
    "multiply": ("*", 6),
}
_NOT, _ATOM = 3, 9


class _Part(NamedTuple):
    text: str
    rank: int = _ATOM
    may_be_nan: bool = False


def sql_expression(tokens: Sequence[Token], schema: Schema, nan: bool) -> str:
    """Return whether an expression is true, as a condition.

    Parameters
    ----------
    tokens : sequence of Token
        The expression.
    schema : Schema
        The columns.
    nan : bool
        Whether numbers may be NaN, which is to count as missing.
    """
    waiting: list[_Part] = []
    for token in tokens:
        if token.op == "column":
            waiting.append(_column(schema.columns[token.arg]))
        elif token.op == "constant":
            waiting.append(_Part(sql_number(token.value, always_real=True)))
        elif token.op == "sine":
            waiting.append(_Part(f"SIN({waiting.pop().text})", may_be_nan=True))
        elif token.op == "negate":
            waiting.append(_Part(f"NOT ({waiting.pop().text})", _NOT))
        elif token.op == "positive":
            waiting.append(_joined("greater", waiting.pop(), _Part("0e0"), nan))
        else:
            right = waiting.pop()
            waiting.append(_joined(token.op, waiting.pop(), right, nan))
    return waiting[0].text


def _column(column: Column) -> _Part:
    name = sql_name(column.name)
    if column.kind == "numeric":
        return _Part(f"CAST({name} AS DOUBLE PRECISION)", may_be_nan=True)
    pairs = enumerate(column.categories)
    listed = " ".join(f"WHEN {sql_value(label)} THEN {code}e0" for code, label in pairs)
    return _Part(f"CASE {name} {listed} END" if listed else "NULL")


def _joined(op: str, left: _Part, right: _Part, nan: bool) -> _Part:
    sign, rank = _SIGNS[op]
    before = left.text if left.rank >= rank else f"({left.text})"
    tight = right.rank > rank or (rank <= _NOT and right.rank == rank)
    text = f"{before} {sign} {right.text if tight else f'({right.text})'}"
    if rank != _SIGNS["greater"][1]:
        return _Part(text, rank, may_be_nan=rank > _NOT)
    known = [_is_number(side) for side in (left, right) if nan and side.may_be_nan]
    return _Part(f"CASE WHEN {' AND '.join(known)} THEN {text} END") if known else _Part(text, rank)


def _is_number(part: _Part) -> str:
    """Return that a number is not NaN, which is above all numbers where an engine has it."""
    held = part.text if part.rank == _ATOM else f"({part.text})"
    return f"({held} <= 0 OR 0 - {held} < 0)"
