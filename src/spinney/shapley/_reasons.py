"""Reasons for decisions: the columns that moved an answer most, in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._checks import Integer
from spinney._format import did_you_mean, join_words
from spinney._table import Schema
from spinney._typing import Floats


@dataclass(frozen=True)
class Reason:
    """A column that moved the prediction for a row towards the decision.

    Parameters
    ----------
    column : str
        Its name.
    value : object
        What the row holds there; None if it is missing.
    contribution : float
        Its Shapley value: how far it moved the answer, always above 0.
    words : str
        The reason in words.
    """

    column: str
    value: Any
    contribution: float
    words: str

    def __str__(self) -> str:
        return self.words


def pick_reasons(
    schema: Schema,
    rows: Floats,
    pushes: Floats,
    used: NDArray[np.bool_],
    n: Any,
    words: Mapping[str, str] | None,
) -> list[list[Reason]]:
    """Return for each row the columns that were used and push most, the first of equals first."""
    from spinney.rules._counterfactual import raw_value, value_text  # rules are made of trees

    most = Integer(1).check("n", n)
    told = checked_words(schema, words)
    found = []
    for row, push, mask in zip(rows, pushes, used, strict=True):
        order = np.argsort(-push, kind="stable")
        chosen = [j for j in order.tolist() if mask[j] and push[j] > 0.0][:most]
        reasons = []
        for j in chosen:
            name, text = schema.names[j], value_text(schema, j, float(row[j]))
            phrase = told.get(name, f"{name} is {{value}}").replace("{value}", text)
            value = raw_value(schema, j, float(row[j]))
            reasons.append(Reason(name, value, float(push[j]), phrase))
        found.append(reasons)
    return found


def checked_words(schema: Schema, words: Any) -> dict[str, str]:
    """Return the words for columns, none for None; refuse names that are no columns."""
    if words is None:
        return {}
    if not isinstance(words, Mapping):
        raise TypeError(
            f"words must map names of columns to text, such as {{'income': 'income too low'}}, "
            f"got {type(words).__name__}."
        )
    for name, text in words.items():
        if name not in schema.names:
            hint = did_you_mean(str(name), schema.names)
            raise ValueError(
                f"words has {name!r}, which is no column. The columns are "
                f"{join_words(schema.names)}.{hint}"
            )
        if not isinstance(text, str):
            raise TypeError(f"words of {name!r} must be text, got {type(text).__name__}.")
    return dict(words)
