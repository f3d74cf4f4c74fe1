"""Functions in Python become columns: what the core cannot compute is computed beforehand.

A tree whose tests call `ratio(age, bmi)` gets a column of that name. Its values are made from the
user's columns whenever rows come in.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spinney import _core
from spinney._expression.expression_test import ExpressionTest
from spinney._expression.tokens import ARITY, OPS, Token
from spinney._table import Column, Schema
from spinney._typing import Floats
from spinney.evolve._functions import CALL, Bool, Function, RawToken

_COLUMN, _POSITIVE = OPS.index("column"), OPS.index("positive")


@dataclass(frozen=True)
class Derived:
    """One column that a function makes of others.

    Parameters
    ----------
    function : Function
        What makes it.
    arguments : tuple
        An expression each; they may use derived columns that come before.
    """

    function: Function
    arguments: tuple[tuple[RawToken, ...], ...]

    def column(self, values: Floats) -> Floats:
        """Return its values for rows that have all columns before it."""
        columns = []
        for type_, tokens in zip(self.function.takes, self.arguments, strict=True):
            if type_ == Bool:
                truth = _core.evaluate(list(tokens), values)
                columns.append(np.where(truth == 0, np.nan, (truth == 1).astype(np.float64)))
            else:
                columns.append(_core.numbers(list(tokens), values))
        return self.function.on_columns(columns)

    @property
    def highest_column(self) -> int:
        """The last column that the arguments use."""
        columns = [arg for tokens in self.arguments for op, arg, _ in tokens if op == _COLUMN]
        return max(columns, default=0)

    def text(self, columns: tuple[Column, ...]) -> str:
        """Return how it is called."""
        parts = []
        for tokens in self.arguments:
            shown = tuple(Token(OPS[op], arg, value) for op, arg, value in tokens)
            plain = ExpressionTest(shown, columns).branch_text(0)
            parts.append(plain.replace("\\`", "").replace("`", ""))
        return f"{self.function.name}({', '.join(parts)})"


def with_derived(values: Floats, derived: Sequence[Derived]) -> Floats:
    """Return rows with the derived columns behind their own."""
    n_own = values.shape[1]
    out = np.empty((len(values), n_own + len(derived)), order="F")
    out[:, :n_own] = values
    for place, one in enumerate(derived, start=n_own):
        out[:, place] = one.column(out[:, :place])
    return out


def base_importances(importances: Floats, derived: Sequence[Derived], n_columns: int) -> Floats:
    """Divide the importance of each derived column among the user's columns that it is made of."""
    return np.asarray(importances @ _base_shares(derived, n_columns))


def base_values(values: Floats, derived: Sequence[Derived], n_columns: int) -> Floats:
    """Divide Shapley values in the same way; columns are their second axis."""
    return np.asarray(np.einsum("ij...,jb->ib...", values, _base_shares(derived, n_columns)))


def base_pairs(pairs: Floats, derived: Sequence[Derived], n_columns: int) -> Floats:
    """Divide interactions in the same way; what a column does by itself stays by itself."""
    shares, n_all = _base_shares(derived, n_columns), pairs.shape[1]
    values = base_values(pairs.sum(axis=2), derived, n_columns)
    others = pairs.copy()
    others[:, np.arange(n_all), np.arange(n_all)] = 0.0
    found = np.einsum("ijk...,jb,kc->ibc...", others, shares, shares)
    own = np.arange(n_columns)
    found[:, own, own] = 0.0
    found[:, own, own] = values - found.sum(axis=2)
    return np.asarray(found)


def _base_shares(derived: Sequence[Derived], n_columns: int) -> Floats:
    """Return the share of each column, derived ones last, that belongs to each of the user's."""
    shares = np.zeros((n_columns + len(derived), n_columns))
    np.fill_diagonal(shares, 1.0)
    for place, columns in enumerate(_base_columns(derived, n_columns), start=n_columns):
        for column in columns:
            shares[place, column] = 1.0 / len(columns)
    return shares


def _base_columns(derived: Sequence[Derived], n_columns: int) -> list[set[int]]:
    """Return for each derived column the columns of the user's that it is made of."""
    found: list[set[int]] = []
    for one in derived:
        own: set[int] = set()
        for op, arg, _ in (token for tokens in one.arguments for token in tokens):
            if op == _COLUMN:
                own |= {arg} if arg < n_columns else found[arg - n_columns]
        found.append(own)
    return found


class Rewriter:
    """Replaces calls in the tests of trees by columns.

    Parameters
    ----------
    functions : list of Function
        As the core numbers them.
    schema : Schema
        The columns of the user's.
    """

    def __init__(self, functions: list[Function], schema: Schema) -> None:
        self.functions = functions
        self.schema = schema
        self.derived: list[Derived] = []
        self._n_own = len(schema.columns)

    def states(self, trees: list[_core.Tree]) -> list[dict[str, Any]]:
        """Return the arrays of the trees with columns in place of calls."""
        states = [tree.state() for tree in trees]
        rewritten = [self._rewrite(state) for state in states]
        names = list(self.schema.columns)
        for one in self.derived:
            names.append(Column(one.text(tuple(names)), "numeric"))
        self.schema = Schema(tuple(names), self.schema.has_names)
        for state in rewritten:
            state["n_features"] = len(names)
        return rewritten

    def _rewrite(self, state: dict[str, Any]) -> dict[str, Any]:
        begins = state["token_begin"].tolist()
        cells = [state[f"token_{name}"].tolist() for name in ("op", "arg", "value")]
        tokens = list(zip(*cells, strict=True))
        tests = [
            self._without_calls(tokens[begin:end])
            for begin, end in zip(begins[:-1], begins[1:], strict=True)  # noqa: RUF007
        ]
        flat = [token for test in tests for token in test]
        columns = list(zip(*flat, strict=True)) if flat else [(), (), ()]
        return {
            **state,
            "token_begin": np.cumsum([0, *map(len, tests)]).astype(np.int64),
            "token_op": np.array(columns[0], dtype=np.int32),
            "token_arg": np.array(columns[1], dtype=np.int32),
            "token_value": np.array(columns[2], dtype=np.float64),
        }

    def _without_calls(self, tokens: list[RawToken]) -> list[RawToken]:
        waiting: list[list[RawToken]] = []
        for op, arg, value in tokens:
            n = int(value) if op == CALL else ARITY[OPS[op]]
            operands = waiting[len(waiting) - n :] if n else []
            del waiting[len(waiting) - n :]
            if op == CALL:
                waiting.append(self._as_column(self.functions[arg], operands))
            else:
                joined = [token for operand in operands for token in operand]
                waiting.append([*joined, (op, arg, value)])
        return waiting[0] if waiting else []

    def _as_column(self, function: Function, operands: list[list[RawToken]]) -> list[RawToken]:
        one = Derived(function, tuple(map(tuple, operands)))
        if one not in self.derived:
            self.derived.append(one)
        column = (_COLUMN, self._n_own + self.derived.index(one), 0.0)
        return [column, (_POSITIVE, 0, 0.0)] if function.returns == Bool else [column]
