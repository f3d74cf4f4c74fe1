"""Sets of rules of every kind, and new rows for those of real tables."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from export_cases import N_ROWS, ODD_NAMES, fitted, new_rows, rows, target

from spinney import C45Classifier
from spinney.datasets import load
from spinney.rules import Interval, Membership, Rule, RuleSet

INF = float("inf")


def real_rules(name: str) -> RuleSet:
    """The rules that C4.5 makes of a table."""
    table = load(name, as_="pandas")
    rules: RuleSet = C45Classifier().fit(table.X, table.y).rules_
    return rules


def real_rows(name: str) -> pd.DataFrame:
    """New rows: cells drawn from each column, gaps, and categories that the table does not have."""
    rng = np.random.default_rng(7)
    X = load(name, as_="pandas").X
    new = {}
    for column in X.columns:
        drawn = X[column].astype(object).to_numpy()[rng.integers(0, len(X), N_ROWS)]
        is_number = pd.api.types.is_numeric_dtype(X[column])
        if not is_number:
            drawn[rng.random(N_ROWS) < 0.05] = "not seen"
        drawn[rng.random(N_ROWS) < 0.1] = None
        new[column] = pd.Series(drawn, dtype=float if is_number else object)
    return pd.DataFrame(new)


def pruned(n_classes: int, rename: bool, **options: Any) -> RuleSet:
    """The rules of a CART tree after pruning."""
    X = rows(1500, 1)
    y = target(X, n_classes)
    named = X.rename(columns=ODD_NAMES) if rename else X
    model = fitted(n_classes=n_classes, rename=rename, text=False, **options)
    return model.tree_.rules().prune(named, y)


def no_rules() -> RuleSet:
    """Nothing but a default."""
    rules = pruned(3, rename=False, max_depth=3)
    return rules.without(range(len(rules)))


def by_hand() -> RuleSet:
    """Conditions of every kind: also those that nothing fulfils, and infinite bounds."""
    schema = fitted(max_depth=1).tree_.schema
    words, grades, flags = (schema.columns[place].categories for place in (2, 3, 4))
    return RuleSet(
        [
            Rule([Interval(0, "income", 50, 50)], 1.0),
            Rule([Membership(2, "purpose", (), words)], 2.0),
            Rule([Interval(0, "income", high=-INF)], 3.5),
            Rule([Interval(0, "income", low=80), Interval(1, "age")], 1 / 3),
            Rule([Interval(0, "income", 30, 45.5), Membership(2, "purpose", (0, 3), words)], 1e-9),
            Rule([Interval(3, "grade", low=0.5, categories=grades), Interval(5, "size", 0.1)], 7),
            Rule([Interval(3, "grade", high=0, categories=grades), Interval(1, "age", 20, 30)], -2),
            Rule([Interval(5, "size", low=INF)], 4.0),
            Rule([Membership(4, "flag", (1, 2), flags)], 2.25),
        ],
        schema=schema,
        default=0.125,
        ordered=True,
    )


RULES: dict[str, Callable[[], RuleSet]] = {
    "rules of german_credit": lambda: real_rules("german_credit"),
    "rules of heart_disease": lambda: real_rules("heart_disease"),
    "rules, odd names": lambda: pruned(3, rename=True, max_depth=6),
    "rules, 30 classes": lambda: pruned(30, rename=False, max_depth=6),
    "rules by hand": by_hand,
    "no rules": no_rules,
    "all paths": lambda: fitted("fractional", max_depth=3).tree_.rules().sorted_by("lift"),
}


def rows_of(name: str, model: Any) -> pd.DataFrame:
    """New rows for a case."""
    return real_rows(name[len("rules of ") :]) if "rules of " in name else new_rows(model)
