"""Explanations: the rules behind the prediction of a row, and the nearest ways to other classes."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from spinney._format import category_text, join_words, number_text
from spinney._html import html_text
from spinney._table import Schema, encode_for
from spinney._typing import Floats
from spinney.rules._conditions import ExpressionCondition
from spinney.rules._counterfactual import (
    Alternative,
    expressions,
    nearest_way,
    raw_value,
    value_text,
)
from spinney.rules._matching import rule_shares
from spinney.rules._rule import Rule, Step
from spinney.rules._ruleset import RuleSet
from spinney.tree import ExpressionTest


@dataclass(frozen=True)
class Fired:
    """A rule that contributed to a prediction.

    Parameters
    ----------
    rule : Rule
        The rule.
    index : int
        Its index in the set.
    share : float
        The fraction of the row that it covers.
    values : tuple of str
        The row's value for each condition; for an expression its truth value and the values of its
        columns.
    detours : tuple of str, default=()
        For each node on the path whose test involves a missing value: the surrogate used, or that
        the row followed the majority. Empty where such rows are divided; see `share`.
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
class Explanation:
    """The explanation of a prediction. `print` shows it as text.

    Parameters
    ----------
    prediction : object
        The class, or the mean.
    probabilities : array of shape (n_classes,) or None
        Class probabilities; None for regression.
    confidence : float
        Probability of the predicted class; NaN for regression.
    fired : tuple of Fired
        The rules that decided, largest share first; empty if the default did.
    alternatives : tuple of Alternative
        A counterfactual for each other class: the one with the fewest changes among those that
        satisfy a rule of the class, then by the rule's confidence. All conditions of that rule must
        hold, also for missing values, and in an ordered set the preceding rules are left one after
        the other; so a shorter one may exist. Every counterfactual has been verified. Classes for
        which none is found are left out. Expressions over several columns are not solved: a rule
        with an expression is considered only if the row satisfies the expression already, and the
        columns of the expression are left unchanged.
    untried : tuple, default=()
        Classes without a counterfactual that rules with expressions might lead to.

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

    def _repr_html_(self) -> str:
        head, _, rest = str(self).partition("\n")
        return html_text(head, rest)


def explain(rules: RuleSet, row: Any, fixed: Sequence[str] = ()) -> Explanation:
    """Explain the prediction of one row; see `RuleSet.explain`. Fixed columns cannot change."""
    point = encode_row(rules.schema, row)
    values = point.reshape(1, -1)
    answer = rules._values(values)[0]
    fired = _fired(rules, point)
    if rules.classes is None:
        return Explanation(float(answer[0]), None, math.nan, fired, ())
    code = int(rules._predicted_codes(values)[0])
    others = [k for k in range(len(rules.classes)) if k != code]
    held = [rules.schema.names.index(name) for name in fixed]
    found = [nearest_way(rules, point, other, held) for other in others]
    ways = tuple(way for way in found if way is not None)
    label = rules.classes.item(code)
    untried: tuple[Any, ...] = ()
    if any(expressions(rule) for rule in rules):
        pairs = zip(others, found, strict=True)
        untried = tuple(rules.classes.item(other) for other, way in pairs if way is None)
    return Explanation(label, answer, float(answer[code]), fired, ways, untried)


def _fired(rules: RuleSet, point: Floats) -> tuple[Fired, ...]:
    """Return the rules that contribute; in an ordered set only the first that matches."""
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
        if isinstance(condition, ExpressionCondition):
            tested = ", ".join(f"{schema.names[f]} {text(f)}" for f in condition.features)
            found.append(f"{'true' if condition.admits_row(point) else 'not known'} for {tested}")
        else:
            found.append(text(condition.feature))
    return tuple(found)


def detours(schema: Schema, rule: Rule, point: Floats) -> tuple[str, ...]:
    """Return a line for each node on the path of a rule whose test involves a missing value.

    Nodes that divide the row are left out: the rule's share accounts for them.
    """
    row = [raw_value(schema, f, float(value)) for f, value in enumerate(point)]
    open_steps = [step for step in rule.path or () if _branch(step.node.test, row) is None]
    return tuple(
        f"{step} is not known: {_instead(schema, step, row, point)}"
        for step in open_steps
        if step.missing != "fractional"
    )


def _instead(schema: Schema, step: Step, row: Sequence[Any], point: Floats) -> str:
    for surrogate in step.node.surrogates:
        found = _branch(surrogate.test, row)
        if found is None:
            continue
        tested = surrogate.test
        features = tested.features if isinstance(tested, ExpressionTest) else (tested.feature,)
        values = ", ".join(value_text(schema, f, float(point[f])) for f in features)
        return f"{tested.branch_text(found)} stood in (is {values})"
    return "it went the way of most rows"


def _branch(test: Any, row: Sequence[Any]) -> int | None:
    """Return the branch of a test on one column or on several."""
    branch: int | None = test.branch(row if isinstance(test, ExpressionTest) else row[test.feature])
    return branch


def encode_row(schema: Schema, row: Any, unseen: Literal["missing", "error"] = "missing") -> Floats:
    """Encode a single row.

    Parameters
    ----------
    schema : Schema
        The columns.
    row : mapping, pandas Series, table with one row, or 1-D array
        Mappings and Series are matched by column name.
    unseen : {"missing", "error"}, default="missing"
        How to treat categories that the schema does not contain.

    Returns
    -------
    array of shape (n_features,)
    """
    values = encode_for("the rule set", schema, _as_table(schema, row), unseen=unseen)
    if len(values) != 1:
        raise ValueError(f"row must be a single row, got a table of {len(values)} rows.")
    return np.array(values[0], dtype=np.float64)


def _as_table(schema: Schema, row: Any) -> Any:
    is_series = hasattr(row, "to_dict") and getattr(row, "ndim", 0) == 1
    if is_series:
        row = row.to_dict() if schema.has_names else np.asarray(row, dtype=object)
    if isinstance(row, Mapping):
        return _from_mapping(schema, row)
    if isinstance(row, list | tuple) and not any(isinstance(v, list | tuple) for v in row):
        row = np.array(row, dtype=object)
    if isinstance(row, np.ndarray) and row.ndim == 1:
        return row.reshape(1, -1)
    return row


def _from_mapping(schema: Schema, row: Mapping[Any, Any]) -> dict[str, NDArray[Any]]:
    lacking = [name for name in schema.names if name not in row]
    strange = [name for name in row if name not in schema.names]
    if lacking or strange:
        problem = f"lacks {join_words(lacking)}" if lacking else f"holds {join_words(strange)}"
        raise ValueError(
            f"row {problem}, but the columns are {join_words(schema.names)}. Give every column by "
            "its name; None stands for a missing value."
        )
    table = {}
    for name in schema.names:
        value = row[name]
        if np.ndim(value) and np.size(value) != 1:
            raise ValueError(f"row holds {np.size(value)} values of {name!r}. Give one row.")
        cell = np.empty(1, dtype=object)
        cell[0] = value if np.ndim(value) == 0 else np.asarray(value, dtype=object).ravel()[0]
        table[name] = cell
    return table
