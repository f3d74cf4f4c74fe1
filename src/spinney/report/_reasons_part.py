"""Rules of a model besides the paths of its tree, and the columns that moved its answers most."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from spinney._table._take import as_rows, take_rows
from spinney.report._sample import Sample, some_rows
from spinney.rules._conditions import conditions_text
from spinney.rules._ruleset import RuleSet

_MOST_ROWS = 500  # that reasons are worked out for
_MOST_COLUMNS = 12  # that are listed for an answer
_MOST_REASONS = 4  # of a row

_MOST_RULES = 200


def reasons_part(model: Any, data: Sample, words: Mapping[str, str]) -> dict[str, Any] | None:
    """Return how often each column is among the reasons for each answer.

    Parameters
    ----------
    model : estimator
        Fitted.
    data : Sample
        The rows; of many rows some are drawn.
    words : mapping of str to str
        The words for a column, checked.

    Returns
    -------
    dict or None
        None for models whose answers are no sums over leaves, which have no reasons.
    """
    if not hasattr(model, "reasons"):
        return None
    rows = take_rows(as_rows(data.given.X), some_rows(data.n_rows, _MOST_ROWS))
    try:
        found = model.reasons(rows, _MOST_REASONS)
    except ValueError:  # a median, or votes of divided rows
        return None
    groups = _groups(model, rows)
    names = list(model._schema.names)
    listed = [
        _group(label, [found[i] for i in np.flatnonzero(own)], names) for label, own in groups
    ]
    return {
        "words": dict(words),
        "rows": len(found),
        "groups": [own for own in listed if own["rows"]],
    }


def _groups(model: Any, rows: Any) -> list[tuple[str, Any]]:
    """Return the answers that reasons speak for, each with a mask of its rows."""
    said = np.asarray(model.predict(rows))
    if hasattr(model, "classes_"):
        return [(str(label), said == label) for label in model.classes_.tolist()]
    low = said < float(model.expected_value_)
    return [("high", ~low), ("low", low)]


def _group(label: str, reasons: list[Any], names: list[str]) -> dict[str, Any]:
    """Return for each column how often it comes first, how often at all, and how far it moved."""
    first = Counter(own[0].column for own in reasons if own)
    named = Counter(reason.column for own in reasons for reason in own)
    moved: Counter[str] = Counter()
    for own in reasons:
        for reason in own:
            moved[reason.column] += reason.contribution
    columns = [
        [names.index(name), first[name], count, moved[name] / count]
        for name, count in sorted(named.items(), key=lambda pair: -pair[1])
    ]
    return {"label": label, "rows": len(reasons), "columns": columns[:_MOST_COLUMNS]}


def rules_part(model: Any) -> dict[str, Any] | None:
    """Return the rules of a model as text, with their measures; None if it has none of its own."""
    rules = getattr(model, "rules_", None)
    if not isinstance(rules, RuleSet):
        return None
    shown = [
        [
            conditions_text(rule.conditions) or "always",
            rule.prediction_text,
            rule.coverage,
            rule.confidence,
            rule.lift,
        ]
        for rule in rules.rules[:_MOST_RULES]
    ]
    return {"n": len(rules), "rules": shown, "default": rules.default_text}
