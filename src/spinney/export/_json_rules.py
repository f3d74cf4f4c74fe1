"""Ordered rules as JSON, with typed conditions."""

import math
from typing import Any

from spinney._table import Schema
from spinney.export._rule_model import RuleModel, Wanted
from spinney.tree._to_dict import json_number, tokens_to_list


def rules_dict(rules: RuleModel) -> dict[str, Any]:
    """Return ordered rules in a form that JSON can hold."""
    columns = rules.schema.columns
    entries = []
    for step in rules.steps[:-1]:
        conditions = [_condition(want, rules.schema) for want in step.wanted]
        answer = answer_dict(rules.classes, step.answer, step.label)
        entries.append({"text": step.said, "conditions": conditions, "answer": answer})
    last = rules.steps[-1]
    return {
        "classes": rules.classes,
        "features": [column.name for column in columns],
        "kinds": [column.kind for column in columns],
        "categories": {c.name: list(c.categories) for c in columns if c.kind != "numeric"},
        "rules": entries,
        "default": answer_dict(rules.classes, last.answer, last.label),
    }


def answer_dict(classes: list[Any] | None, answer: list[float], label: int) -> dict[str, Any]:
    """Return what a node or a rule predicts."""
    if classes is None:
        return {"mean": json_number(answer[0])}
    return {"probabilities": answer, "label": label}


def _condition(want: Wanted, schema: Schema) -> dict[str, Any]:
    if want.question.tokens:
        tokens = tokens_to_list(want.question.tokens)
        return {"type": "expression", "expression": tokens, "truth": not want.branch}
    feature = want.question.feature
    column = schema.columns[feature]
    if column.kind != "numeric":
        codes = want.question.codes(len(column.categories))[want.branch]
        listed = [column.categories[code] for code in codes]
        return {"type": "categories", "feature": feature, "categories": listed}
    low, high = want.question.interval(want.branch)
    bounds = {
        "low": None if low is None else json_number(low),
        "high": None if high is None or high == math.inf else json_number(high),
    }
    return {"type": "interval", "feature": feature, **bounds}
