"""Simpler equivalents of an expression, for people to read.

Only what holds for every row is rewritten: in floating point to the last bit, with infinities, and
in the logic of three values, where a missing number makes a comparison unknown. So ``x - x`` is
not 0 (x may be missing or infinite) and ``x = x`` is not true; but ``1 * x`` is x, and what stands
twice in an `and` may stand once. The sign of a zero makes no difference to any comparison.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from spinney._expression.tokens import ARITY, Token, truth

_LONGEST = 200  # what is longer is shown as it is
_ARITHMETIC = ("add", "subtract", "multiply", "sine")


@dataclass(frozen=True)
class _Term:
    """An expression as a tree: a token over the terms that it takes."""

    op: str
    arg: int = 0
    value: float = 0.0
    parts: "tuple[_Term, ...]" = ()


_TRUE = _Term("positive", parts=(_Term("constant", value=1.0),))
_FALSE = _Term("positive", parts=(_Term("constant", value=0.0),))


def simplified(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Return an expression that gives every row the same answer and is no longer.

    Parameters
    ----------
    tokens : sequence of Token
        A test in postfix order.

    Returns
    -------
    tuple of Token
    """
    if len(tokens) > _LONGEST:
        return tuple(tokens)
    term = _nested(tokens)
    while (simpler := _rewritten(term)) != term:
        term = simpler
    return tuple(_flat(term))


def _nested(tokens: Sequence[Token]) -> _Term:
    waiting: list[_Term] = []
    for op, arg, value in tokens:
        takes = ARITY[op]
        parts = tuple(waiting[len(waiting) - takes :])
        del waiting[len(waiting) - takes :]
        waiting.append(_Term(op, arg, value, parts))
    return waiting[0]


def _flat(term: _Term) -> list[Token]:
    tokens = [token for part in term.parts for token in _flat(part)]
    return [*tokens, Token(term.op, term.arg, term.value)]


def _rewritten(term: _Term) -> _Term:
    """Return a term whose parts are rewritten, and then itself once."""
    parts = tuple(_rewritten(part) for part in term.parts)
    term = _Term(term.op, term.arg, term.value, parts)
    if parts and all(part.op == "constant" for part in parts):
        return _folded(term)
    if term.op in _ARITHMETIC:
        return _sum_or_product(term)
    if term.op == "negate":
        return _negation(parts[0])
    return _joined(term) if term.op in ("both", "either") else term


def _folded(term: _Term) -> _Term:
    """Return what an operation on constants gives; itself if that is not a number."""
    if term in (_TRUE, _FALSE):
        return term
    found = float(truth(_flat(term), np.zeros((1, 0)))[0])
    if found != found:
        return term
    if term.op in _ARITHMETIC:
        return _Term("constant", value=found)
    return _TRUE if found else _FALSE


def _sum_or_product(term: _Term) -> _Term:
    """Leave out what changes nothing: a term of 0, a factor of 1."""
    idle = 1.0 if term.op == "multiply" else 0.0
    first, last = term.parts[0], term.parts[-1]
    if term.op != "sine" and last.op == "constant" and last.value == idle:
        return first
    if term.op in ("add", "multiply") and first.op == "constant" and first.value == idle:
        return last
    return term


def _negation(part: _Term) -> _Term:
    if part.op == "negate":
        return part.parts[0]
    if part in (_TRUE, _FALSE):
        return _FALSE if part == _TRUE else _TRUE
    if part.op in ("both", "either"):
        inverse = _chain(_other(part.op), [_opposite(p) for p in _operands(part, part.op)])
        if len(_flat(inverse)) <= len(_flat(part)):
            return inverse
    return _Term("negate", parts=(part,))


def _opposite(part: _Term) -> _Term:
    return part.parts[0] if part.op == "negate" else _Term("negate", parts=(part,))


def _joined(term: _Term) -> _Term:
    """Return `and` or `or` without operands that do not matter."""
    op = term.op
    idle, decisive = (_TRUE, _FALSE) if op == "both" else (_FALSE, _TRUE)
    operands = [part for part in _operands(term, op) if part != idle]
    if decisive in operands:
        return decisive
    if not operands:
        return idle
    operands = _without_wider(_bounds_merged(list(dict.fromkeys(operands)), op), op)
    term = _chain(op, operands)
    if all(part.op == "negate" for part in operands) and len(operands) > 1:
        inner = _chain(_other(op), [part.parts[0] for part in operands])
        return _Term("negate", parts=(inner,))
    return term


def _operands(term: _Term, op: str) -> list[_Term]:
    """Return what a chain of the same operation joins, from left to right."""
    if term.op != op:
        return [term]
    return [operand for part in term.parts for operand in _operands(part, op)]


def _chain(op: str, operands: Sequence[_Term]) -> _Term:
    term = operands[0]
    for operand in operands[1:]:
        term = _Term(op, parts=(term, operand))
    return term


def _other(op: str) -> str:
    return "either" if op == "both" else "both"


def _without_wider(operands: list[_Term], op: str) -> list[_Term]:
    """Drop `a or b` from `a and (a or b)` and similar: a alone decides."""
    single = set(operands)
    return [
        part
        for part in operands
        if part.op != _other(op) or not single & set(_operands(part, _other(op)))
    ]


def _bounds_merged(operands: list[_Term], op: str) -> list[_Term]:
    """Keep of several bounds on the same term the one that decides, in the place of the first."""
    kept: dict[object, _Term] = {}
    for part in operands:
        bound = _bound(part)
        if bound is None:
            kept[part] = part
            continue
        key, value = bound
        before = kept.get(key)
        if before is None:
            kept[key] = part
            continue
        known = _bound(before)
        assert known is not None  # only bounds have such a key
        # x > c and x > d: the larger; c > x and d > x: the smaller; with `or` the other way.
        choose: Callable[[float, float], bool] = (
            float.__gt__ if (key[0] == "above") == (op == "both") else float.__lt__
        )
        if choose(value, known[1]):
            kept[key] = part
    return list(kept.values())


def _bound(term: _Term) -> tuple[tuple[str, _Term], float] | None:
    """Return on which side of a constant a term must be, the term, and the constant."""
    if term.op == "positive":
        return ("above", term.parts[0]), 0.0
    if term.op != "greater":
        return None
    left, right = term.parts
    if right.op == "constant":
        return ("above", left), right.value
    return (("below", right), left.value) if left.op == "constant" else None
