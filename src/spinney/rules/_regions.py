"""How a row could get another answer: the values that its columns would have to hold.

A *region* is a condition on one column; a *point* is an encoded row. To make a rule decide, the
point is moved into the regions of its conditions, to the nearest value each. In an ordered set an
earlier rule may still fire there and say something else: then the point also leaves a region of
that rule, and so on. What comes out are regions of which every value will do.

Expressions over several columns are not solved: where a rule asks one, it must be true already, and
the columns that it asks must stay as they are.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from spinney._table import Schema
from spinney.rules._conditions import ColumnCondition, Expression, Interval, Membership
from spinney.rules._rule import Rule


@dataclass
class Move:
    """A row on its way to another answer."""

    start: NDArray[np.float64]
    point: NDArray[np.float64]
    regions: dict[int, ColumnCondition] = field(default_factory=dict)

    def is_moved(self, feature: int) -> bool:
        """Tell whether a column holds another value than at the start."""
        return bool(self.point[feature] != self.start[feature]) and not math.isnan(
            self.point[feature]
        )

    def enter(self, region: ColumnCondition) -> None:
        """Go to the nearest value of a region."""
        self.regions[region.feature] = region
        if not region.admits(float(self.point[region.feature])):
            self.point[region.feature] = nearest(region, float(self.start[region.feature]))

    def changes(self) -> list[int]:
        """Return the columns that have moved."""
        return [feature for feature in self.regions if self.is_moved(feature)]


def whole(schema: Schema, feature: int) -> ColumnCondition:
    """Return the region of all values of a column."""
    column = schema.columns[feature]
    if column.kind == "nominal":
        codes = tuple(range(len(column.categories)))
        return Membership(feature, column.name, codes, column.categories)
    return Interval(feature, column.name, categories=column.categories)


def outside(region: ColumnCondition, condition: ColumnCondition) -> list[ColumnCondition]:
    """Return the parts of a region where a condition on the same column is not true."""
    parts: list[ColumnCondition] = []
    if isinstance(region, Interval) and isinstance(condition, Interval):
        place, words = (region.feature, region.name), region.categories
        if condition.low > -math.inf:
            high = min(region.high, condition.low)
            parts.append(Interval(*place, region.low, high, words))
        if condition.high < math.inf:
            low = max(region.low, condition.high)
            parts.append(Interval(*place, low, region.high, words))
    else:
        words = region.vocabulary if isinstance(region, Membership) else region.categories
        left = tuple(code for code in region.codes if code not in set(condition.codes))
        parts.append(Membership(region.feature, region.name, left, words))
    return [part for part in parts if part.is_possible]


def nearest(region: ColumnCondition, value: float) -> float:
    """Return the value of a region that is nearest to another; the first if that is missing."""
    if isinstance(region, Membership):
        return float(region.codes[0])
    if region.categories:
        codes = region.codes
        return float(codes[0] if value != value else min(codes, key=lambda c: abs(c - value)))
    above = float(np.nextafter(region.low, math.inf)) if region.low > -math.inf else -math.inf
    if value != value:
        value = above if above > -math.inf else min(region.high, 0.0)
    return min(max(value, above), region.high)


def fires(rule: Rule, point: NDArray[np.float64]) -> bool:
    """Tell whether all conditions of a rule are true of a point."""
    return all(condition.admits_row(point) for condition in rule.conditions)


def n_failing(rule: Rule, point: NDArray[np.float64]) -> int:
    """Return how many conditions of a rule are not true of a point."""
    return sum(not condition.admits_row(point) for condition in rule.conditions)


def on_columns(rule: Rule) -> list[ColumnCondition]:
    """Return the conditions of a rule that ask one column."""
    return [c for c in rule.conditions if not isinstance(c, Expression)]


def expressions(rule: Rule) -> list[Expression]:
    """Return the conditions of a rule that ask an expression."""
    return [c for c in rule.conditions if isinstance(c, Expression)]


def move_into(rule: Rule | None, start: NDArray[np.float64]) -> Move | None:
    """Return the move into a rule, None if none is found; without a rule nothing moves."""
    move = Move(start, start.copy())
    if rule is None:
        return move
    if not all(condition.is_possible for condition in rule.conditions):
        return None
    for condition in on_columns(rule):
        move.enter(condition)
    asked = expressions(rule)
    if _touched(asked, move.changes()) or not all(e.admits_row(start) for e in asked):
        return None
    return move


def _touched(asked: Sequence[Expression], moved: Sequence[int]) -> list[Expression]:
    """Return the expressions that ask columns which have moved."""
    return [expression for expression in asked if set(expression.features) & set(moved)]


def clear_the_way(
    move: Move, rules: Sequence[Rule], wanted: Sequence[bool], schema: Schema
) -> bool:
    """Leave every rule that fires before a wanted one does; False if that cannot be done.

    Parameters
    ----------
    move : Move
        Changed in place.
    rules : sequence of Rule
        In order.
    wanted : sequence of bool
        Whether each rule, and in the last place the default, gives the wanted answer.
    schema : Schema
        The columns.
    """
    for _ in range(len(rules) + 1):  # each round leaves one rule for good
        first = next((i for i, rule in enumerate(rules) if fires(rule, move.point)), len(rules))
        if wanted[first]:
            return _narrow(move, rules[: first + 1], wanted)
        if first == len(rules) or not _leave(move, rules[first], schema):
            return False
    return False


def _leave(move: Move, rule: Rule, schema: Schema) -> bool:
    """Make one condition of a rule untrue, if possible in a column that has moved already."""
    options = [
        part
        for condition in sorted(on_columns(rule), key=lambda c: not move.is_moved(c.feature))
        for part in outside(_region(move, condition.feature, schema), condition)
    ]
    if not options:
        return False
    feature = options[0].feature
    same = [part for part in options if part.feature == feature]
    start = float(move.start[feature])
    move.enter(min(same, key=lambda part: abs(nearest(part, start) - start)))
    return True


def _narrow(move: Move, rules: Sequence[Rule], wanted: Sequence[bool]) -> bool:
    """Cut from the regions what would make an earlier rule fire, and what the last one excludes.

    False if an expression over the columns that move says which values will do.
    """
    moved = move.changes()
    for place, rule in enumerate(rules):
        here = {c.feature: c for c in on_columns(rule) if c.feature in moved}
        touched = _touched(expressions(rule), moved)
        if wanted[place] and place == len(rules) - 1 and fires(rule, move.point):
            if touched:
                return False
            for feature, condition in here.items():
                move.regions[feature] = move.regions[feature] & condition
        elif not wanted[place]:
            fixed = [c for c in rule.conditions if c.key not in here and c not in touched]
            if all(c.admits_row(move.point) for c in fixed):
                kept_out = _stay_out(move, here)
                if touched and not kept_out:
                    return False
    return True


def _stay_out(move: Move, conditions: dict[int, ColumnCondition]) -> bool:
    """Cut off where the first condition that is not true would be; False if all are true."""
    for feature, condition in conditions.items():
        value = float(move.point[feature])
        if not condition.admits(value):
            parts = outside(move.regions[feature], condition)
            move.regions[feature] = next(part for part in parts if part.admits(value))
            return True
    return False


def _region(move: Move, feature: int, schema: Schema) -> ColumnCondition:
    known = move.regions.get(feature)
    return whole(schema, feature) if known is None else known
