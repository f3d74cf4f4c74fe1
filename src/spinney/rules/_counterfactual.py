"""Counterfactuals: the changes of column values that lead to another prediction.

A *region* is a condition on one column; a *point* is an encoded row. To make a rule decide, the
point is moved to the nearest value in the region of each of its conditions. In an ordered set an
earlier rule with another prediction may still match; the point then also leaves a region of that
rule, and so on. Every value of the resulting regions leads to the new prediction.

Expressions over several columns are not solved: they must be true already, and their columns are
left unchanged.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from spinney._format import category_text, number_text
from spinney._table import Schema
from spinney._typing import Floats
from spinney.rules._conditions import ColumnCondition, ExpressionCondition, Interval, Membership
from spinney.rules._rule import Rule

if TYPE_CHECKING:
    from spinney.rules._ruleset import RuleSet


@dataclass(frozen=True)
class Change:
    """The required change of one column.

    Parameters
    ----------
    condition : Interval or Membership
        The values that lead to the other prediction.
    current : object
        The value of the row; None if it is missing.
    value : object
        The nearest of these values: a number, or a category.
    current_text : str
        The value of the row, as text.
    """

    condition: ColumnCondition
    current: Any
    value: Any
    current_text: str

    @property
    def name(self) -> str:
        """Name of the column."""
        return self.condition.name

    @property
    def feature(self) -> int:
        """Index of the column."""
        return self.condition.feature

    def __str__(self) -> str:
        return f"{self.name} must be {_wanted(self.condition)} (is {self.current_text})"


@dataclass(frozen=True)
class Alternative:
    """The changes that lead to another class.

    Parameters
    ----------
    prediction : object
        The other class.
    rule : Rule or None
        The rule that predicts it after the changes; None for the default.
    index : int
        Index of that rule in the set; -1 for the default.
    changes : tuple of Change
        The changes, all of which are needed.
    """

    prediction: Any
    rule: Rule | None
    index: int
    changes: tuple[Change, ...]

    def __str__(self) -> str:
        if self.rule is None:
            by = "the default"
        else:
            by = f"rule {self.index + 1}, confidence {self.rule.confidence:.2f}"
        lines = [f"for {category_text(self.prediction)} instead ({by}):"]
        return "\n".join([*lines, *(f"  {change}" for change in self.changes)])


@dataclass
class Move:
    """A row that is moved towards another prediction."""

    start: Floats
    point: Floats
    regions: dict[int, ColumnCondition] = field(default_factory=dict)

    def is_moved(self, feature: int) -> bool:
        """Return whether the value of a column differs from the start."""
        return bool(self.point[feature] != self.start[feature]) and not math.isnan(
            self.point[feature]
        )

    def enter(self, region: ColumnCondition) -> None:
        """Move to the nearest value of a region."""
        self.regions[region.feature] = region
        if not region.admits(float(self.point[region.feature])):
            self.point[region.feature] = nearest(region, float(self.start[region.feature]))

    def changes(self) -> list[int]:
        """Return the columns that have moved."""
        return [feature for feature in self.regions if self.is_moved(feature)]


def nearest_way(
    rules: "RuleSet", point: Floats, code: int, fixed: Collection[int] = ()
) -> Alternative | None:
    """Return the counterfactual with the fewest changes; None if none is found.

    Rules are tried in order of the number of unsatisfied conditions, then of confidence. Every
    candidate is verified by a prediction. Fixed columns keep their values.
    """
    places = np.flatnonzero(rules._labels == code).tolist()
    order = {place: n_failing(rules[place], point) for place in places}
    confidence = {place: np.nan_to_num(rules[place].confidence) for place in places}
    places.sort(key=lambda place: (order[place], -confidence[place], place))
    assert rules.classes is not None
    wanted = [*(label == code for label in rules._labels.tolist())]
    wanted.append(rules.default is not None and rules._code(rules.default, "default") == code)
    tries: list[int] = [*places, -1] if rules.ordered and wanted[-1] else places
    best: Alternative | None = None
    for place in tries:
        if best is not None and (place < 0 or order[place] >= len(best.changes)):
            break
        move = move_into(None if place < 0 else rules[place], point)
        if move is None:
            continue
        if rules.ordered and not clear_the_way(move, rules.rules, wanted, rules.schema):
            continue
        if set(move.changes()) & set(fixed):
            continue
        if not move.changes() or int(rules._predicted_codes(move.point.reshape(1, -1))[0]) != code:
            continue
        if best is None or len(move.changes()) < len(best.changes):
            best = _alternative(rules, place, move, code)
    return best


def _alternative(rules: "RuleSet", place: int, move: Move, code: int) -> Alternative:
    schema, changes = rules.schema, []
    if rules.ordered:  # an earlier rule may have got in first, with the same answer
        place = int(rules._first(move.point.reshape(1, -1))[0])
    for feature in move.changes():
        start, end = float(move.start[feature]), float(move.point[feature])
        raw = raw_value(schema, feature, start), raw_value(schema, feature, end)
        text = value_text(schema, feature, start)
        changes.append(Change(move.regions[feature], *raw, text))
    assert rules.classes is not None
    rule = None if place < 0 else rules[place]
    return Alternative(rules.classes.item(code), rule, place, tuple(changes))


def _wanted(condition: ColumnCondition) -> str:
    """Format the values of a region, to follow 'must be'."""
    if not isinstance(condition, Interval) or condition.categories:
        words = condition.categories
        if isinstance(condition, Interval):
            words = tuple(words[code] for code in condition.codes)
        names = ", ".join(category_text(word) for word in words)
        return names if len(words) == 1 else f"one of {names}"
    low = f"above {number_text(condition.low)}" if condition.low > -math.inf else ""
    high = f"at most {number_text(condition.high)}" if condition.high < math.inf else ""
    return " and ".join(part for part in (low, high) if part) or "given"


def raw_value(schema: Schema, feature: int, value: float) -> Any:
    """Decode a value: a number, a category, or None if missing."""
    if value != value:
        return None
    categories = schema.columns[feature].categories
    return categories[int(value)] if categories else value


def value_text(schema: Schema, feature: int, value: float) -> str:
    """Format an encoded value."""
    raw = raw_value(schema, feature, value)
    if raw is None:
        return "missing" if not schema.columns[feature].categories else "missing or unknown"
    return category_text(raw) if schema.columns[feature].categories else number_text(raw)


def whole(schema: Schema, feature: int) -> ColumnCondition:
    """Return the region that contains all values of a column."""
    column = schema.columns[feature]
    if column.kind == "nominal":
        codes = tuple(range(len(column.categories)))
        return Membership(feature, column.name, codes, column.categories)
    return Interval(feature, column.name, categories=column.categories)


def outside(region: ColumnCondition, condition: ColumnCondition) -> list[ColumnCondition]:
    """Return the parts of a region outside a condition on the same column."""
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
    """Return the value of a region nearest to a given one; the first if that is missing."""
    if isinstance(region, Membership):
        return float(region.codes[0])
    if region.categories:
        codes = region.codes
        return float(codes[0] if value != value else min(codes, key=lambda c: abs(c - value)))
    above = float(np.nextafter(region.low, math.inf)) if region.low > -math.inf else -math.inf
    if value != value:
        value = above if above > -math.inf else min(region.high, 0.0)
    return min(max(value, above), region.high)


def fires(rule: Rule, point: Floats) -> bool:
    """Return whether a point satisfies all conditions of a rule."""
    return all(condition.admits_row(point) for condition in rule.conditions)


def n_failing(rule: Rule, point: Floats) -> int:
    """Return the number of conditions of a rule that a point does not satisfy."""
    return sum(not condition.admits_row(point) for condition in rule.conditions)


def on_columns(rule: Rule) -> list[ColumnCondition]:
    """Return the conditions of a rule on single columns."""
    return [c for c in rule.conditions if not isinstance(c, ExpressionCondition)]


def expressions(rule: Rule) -> list[ExpressionCondition]:
    """Return the expression conditions of a rule."""
    return [c for c in rule.conditions if isinstance(c, ExpressionCondition)]


def move_into(rule: Rule | None, start: Floats) -> Move | None:
    """Return the move into a rule, None if none is found; without a rule nothing moves."""
    move = Move(start, start.copy())
    if rule is None:
        return move
    if not all(condition.is_possible for condition in rule.conditions):
        return None
    for condition in on_columns(rule):
        move.enter(condition)
    tested = expressions(rule)
    if _touched(tested, move.changes()) or not all(e.admits_row(start) for e in tested):
        return None
    return move


def _touched(
    tested: Sequence[ExpressionCondition], moved: Sequence[int]
) -> list[ExpressionCondition]:
    """Return the expressions that use moved columns."""
    return [expression for expression in tested if set(expression.features) & set(moved)]


def clear_the_way(
    move: Move, rules: Sequence[Rule], wanted: Sequence[bool], schema: Schema
) -> bool:
    """Leave every rule that matches before a wanted one; False if that is impossible.

    Parameters
    ----------
    move : Move
        Modified in place.
    rules : sequence of Rule
        In order.
    wanted : sequence of bool
        Whether each rule and, last, the default has the wanted prediction.
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
    """Violate one condition of a rule, preferably in a column that has moved already."""
    options = [
        part
        for condition in sorted(on_columns(rule), key=lambda c: not move.is_moved(c.feature))
        for part in outside(
            move.regions.get(condition.feature) or whole(schema, condition.feature), condition
        )
    ]
    if not options:
        return False
    feature = options[0].feature
    same = [part for part in options if part.feature == feature]
    start = float(move.start[feature])
    move.enter(min(same, key=lambda part: abs(nearest(part, start) - start)))
    return True


def _narrow(move: Move, rules: Sequence[Rule], wanted: Sequence[bool]) -> bool:
    """Restrict the regions to values for which no earlier rule matches and the last one does.

    False if an expression over moved columns decides about that.
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
    """Exclude the first unsatisfied condition from its region; False if all are satisfied."""
    for feature, condition in conditions.items():
        value = float(move.point[feature])
        if not condition.admits(value):
            parts = outside(move.regions[feature], condition)
            move.regions[feature] = next(part for part in parts if part.admits(value))
            return True
    return False
