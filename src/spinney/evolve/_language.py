"""From columns and functions to the core's language: every symbol with the types that it has."""

from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._checks import Check, Integer, Read, is_integer, optional
from spinney._expression.tokens import OPS
from spinney._table import Column, Schema
from spinney._typing import Floats
from spinney.evolve._functions import (
    CALL,
    FUNCTIONS,
    Bool,
    Function,
    Nominal,
    Numeric,
    Ordered,
    RawToken,
    Type,
    raw_tokens,
)

_MAX_POOL = 10_000  # values of a column that constants are drawn from
_NOTHING: dict[str, Any] = {"takes": [], "column": 0, "pool": [], "spread": 0.0, "body": []}


@dataclass(frozen=True)
class Constant:
    """A user-defined terminal: values that constants of a type may have.

    Parameters
    ----------
    values : iterable of float
        The values.
    type : Type, default=Numeric
        Their type.
    """

    values: tuple[float, ...]
    type: Type = Numeric

    def __post_init__(self) -> None:
        try:
            values = tuple(float(value) for value in self.values)
        except (TypeError, ValueError):
            raise ValueError(
                f"a Constant takes numbers, such as Constant((0.0, 1.0)), got {self.values!r}."
            ) from None
        if not values or not np.isfinite(values).all():
            raise ValueError("a Constant needs at least one value, and all of them finite.")
        if not isinstance(self.type, Type) or self.type == Bool:
            raise ValueError(
                f"a Constant has a type of spinney.evolve other than Bool, got {self.type!r}."
            )
        object.__setattr__(self, "values", values)


def type_of(column: Column) -> Type:
    """Return the type of a column: categories can be compared where vocabularies are equal."""
    if column.kind == "numeric":
        return Numeric
    family = Ordered if column.kind == "ordered" else Nominal
    return family(column.categories)


def build_language(
    values: Floats, schema: Schema, used: NDArray[np.bool_], functions: Any, terminals: Any
) -> _core.Language:
    """Check functions and terminals, and return the language of their expressions.

    Parameters
    ----------
    values : array of shape (n_rows, n_features)
        The encoded table: constants are drawn from its values.
    schema : Schema
        Its columns.
    used : array of bool
        Rows of weight above 0.
    functions : iterable or None
        Names of built-in functions and `Function` objects; None for all built-in ones.
    terminals : iterable or None
        Names of columns, `Constant` objects and "constants"; None for all columns and constants.
    """
    columns, own, drawn = _chosen_terminals(terminals, schema)
    types: dict[Type, int] = {Bool: 0}
    symbols = []
    telling = [place for place in columns if not np.isnan(values[used, place]).all()]
    for place in telling or columns:  # a column without values has nothing to say
        type_ = type_of(schema.columns[place])
        symbols.append(_symbol("column", type_, types, column=place))
        if drawn:
            pool, spread = _pool(values[used, place], schema.columns[place])
            if pool:
                symbols.append(_symbol("constant", type_, types, pool=pool, spread=spread))
    for constant in own:
        pool = [float(value) for value in constant.values]
        spread = float(np.std(pool)) if constant.type == Numeric else 0.0
        symbols.append(_symbol("constant", constant.type, types, pool=pool, spread=spread))
    called: list[Function] = []
    for function in _chosen_functions(functions):
        body = raw_tokens(function.body)
        if not body:  # written in Python
            body = _call(len(called), len(function.takes))
            called.append(function)
        for takes, returns in _signatures(function, types):
            ids = [types.setdefault(one, len(types)) for one in takes]
            symbols.append(_symbol("function", returns, types, takes=ids, body=body))
    signatures = [([one == Bool for one in f.takes], f.returns == Bool) for f in called]

    def run(number: int, columns: list[Floats]) -> Floats:
        return called[number].on_columns(columns)

    language = _core.Language(symbols, signatures, run)
    _refuse_without_tests(language)
    return language


def called_functions(given: Any) -> list[Function]:
    """Return the functions in Python among those given, as the core numbers them."""
    return [function for function in _chosen_functions(given) if not function.body]


def _call(number: int, n_arguments: int) -> list[RawToken]:
    arguments = [(OPS.index("column"), -1 - i, 0.0) for i in range(n_arguments)]
    return [*arguments, (CALL, number, float(n_arguments))]


def _symbol(kind: str, returns: Type, types: dict[Type, int], **facts: Any) -> dict[str, Any]:
    number = types.setdefault(returns, len(types))
    return {**_NOTHING, "kind": kind, "returns": number, **facts}


def _pool(column: Floats, facts: Column) -> tuple[list[float], float]:
    """Return the values that constants are drawn from, and how far numbers may move."""
    known = np.unique(
        column[np.isfinite(column)]
    )  # neither the order nor the number of rows matters
    if facts.kind != "numeric":
        return known.tolist(), 0.0
    if len(known) > _MAX_POOL:
        known = known[np.linspace(0, len(known) - 1, _MAX_POOL).astype(np.intp)]
    with np.errstate(over="ignore"):
        spread = float(np.std(known)) if len(known) else 0.0
    return known.tolist(), spread if np.isfinite(spread) else float(np.finfo(np.float64).max)


def _chosen_functions(given: Any) -> list[Function]:
    if given is None:
        return [function for same in FUNCTIONS.values() for function in same]
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ValueError(f"functions must be a list of names and Function objects, got {given!r}.")
    chosen: list[Function] = []
    for one in given:
        if isinstance(one, Function):
            chosen.append(one)
        elif isinstance(one, str) and one in FUNCTIONS:
            chosen.extend(FUNCTIONS[one])
        else:
            known = ", ".join(repr(name) for name in FUNCTIONS)
            raise ValueError(
                f"functions has {one!r}, which is neither a Function nor one of {known}."
            )
    if not chosen:
        raise ValueError("functions must not be empty. Use None for all built-in ones.")
    return chosen


# What parameters of a search may be that are others elsewhere.
SEARCHED: MappingProxyType[str, Check] = MappingProxyType(
    {
        "functions": Read("None or a list of names and Function objects", _chosen_functions),
        "n_iter_no_change": optional(Integer(1)),
    }
)


def _chosen_terminals(given: Any, schema: Schema) -> tuple[list[int], list[Constant], bool]:
    """Return the columns, the user's constants, and whether constants are drawn from columns."""
    if given is None:
        return list(range(len(schema.columns))), [], True
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ValueError(f"terminals must be a list of columns and Constants, got {given!r}.")
    columns: list[int] = []
    own: list[Constant] = []
    drawn = False
    names = list(schema.names)
    for one in given:
        if isinstance(one, Constant):
            own.append(one)
        elif isinstance(one, str) and one == "constants":
            drawn = True
        elif isinstance(one, str) and one in names:
            columns.append(names.index(one))
        elif is_integer(one) and 0 <= int(one) < len(names):
            columns.append(int(one))
        else:
            raise ValueError(
                f"terminals has {one!r}, which is no column of the table, no Constant and not "
                "'constants'."
            )
    return columns, own, drawn


def _signatures(function: Function, types: dict[Type, int]) -> list[tuple[list[Type], Type]]:
    """Return the types of a function; one that takes any domain has them for each."""
    families = [one for one in (Nominal, Ordered) if one in function.takes]
    if not families:
        return [(list(function.takes), function.returns)]
    if len(families) > 1:
        raise ValueError(
            f"function {function.name!r} takes both Nominal and Ordered. Give domains, such as "
            "Nominal(categories)."
        )
    family = families[0]
    domains = [one for one in types if one.name == family.name and one.domain is not None]
    return [
        (
            [domain if one == family else one for one in function.takes],
            domain if function.returns == family else function.returns,
        )
        for domain in domains
    ]


def _refuse_without_tests(language: _core.Language) -> None:
    if language.least_size(0) > _core.MAX_PROGRAM:
        raise ValueError(
            "no expression of these functions and terminals is true or false: a function that "
            "returns Bool is missing, or columns of the types that it takes. Add '>' or '=', or "
            "use functions=None and terminals=None."
        )
