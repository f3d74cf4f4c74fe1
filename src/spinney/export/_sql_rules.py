"""SQL for ordered rules: one flat CASE, a line for each rule, and the default as ELSE."""

import math
from typing import Any

from spinney.export._literals import sql_name, sql_number, sql_value
from spinney.export._sql_parts import case, in_interval, is_one_of


def is_rule_set(model: Any) -> bool:
    """Tell whether a model is a set of rules."""
    return hasattr(model, "rules") and hasattr(model, "ordered") and hasattr(model, "schema")


def rules_expression(rules: Any, nan: bool) -> str:
    """Return what a set of ordered rules predicts: the first rule that holds decides."""
    if not rules.ordered:
        raise ValueError(
            "rules that are not ordered predict as the tree that they came from, with its missing "
            "values. Export the tree, or prune the rules first: rules.prune(X, y)."
        )
    if rules.default is None:
        raise ValueError("the rules have no default for rows that none of them covers.")
    is_class = rules.classes is not None
    pairs = []
    for rule in rules.rules:
        texts = [_condition(condition, rules.schema, nan) for condition in rule.conditions]
        if all(text is not None for text in texts):
            held = " AND ".join(filter(None, texts)) or "TRUE"
            pairs.append((held, _answer(rule.prediction, is_class)))
    return case(pairs, _answer(rules.default, is_class))


def _answer(prediction: Any, is_class: bool) -> str:
    plain = prediction.item() if hasattr(prediction, "item") else prediction
    return sql_value(plain) if is_class else sql_number(plain, always_real=True)


def _condition(condition: Any, schema: Any, nan: bool) -> str | None:
    """Return a condition; None if nothing fulfils it."""
    column = schema.columns[condition.feature]
    name = sql_name(column.name)
    if column.kind != "numeric":
        return is_one_of(name, [sql_value(column.categories[code]) for code in condition.codes])
    low = None if condition.low == -math.inf else condition.low
    high = None if condition.high == math.inf else condition.high
    if low is None and high is None and nan:
        return f"{name} <= 9e999"  # true of every number, and not of NaN
    return in_interval(name, low, high, nan)
