"""Recipe of a set of rules: arrays for all of its rules and their conditions.

The columns and categories of conditions are those of the schema, so only what differs is stored.
"""

from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._expression.expression_test import ExpressionTest
from spinney._expression.tokens import OPS, Token
from spinney._state._kinds import (
    ANYTHING,
    FLAG,
    FLOATS,
    FLOATS_2D,
    LABELS,
    PLACES,
    StateError,
    array,
    is_zero,
    many,
    one,
    or_none,
)
from spinney._state._recipes import Recipe
from spinney._table import Schema
from spinney._table._cells import as_objects
from spinney.rules._conditions import Condition, ExpressionCondition, Interval, Membership
from spinney.rules._rule import Rule
from spinney.rules._ruleset import RuleSet
from spinney.tree._tree import Tree

# How a condition is marked. An expression must be true, false, or both, which no row is. The last
# two are fulfilled by missing values, too.
_INTERVAL, _MEMBERSHIP, _TRUE, _FALSE, _TRUE_BOTH, _FALSE_BOTH = range(6)
_INTERVAL_OR_MISSING, _MEMBERSHIP_OR_MISSING = 6, 7
_NOTHING = np.iinfo(np.int64).min  # for None among whole numbers
_COUNTED = ("counts", "totals", "_probabilities")
_ALONE = ("_weight", "_total_weight")
_BYTES = array(np.uint8)


def _take_conditions(conditions: list[Condition]) -> dict[str, Any]:
    codes = [c.codes if isinstance(c, Membership) else () for c in conditions]
    tokens = [c.test.tokens if isinstance(c, ExpressionCondition) else () for c in conditions]
    flat = [*chain(*tokens)]
    return {
        "kind": np.array([_kind_of(condition) for condition in conditions], np.uint8),
        "feature": np.array([getattr(c, "feature", -1) for c in conditions], np.int64),
        "low": np.array([getattr(c, "low", 0.0) for c in conditions], np.float64),
        "high": np.array([getattr(c, "high", 0.0) for c in conditions], np.float64),
        "n_codes": np.array([*map(len, codes)], np.int64),
        "code": np.array([*chain(*codes)], np.int64),
        "n_tokens": np.array([*map(len, tokens)], np.int64),
        "op": np.array([OPS.index(token.op) for token in flat], np.uint8),
        "arg": np.array([token.arg for token in flat], np.int64),
        "value": np.array([token.value for token in flat], np.float64),
    }


def _kind_of(condition: Condition) -> int:
    if isinstance(condition, Interval):
        return _INTERVAL_OR_MISSING if condition.missing else _INTERVAL
    if isinstance(condition, Membership):
        return _MEMBERSHIP_OR_MISSING if condition.missing else _MEMBERSHIP
    if condition.is_possible:
        return _TRUE if condition.truth else _FALSE
    return _TRUE_BOTH if condition.truth else _FALSE_BOTH


_CONDITIONS = {
    "kind": _BYTES,
    "feature": PLACES,
    "low": FLOATS,
    "high": FLOATS,
    "n_codes": PLACES,
    "code": PLACES,
    "n_tokens": PLACES,
    "op": _BYTES,
    "arg": PLACES,
    "value": FLOATS,
}


def parted(values: list[Any], sizes: list[int], what: str) -> list[list[Any]]:
    """Return a list cut into parts of given sizes."""
    if any(size < 0 for size in sizes) or sum(sizes) != len(values):
        raise StateError(f"RuleSet: {what} do not add up to {len(values)}.")
    ends = np.cumsum(sizes).tolist()
    return [values[end - size : end] for size, end in zip(sizes, ends, strict=True)]


def _conditions(state: dict[str, Any], schema: Schema) -> list[Condition]:
    lists = {name: state[name].tolist() for name in _CONDITIONS}
    n = len(lists["kind"])
    if any(len(lists[name]) != n for name in ("feature", "low", "high", "n_codes", "n_tokens")):
        raise StateError("RuleSet: the arrays of the conditions differ in length.")
    codes = parted(lists["code"], lists["n_codes"], "n_codes")
    if not len(lists["op"]) == len(lists["arg"]) == len(lists["value"]):
        raise StateError("RuleSet: the arrays of the tokens differ in length.")
    if any(op >= len(OPS) for op in lists["op"]):
        raise StateError("RuleSet: a condition has an unknown token.")
    cells = zip(lists["op"], lists["arg"], lists["value"], strict=True)
    flat = [Token(OPS[op], arg, value) for op, arg, value in cells]
    tokens = parted(flat, lists["n_tokens"], "n_tokens")
    return [
        _condition(
            lists["kind"][i],
            lists["feature"][i],
            (lists["low"][i], lists["high"][i]),
            tuple(codes[i]),
            tuple(tokens[i]),
            schema,
        )
        for i in range(n)
    ]


def _condition(
    kind: int,
    feature: int,
    ends: tuple[float, float],
    codes: tuple[int, ...],
    tokens: tuple[Token, ...],
    schema: Schema,
) -> Condition:
    if kind > _MEMBERSHIP_OR_MISSING:
        raise StateError("RuleSet: a condition is of an unknown kind.")
    unused = [not all(map(is_zero, ends)), bool(codes)]
    if _TRUE <= kind <= _FALSE_BOTH:
        if feature != -1 or any(unused):
            raise StateError("RuleSet: an expression has tokens, and nothing else.")
        truth, possible = kind in (_TRUE, _TRUE_BOTH), kind in (_TRUE, _FALSE)
        return ExpressionCondition(ExpressionTest(tokens, schema.columns), truth, possible)
    if not 0 <= feature < len(schema.columns) or tokens:
        raise StateError("RuleSet: a condition asks a column that is not there.")
    column = schema.columns[feature]
    missing = kind in (_INTERVAL_OR_MISSING, _MEMBERSHIP_OR_MISSING)
    if kind in (_INTERVAL, _INTERVAL_OR_MISSING):
        if unused[1]:
            raise StateError("RuleSet: an interval has no codes.")
        return Interval(feature, column.name, *ends, column.categories, missing)
    if unused[0]:
        raise StateError("RuleSet: a set of categories has no ends.")
    return Membership(feature, column.name, codes, column.categories, missing)


# -- Rules


def _stacked(rows: list[Any], width: int) -> dict[str, Any]:
    """Return rows of which some are None: which are there, and these as one array."""
    there = [one_ is not None for one_ in rows]
    known = [one_ for one_ in rows if one_ is not None]
    cells = np.array(known, np.float64).reshape(len(known), width)
    return {"there": np.array(there, np.bool_), "rows": cells}


def _unstacked(there: NDArray[Any], rows: NDArray[Any], width: int, what: str) -> list[Any]:
    if rows.shape != (np.count_nonzero(there), width):
        raise StateError(f"RuleSet: {what} do not fit the rules and classes.")
    if not (np.isfinite(rows) & (rows >= 0.0)).all():
        raise StateError(f"RuleSet: {what} hold a number that is not finite, or below 0.")
    rest = iter(rows)
    return [next(rest) if is_there else None for is_there in there.tolist()]


def _take_rules(rules: RuleSet) -> dict[str, Any]:
    conditions = [condition for rule in rules for condition in rule.conditions]
    n_classes = 0 if rules.classes is None else len(rules.classes)
    trees: list[Tree] = []
    for rule in rules:
        if rule._tree is not None and not any(rule._tree is known for known in trees):
            trees.append(rule._tree)
    places = {id(tree): place for place, tree in enumerate(trees)}
    state: dict[str, Any] = {
        "schema": rules.schema,
        "classes": rules.classes,
        "default": rules.default,
        "default_counts": rules.default_counts,
        "cost_matrix": rules.cost_matrix,
        "ordered": rules.ordered,
        "n_conditions": np.array([len(rule.conditions) for rule in rules], np.int64),
        **_take_conditions(conditions),
        "prediction": as_objects([rule.prediction for rule in rules]),
        "label": np.array(
            [_NOTHING if rule.label is None else rule.label for rule in rules], np.int64
        ),
        "cf": np.array([rule.cf for rule in rules], np.float64),
        "trees": trees,
        "tree": np.array([places.get(id(rule._tree), -1) for rule in rules], np.int64),
        "leaf": np.array([rule._leaf for rule in rules], np.int64),
    }
    for name in _COUNTED + _ALONE:
        rows = [getattr(rule, name) for rule in rules]
        stacked = _stacked(rows, n_classes if name in _COUNTED else 1)
        state |= {f"{name.strip('_')}_there": stacked["there"], name.strip("_"): stacked["rows"]}
    return state


def _fill_rules(rules: RuleSet, state: dict[str, Any]) -> None:
    schema = state["schema"]
    conditions = _conditions(state, schema)
    listed = parted(conditions, state["n_conditions"].tolist(), "n_conditions")
    n = len(listed)
    n_classes = 0 if state["classes"] is None else len(state["classes"])
    stacked = {}
    for attribute in _COUNTED + _ALONE:
        name, width = attribute.strip("_"), n_classes if attribute in _COUNTED else 1
        stacked[name] = _unstacked(state[f"{name}_there"], state[name], width, name)
    per_rule = ("prediction", "label", "cf", "tree", "leaf", *(f"{k}_there" for k in stacked))
    if any(len(state[name]) != n for name in per_rule):
        raise StateError("RuleSet: the arrays of the rules differ in length.")
    made = []
    for i in range(n):
        label = int(state["label"][i])
        rule = Rule(
            listed[i],
            state["prediction"][i],
            stacked["counts"][i],
            stacked["totals"][i],
            label=None if label == _NOTHING else label,
            coverage=_alone(stacked["weight"][i]),
            total_weight=_alone(stacked["total_weight"][i]),
            probabilities=stacked["probabilities"][i],
            cf=float(state["cf"][i]),
        )
        if len(rule.conditions) != len(listed[i]):
            raise StateError(f"RuleSet: rule {i} asks one column twice.")
        rule._tree, rule._leaf = _path(state, i)
        made.append(rule)
    used = list(dict.fromkeys(place for place in state["tree"].tolist() if place >= 0))
    if used != list(range(len(state["trees"]))) or len({*map(id, state["trees"])}) != len(used):
        raise StateError("RuleSet: its trees are not those of its rules, in their order.")
    if any(rule.label is not None and not 0 <= rule.label < n_classes for rule in made):
        raise StateError("RuleSet: a rule has a label that is none of the classes.")
    names = ("schema", "classes", "default", "default_counts", "cost_matrix", "ordered")
    rules.__init__(made, **{name: state[name] for name in names})  # type: ignore[misc]


def _alone(row: NDArray[Any] | None) -> float | None:
    return None if row is None else float(row[0])


def _path(state: dict[str, Any], i: int) -> tuple[Tree | None, int]:
    place, leaf = int(state["tree"][i]), int(state["leaf"][i])
    if place == -1 and leaf == -1:
        return None, -1
    trees = state["trees"]
    if not 0 <= place < len(trees) or not 0 <= leaf < trees[place].n_nodes:
        raise StateError(f"RuleSet: rule {i} is the path to a leaf that is not there.")
    tree: Tree = trees[place]
    if tree.schema != state["schema"] or tree.first_child[leaf] >= 0:
        raise StateError(f"RuleSet: rule {i} is no path of its tree.")
    return tree, leaf


RULE_SET = Recipe(
    RuleSet,
    {
        "schema": one(Schema),
        "classes": or_none(LABELS),
        "default": ANYTHING,
        "default_counts": or_none(FLOATS),
        "cost_matrix": or_none(FLOATS_2D),
        "ordered": FLAG,
        "n_conditions": PLACES,
        **_CONDITIONS,
        "prediction": array(object),
        "label": PLACES,
        "cf": FLOATS,
        "trees": many(one(Tree)),
        "tree": PLACES,
        "leaf": PLACES,
        **{
            key: kind
            for name in _COUNTED + _ALONE
            for key, kind in (
                (f"{name.strip('_')}_there", array(np.bool_)),
                (name.strip("_"), FLOATS_2D),
            )
        },
    },
    _take_rules,
    _fill_rules,
)
RECIPES: list[Recipe[Any]] = [RULE_SET]
