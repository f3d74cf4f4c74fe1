"""The recipe of what a model was made for."""

from typing import Any

from spinney._state._kinds import (
    FINITE,
    FLOATS,
    PLACES,
    SHARE,
    SIZE,
    TEXT,
    Kind,
    choice,
    many,
    need,
    or_none,
    row,
)
from spinney._state._recipes import Recipe, record
from spinney._training_info import MadeFor

_LABEL = Kind("a label", lambda v: type(v) in (str, int, float, bool) and v == v)


def _check(made_for: MadeFor) -> None:
    classes = [label for label, _ in made_for.class_shares]
    need(len(set(classes)) == len(classes), made_for, "a class has two shares")
    named = [label for label, _ in made_for.priors]
    for true, predicted, cost in made_for.costs:
        need(cost >= 0, made_for, "a cost is below 0")
        named += [true, predicted]
    if made_for.positive is not None:
        named.append(made_for.positive)
    need(set(named) <= set(classes), made_for, "a class is not among those of the training data")
    both = (made_for.task == "survival") == (made_for.event is not None)
    need(both, made_for, "lifetimes, and only they, have a column of events")
    two = made_for.threshold is None or made_for.positive is not None
    need(two, made_for, "a threshold needs a positive class")


RECIPES: list[Recipe[Any]] = [
    record(
        MadeFor,
        _check,
        target=TEXT,
        task=choice("classification", "regression", "survival"),
        version=TEXT,
        n_rows=SIZE,
        class_shares=many(row(_LABEL, SHARE), tuple),
        positive=or_none(_LABEL),
        threshold=or_none(SHARE),
        costs=many(row(_LABEL, _LABEL, FINITE), tuple),
        priors=many(row(_LABEL, SHARE), tuple),
        dropped=many(TEXT, tuple),
        text=many(row(TEXT, TEXT), tuple),
        weight=or_none(TEXT),
        exposure=or_none(TEXT),
        event=or_none(TEXT),
        rules_differ=or_none(SHARE),
        n_cuts=PLACES,
        cuts=FLOATS,
        shares=FLOATS,
    )
]
