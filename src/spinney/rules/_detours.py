"""How a row went on at the nodes whose tests it could not answer."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._table import Schema
from spinney.rules._row import raw_value, value_text
from spinney.rules._rule import Rule, Step
from spinney.tree import ExpressionTest


def detours(schema: Schema, rule: Rule, point: NDArray[np.float64]) -> tuple[str, ...]:
    """Return a line for each node on the path of a rule that asks what the row does not tell.

    Rows that are divided at such a node are not told of: the share of the rule says it.
    """
    row = [raw_value(schema, f, float(value)) for f, value in enumerate(point)]
    open_steps = [step for step in rule.path or () if _branch(step.node.test, row) is None]
    return tuple(
        f"{step} is not known: {_instead(schema, step, row, point)}"
        for step in open_steps
        if step.missing != "fractional"
    )


def _instead(schema: Schema, step: Step, row: Sequence[Any], point: NDArray[np.float64]) -> str:
    for surrogate in step.node.surrogates:
        found = _branch(surrogate.test, row)
        if found is None:
            continue
        asked = surrogate.test
        features = asked.features if isinstance(asked, ExpressionTest) else (asked.feature,)
        values = ", ".join(value_text(schema, f, float(point[f])) for f in features)
        return f"{asked.branch_text(found)} stood in (is {values})"
    return "it went the way of most rows"


def _branch(test: Any, row: Sequence[Any]) -> int | None:
    """Return what a test answers, of one column or of many."""
    branch: int | None = test.branch(row if isinstance(test, ExpressionTest) else row[test.feature])
    return branch
