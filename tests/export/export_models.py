"""Every model with its rows and its own answers, made once."""

import functools
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from export_cases import TREES, plain_rows
from export_rule_cases import RULES, rows_of

from spinney._table import Schema

NAMES = [*TREES, *RULES]


class Case(NamedTuple):
    """A model, rows, and what it says of them."""

    name: str
    model: Any  # a Tree, an estimator with tree_, or a RuleSet
    said_by: Any  # the Tree or the RuleSet
    X: pd.DataFrame
    rows: list[tuple[Any, ...]]
    predicted: list[Any]
    probabilities: Any

    @property
    def classes(self) -> Any:
        return self.said_by.classes

    @property
    def schema(self) -> Schema:
        return self.said_by.schema

    def check(self, predicted: Any, probabilities: Any = None) -> None:
        """Compare answers: labels are equal, numbers to 1e-12."""
        if self.classes is None:
            np.testing.assert_allclose(predicted, self.predicted, rtol=1e-12)
        else:
            assert list(predicted) == self.predicted
        if probabilities is not None:
            np.testing.assert_allclose(probabilities, self.probabilities, rtol=0, atol=1e-12)


@functools.cache
def make_case(name: str) -> Case:
    model = (TREES.get(name) or RULES[name])()
    said_by = getattr(model, "tree_", model)
    X = rows_of(name, model)
    shares = None if said_by.classes is None else said_by.predict_proba(X)
    return Case(name, model, said_by, X, plain_rows(X), said_by.predict(X).tolist(), shares)
