"""Rules as flat arrays for the core.

The core knows conditions of three kinds only: at most a bound, above a bound, among some
categories. An interval with two bounds is two of them, so post-pruning can drop either. Equal ones
are stored once. An expression is one more column, which holds 1 where it is true and 0 where it is
false, so that the core sees a bound on that column.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney.rules._conditions import Condition, Expression, Interval
from spinney.tree._tokens import Token
from spinney.tree._truth import truth

_AT_MOST, _ABOVE, _AMONG = 0, 1, 2


@dataclass(frozen=True)
class Packed:
    """The core's rules, and what each of its conditions says."""

    core: _core.Rules
    parts: tuple[Condition, ...]
    expressions: tuple[tuple[Token, ...], ...] = ()

    def rows(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return encoded rows with a column for each expression."""
        if not self.expressions:
            return values
        found = np.empty((len(values), values.shape[1] + len(self.expressions)), order="F")
        found[:, : values.shape[1]] = values
        for place, tokens in enumerate(self.expressions, start=values.shape[1]):
            found[:, place] = truth(tokens, values)
        return found


def halves(condition: Condition) -> list[Condition]:
    """Cut an interval with two bounds into its two sides."""
    if not isinstance(condition, Interval):
        return [condition]
    if condition.low == -math.inf or condition.high == math.inf:
        return [condition]
    place = condition.feature, condition.name
    return [
        Interval(*place, low=condition.low, categories=condition.categories),
        Interval(*place, high=condition.high, categories=condition.categories),
    ]


def pack(
    conditions: Iterable[tuple[Condition, ...]], labels: Sequence[int], n_features: int
) -> Packed:
    """Turn the conditions of rules, and the codes of their classes, into the core's arrays."""
    known: dict[Condition, int] = {}
    sides: dict[int, list[int]] = {}  # by identity: rules of a tree share their conditions
    kept_alive: list[Condition] = []
    begin, members = [0], []
    for rule in conditions:
        for condition in rule:
            places = sides.get(id(condition))
            if places is None:
                places = [known.setdefault(part, len(known)) for part in halves(condition)]
                sides[id(condition)] = places
                kept_alive.append(condition)
            members.extend(places)
        begin.append(len(members))
    parts = tuple(known)
    kinds, bounds, code_begin = [], [], [0]
    codes: list[int] = []
    features: list[int] = []
    expressions: dict[tuple[Token, ...], int] = {}
    for part in parts:
        if isinstance(part, Expression):
            features.append(expressions.setdefault(part.key, n_features + len(expressions)))
            kinds.append(_ABOVE if part.truth or not part.is_possible else _AT_MOST)
            bounds.append(0.5 if part.is_possible else np.inf)
            code_begin.append(len(codes))
            continue
        features.append(part.feature)
        if isinstance(part, Interval):
            kinds.append(_AT_MOST if part.low == -math.inf else _ABOVE)
            bounds.append(part.high if part.low == -math.inf else part.low)
        else:
            kinds.append(_AMONG)
            bounds.append(0.0)
            codes.extend(part.codes)
        code_begin.append(len(codes))
    core = _core.Rules(
        n_features + len(expressions),
        np.array(kinds, dtype=np.uint8),
        np.array(features, dtype=np.int32),
        np.array(bounds, dtype=np.float64),
        np.array(code_begin, dtype=np.int64),
        np.array(codes, dtype=np.int32),
        np.array(begin, dtype=np.int64),
        np.array(members, dtype=np.int32),
        np.array(labels, dtype=np.int32),
    )
    return Packed(core, parts, tuple(expressions))
