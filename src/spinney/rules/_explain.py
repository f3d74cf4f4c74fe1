"""Why a row is predicted as it is, and what would have to change for another answer."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._table import Schema
from spinney.rules._conditions import ColumnCondition, Expression, Interval
from spinney.rules._detours import detours
from spinney.rules._evaluate import rule_shares
from spinney.rules._regions import Move, clear_the_way, expressions, move_into, n_failing
from spinney.rules._row import encode_row, raw_value, value_text
from spinney.rules._rule import Rule
from spinney.rules._ruleset import RuleSet
from spinney.tree._words import category_text, number_text

__all__ = ["Alternative", "Change", "Explanation", "Fired"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Fired:
    """A rule that had a say about a row.

    Parameters
    ----------
    rule : Rule
        The rule.
    index : int
        Its place in the set, from 0.
    share : float
        The share of the row that it covers.
    values : tuple of str
        The row's own value for each of its conditions; for an expression whether it is true, and
        the values of its columns.
    detours : tuple of str, default=()
        For each node on the way whose test the row cannot answer: which surrogate stood in, or
        that the row went the way of most. None where such rows are divided, as `share` tells.
    """

    rule: Rule
    index: int
    share: float
    values: tuple[str, ...]
    detours: tuple[str, ...] = ()

    def __str__(self) -> str:
        part = "" if self.share == 1.0 else f" (share {self.share:.3g})"
        lines = [f"rule {self.index + 1}{part}: {self.rule}"]
        for condition, value in zip(self.rule.conditions, self.values, strict=True):
            lines.append(f"  {condition}  (is {value})")
        return "\n".join([*lines, *(f"  {detour}" for detour in self.detours)])


@dataclass(frozen=True)
class Change:
    """What one column would have to hold.

    Parameters
    ----------
    condition : Interval or Membership
        The values that would do.
    current : object
        What the row holds; None if that is missing.
    value : object
        The value that would do and is nearest: a number, or a category.
    current_text : str
        What the row holds, as text.
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
        """Place of the column."""
        return self.condition.feature

    def __str__(self) -> str:
        return f"{self.name} must be {_wanted(self.condition)} (is {self.current_text})"


@dataclass(frozen=True)
class Alternative:
    """What it takes for another class.

    Parameters
    ----------
    prediction : object
        The class.
    rule : Rule or None
        The rule that would give it; None if it would be the default.
    index : int
        The place of that rule in the set, from 0; -1 for the default.
    changes : tuple of Change
        What would have to change, all of it together.
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


@dataclass(frozen=True)
class Explanation:
    """Why a row is predicted as it is. `print` shows it as text.

    Parameters
    ----------
    prediction : object
        The class, or the mean.
    probabilities : array of shape (n_classes,) or None
        Class shares; None for regression.
    confidence : float
        Share of the predicted class; NaN for regression.
    fired : tuple of Fired
        The rules that decided, largest share first; none if the default did.
    alternatives : tuple of Alternative
        For each other class a near way to it: the one with the fewest changes among those that
        lead to a rule of the class, then by the rule of highest confidence. All conditions of that
        rule must hold, also where the row has a gap, and in an ordered set the rules before it are
        avoided one after the other; so a shorter way may exist. Every way that is shown has been
        tried. A class that no such way leads to is left out. Expressions over several columns are
        not solved: a rule that asks one is only considered if it is true of the row already, and
        the columns that it asks stay as they are.
    untried : tuple, default=()
        Classes without an alternative, where rules that ask expressions might lead to them.

    Examples
    --------
    >>> from spinney import CARTClassifier
    >>> X, y = {"income": [20, 30, 40, 50]}, ["bad", "bad", "good", "good"]
    >>> print(CARTClassifier().fit(X, y).tree_.explain({"income": 30}))
    predicted bad (1.00)
    rule 1: if income <= 35 then bad  (coverage 2, confidence 1, lift 2)
      income <= 35  (is 30)
    for good instead (rule 2, confidence 1.00):
      income must be above 35 (is 30)
    """

    prediction: Any
    probabilities: Floats | None
    confidence: float
    fired: tuple[Fired, ...]
    alternatives: tuple[Alternative, ...]
    untried: tuple[Any, ...] = ()

    def __str__(self) -> str:
        if self.probabilities is None:
            lines = [f"predicted {number_text(self.prediction, 6)}"]
        else:
            lines = [f"predicted {category_text(self.prediction)} ({self.confidence:.2f})"]
        if not self.fired:
            lines.append("no rule fires: the default is predicted")
        lines += [*map(str, self.fired), *map(str, self.alternatives)]
        for label in self.untried:
            lines.append(
                f"for {category_text(label)} instead: no way is shown; it may take a change of "
                "columns that expressions ask, which are not solved"
            )
        return "\n".join(lines)


def explain(rules: RuleSet, row: Any) -> Explanation:
    """Explain what a set of rules says about one row; see `RuleSet.explain`."""
    point = encode_row(rules.schema, row)
    values = point.reshape(1, -1)
    answer = rules._values(values)[0]
    fired = _fired(rules, point)
    if rules.classes is None:
        return Explanation(float(answer[0]), None, math.nan, fired, ())
    code = int(rules._predicted_codes(values)[0])
    others = [k for k in range(len(rules.classes)) if k != code]
    found = [nearest_way(rules, point, other) for other in others]
    ways = tuple(way for way in found if way is not None)
    label = rules.classes.item(code)
    untried: tuple[Any, ...] = ()
    if any(expressions(rule) for rule in rules):
        pairs = zip(others, found, strict=True)
        untried = tuple(rules.classes.item(other) for other, way in pairs if way is None)
    return Explanation(label, answer, float(answer[code]), fired, ways, untried)


def _fired(rules: RuleSet, point: Floats) -> tuple[Fired, ...]:
    """Return the rules that have a say: in an ordered set the first that fires alone."""
    values = point.reshape(1, -1)
    if rules.ordered:
        first = int(rules._first(values)[0])
        entries = [] if first < 0 else [(first, 1.0)]
    else:
        found = rule_shares(rules.rules, values)
        entries = list(zip(found.rule.tolist(), found.share.tolist(), strict=True))
    entries.sort(key=lambda entry: (-entry[1], entry[0]))

    def fired(place: int, share: float) -> Fired:
        rule, schema = rules[place], rules.schema
        values = _own_values(schema, rule, point)
        return Fired(rule, place, share, values, detours(schema, rule, point))

    return tuple(fired(place, share) for place, share in entries)


def _own_values(schema: Schema, rule: Rule, point: Floats) -> tuple[str, ...]:
    def text(feature: int) -> str:
        return value_text(schema, feature, float(point[feature]))

    found = []
    for condition in rule.conditions:
        if isinstance(condition, Expression):
            asked = ", ".join(f"{schema.names[f]} {text(f)}" for f in condition.features)
            found.append(f"{'true' if condition.admits_row(point) else 'not known'} for {asked}")
        else:
            found.append(text(condition.feature))
    return tuple(found)


def nearest_way(rules: RuleSet, point: Floats, code: int) -> Alternative | None:
    """Return the way to a class that takes the fewest changes; None if none is found.

    Rules are tried by the number of conditions that are not true yet, then by confidence. Every
    way is tried out before it is believed.
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
        if move is None or (
            rules.ordered and not clear_the_way(move, rules.rules, wanted, rules.schema)
        ):
            continue
        if not move.changes() or int(_outcome(rules, move)) != code:
            continue
        if best is None or len(move.changes()) < len(best.changes):
            best = _alternative(rules, place, move, code)
    return best


def _outcome(rules: RuleSet, move: Move) -> int:
    return int(rules._predicted_codes(move.point.reshape(1, -1))[0])


def _alternative(rules: RuleSet, place: int, move: Move, code: int) -> Alternative:
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
    """Return the values of a region as words that follow 'must be'."""
    if not isinstance(condition, Interval) or condition.categories:
        words = condition.categories
        if isinstance(condition, Interval):
            words = tuple(words[code] for code in condition.codes)
        names = ", ".join(category_text(word) for word in words)
        return names if len(words) == 1 else f"one of {names}"
    low = f"above {number_text(condition.low)}" if condition.low > -math.inf else ""
    high = f"at most {number_text(condition.high)}" if condition.high < math.inf else ""
    return " and ".join(part for part in (low, high) if part) or "given"
