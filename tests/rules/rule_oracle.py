"""Post-pruning in straight loops over rows: slow and obvious."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm

from spinney.rules import RuleSet
from spinney.rules._matching import halves

SLACK = 1e-12


def added_errors(total: float, errors: float, cf: float) -> float:
    if total == 0:
        return 0.0
    if errors < 1e-9:
        return total * (1 - cf ** (1 / total))
    if errors < 1:
        base = total * (1 - cf ** (1 / total))
        return base + errors * (added_errors(total, 1.0, cf) - base)
    if errors + 0.5 >= total:
        return max(total - errors, 0.0)
    z, f = norm.ppf(1 - cf), (errors + 0.5) / total
    root = np.sqrt(f / total - f * f / total + z * z / (4 * total**2))
    return (f + z * z / (2 * total) + z * root) / (1 + z * z / total) * total - errors


@dataclass
class Draft:
    place: int
    label: int
    conditions: list[Any]
    rate: float = 1.0
    total: float = 0.0


def _holds(conditions: list[Any], row: np.ndarray) -> bool:
    return all(bool(c.holds(row[c.feature : c.feature + 1])[0]) for c in conditions)


def _judge(conditions: list[Any], label: int, rows: Any, cf: float) -> tuple[float, float]:
    total = errors = 0.0
    for row, code, weight in zip(*rows, strict=True):
        if weight > 0 and _holds(conditions, row):
            total += weight
            errors += weight * (code != label)
    return (errors + added_errors(total, errors, cf)) / total if total > 0 else 1.0, total


def _shorten(draft: Draft, rows: Any, cf: float) -> None:
    while True:
        draft.rate, draft.total = _judge(draft.conditions, draft.label, rows, cf)
        least, best = np.inf, None
        for place in range(len(draft.conditions)):
            fewer = draft.conditions[:place] + draft.conditions[place + 1 :]
            rate, _ = _judge(fewer, draft.label, rows, cf)
            if rate < least - SLACK:
                least, best = rate, fewer
        if best is None or least > draft.rate + SLACK:
            return
        draft.conditions = best


def _majority(rows: Any, taken: list[int], n_classes: int) -> int:
    weights = np.zeros(n_classes)
    for i in taken or range(len(rows[1])):
        if rows[2][i] > 0:  # the class of a row of weight 0 may not be there
            weights[rows[1][i]] += rows[2][i]
    return int(weights.argmax())


def _label_by(drafts: list[Draft], default: int, row: np.ndarray) -> int:
    return next((d.label for d in drafts if _holds(d.conditions, row)), default)


def _uncovered(drafts: list[Draft], rows: Any) -> list[int]:
    return [
        i
        for i in range(len(rows[0]))
        if rows[2][i] > 0 and not any(_holds(d.conditions, rows[0][i]) for d in drafts)
    ]


def post_prune(rules: RuleSet, rows: Any, cf: float) -> tuple[list[Draft], int]:
    """Return the rules that are left, in order, and the default class."""
    drafts: list[Draft] = []
    for place, rule in enumerate(rules):
        parts = [half for condition in rule.conditions for half in halves(condition)]
        draft = Draft(place, rules.classes.tolist().index(rule.prediction), parts)
        _shorten(draft, rows, cf)
        same = [d for d in drafts if d.label == draft.label]
        if draft.conditions and not any(set(d.conditions) == set(draft.conditions) for d in same):
            drafts.append(draft)
    drafts.sort(key=lambda d: (d.rate, -d.total, d.place))
    default = _majority(rows, _uncovered(drafts, rows), len(rules.classes))
    for draft in list(reversed(drafts)):
        here = drafts.index(draft)
        own = later = 0.0
        for row, code, weight in zip(*rows, strict=True):
            first = next((d for d in drafts if _holds(d.conditions, row)), None)
            if weight > 0 and first is draft:
                own += weight * (code != draft.label)
                later += weight * (code != _label_by(drafts[here + 1 :], default, row))
        if later <= own * (1 + SLACK):
            del drafts[here]
    return drafts, _majority(rows, _uncovered(drafts, rows), len(rules.classes))
