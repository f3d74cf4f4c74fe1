"""Which rules cover which encoded rows, and the prediction of a rule set.

A rule set is *ordered* (the first matching rule decides) or not (every matching rule contributes in
proportion to the fraction of the row that it covers). The rules of a tree are unordered: the
fractions are the tree's own and are summed in the tree's order, so the sums agree to the last bit.
Rows are processed in blocks, which bounds memory.

`pack` turns rules into the flat arrays of the core, which has three kinds of condition: at most a
bound, above a bound, among some categories. An interval with two bounds becomes two of them, so
that post-pruning can drop either. An expression, or a condition that missing values satisfy,
becomes an additional column that holds 1 where it is true and 0 where it is false.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._expression.tokens import Token, truth
from spinney._typing import Floats
from spinney.rules._conditions import ColumnCondition, Condition, ExpressionCondition, Interval
from spinney.rules._rule import Rule

Places = NDArray[np.intp]
_BLOCK = 4096
_TIE = 1.0 - 1e-12  # costs closer than rounding are ties, as in the core
_AT_MOST, _ABOVE, _AMONG = 0, 1, 2


@dataclass(frozen=True)
class Shares:
    """The fractions of rows that rules cover, as a sparse matrix in coordinate form."""

    row: Places
    rule: Places
    share: Floats
    whole: NDArray[np.bool_]  # whether the tree sends rows down one way only


def blocks(n_rows: int) -> Iterator[slice]:
    """Yield the blocks of rows as slices."""
    for begin in range(0, n_rows, _BLOCK):
        yield slice(begin, min(n_rows, begin + _BLOCK))


def rule_shares(rules: Sequence[Rule], values: Floats) -> Shares:
    """Return the fractions for a block of rows, those of one tree in the order of its leaves."""
    parts: list[tuple[Places, Places, Floats, bool]] = []
    trees = {id(rule._tree): rule._tree for rule in rules if rule._tree is not None}
    for key, tree in trees.items():
        own = [place for place, rule in enumerate(rules) if id(rule._tree) == key]
        row, leaf, share = _core.leaf_shares(tree._core, values)
        by_leaf = np.array(own, dtype=np.intp)
        leaves = np.array([rules[place]._leaf for place in own])
        by_leaf, leaves = by_leaf[np.argsort(leaves, kind="stable")], np.sort(leaves)
        first = np.searchsorted(leaves, leaf, side="left")
        count = np.searchsorted(leaves, leaf, side="right") - first
        entry = np.repeat(np.arange(len(leaf)), count)  # none if the leaf's rule was taken out
        offset = np.arange(len(entry)) - np.repeat(np.cumsum(count) - count, count)
        rule_of = by_leaf[first[entry] + offset]
        whole = tree.missing != "fractional"
        parts.append((row[entry].astype(np.intp), rule_of, share[entry], whole))
    for place, rule in enumerate(rules):
        if rule._tree is None:
            held = np.flatnonzero(rule._shares(values))
            parts.append((held, np.full(len(held), place), np.ones(len(held)), False))
    nothing = np.zeros(0, dtype=np.intp)
    parts.append((nothing, nothing, np.zeros(0), False))
    return Shares(
        np.concatenate([part[0] for part in parts]),
        np.concatenate([part[1] for part in parts]),
        np.concatenate([part[2] for part in parts]),
        np.repeat([part[3] for part in parts], [len(part[0]) for part in parts]),
    )


@dataclass(frozen=True)
class Combined:
    """The mean answer of all rules that cover a row, weighted by their fractions."""

    answer: Floats  # (n_rows, n_outputs); zeros where no rule fires
    fires: NDArray[np.bool_]
    sole: Places  # the rule that has the whole row to itself, -1 if there is none


def combined(rules: Sequence[Rule], answers: Floats, values: Floats) -> Combined:
    """Return the mean answer for a block of rows.

    Parameters
    ----------
    rules : sequence of Rule
        The rules, all of which contribute.
    answers : array of shape (n_rules, n_outputs)
        Class probabilities, or means.
    values : array of shape (n_rows, n_features)
        Encoded rows.

    Returns
    -------
    Combined
    """
    n_rows = len(values)
    found = rule_shares(rules, values)
    total = np.bincount(found.row, found.share, minlength=n_rows)
    mixed = np.empty((n_rows, answers.shape[1]))
    for k in range(answers.shape[1]):
        weighted = found.share * answers[found.rule, k]
        mixed[:, k] = np.bincount(found.row, weighted, minlength=n_rows)
    fires = total > 0
    partial = fires & (np.abs(total - 1.0) > 1e-9)  # rules were removed, or are of several trees
    mixed[partial] /= total[partial, None]
    sole = np.full(n_rows, -1, dtype=np.intp)
    alone = np.bincount(found.row, minlength=n_rows)[found.row] == 1
    chosen = alone & found.whole
    sole[found.row[chosen]] = found.rule[chosen]
    return Combined(mixed, fires, sole)


def first_firing(rules: Sequence[Rule], values: Floats) -> Places:
    """Return the index of the first rule that covers each row of a block, -1 if none does."""
    found = rule_shares(rules, values)
    first = np.full(len(values), len(rules), dtype=np.intp)
    np.minimum.at(first, found.row[found.share > 0], found.rule[found.share > 0])
    return np.where(first == len(rules), -1, first)


def cheapest(weights: Floats, cost: Floats | None) -> Places:
    """Return the class of least expected cost for each row; ties go to the lowest index."""
    n_rows, n_classes = weights.shape
    total = np.zeros(n_rows)
    for k in range(n_classes):
        total += weights[:, k]
    best, least = np.zeros(n_rows, dtype=np.intp), np.full(n_rows, np.inf)
    for k in range(n_classes):
        expected = total - weights[:, k]
        if cost is not None:
            expected = np.zeros(n_rows)
            for truth in range(n_classes):
                expected += weights[:, truth] * cost[truth, k]
        better = expected < least * _TIE
        least[better], best[better] = expected[better], k
    return best


@dataclass(frozen=True)
class Packed:
    """The rules of the core, and the condition behind each of its conditions."""

    core: _core.Rules
    parts: tuple[Condition, ...]
    truths: tuple[tuple[Token, ...] | ColumnCondition, ...] = ()

    def rows(self, values: Floats) -> Floats:
        """Return encoded rows with an additional column for each condition that has one."""
        if not self.truths:
            return values
        found = np.empty((len(values), values.shape[1] + len(self.truths)), order="F")
        found[:, : values.shape[1]] = values
        for place, wanted in enumerate(self.truths, start=values.shape[1]):
            found[:, place] = (
                truth(wanted, values) if isinstance(wanted, tuple) else wanted.fulfilled(values)
            )
        return found


def halves(condition: Condition) -> list[Condition]:
    """Split an interval with two bounds into its two sides."""
    if not isinstance(condition, Interval):
        return [condition]
    if condition.low == -math.inf or condition.high == math.inf:
        return [condition]
    if condition.missing and not condition.has_values:
        return [condition]
    return [replace(condition, high=math.inf), replace(condition, low=-math.inf)]


def pack(
    conditions: Iterable[tuple[Condition, ...]], labels: Sequence[int], n_features: int
) -> Packed:
    """Convert conditions and class codes of rules to the arrays of the core."""
    known: dict[Condition, int] = {}
    sides: dict[int, list[int]] = {}  # by identity: rules of a tree share their conditions
    kept_alive: list[Condition] = []
    begin, members = [0], []
    for rule in conditions:
        for condition in rule:
            places = sides.get(id(condition))
            if places is None:
                places = [known.setdefault(part, len(known)) for part in halves(condition)]
                sides[id(condition)] = places
                kept_alive.append(condition)
            members.extend(places)
        begin.append(len(members))
    truths: dict[tuple[Token, ...] | ColumnCondition, int] = {}
    rows = [_core_condition(part, n_features, truths) for part in known]
    kinds, features, bounds, codes = zip(*rows, strict=True) if rows else ((), (), (), ())
    core = _core.Rules(
        n_features + len(truths),
        np.array(kinds, dtype=np.uint8),
        np.array(features, dtype=np.int32),
        np.array(bounds, dtype=np.float64),
        np.cumsum([0, *map(len, codes)], dtype=np.int64),
        np.array([code for listed in codes for code in listed], dtype=np.int32),
        np.array(begin, dtype=np.int64),
        np.array(members, dtype=np.int32),
        np.array(labels, dtype=np.int32),
    )
    return Packed(core, tuple(known), tuple(truths))


def _core_condition(
    part: Condition, n_features: int, truths: dict[tuple[Token, ...] | ColumnCondition, int]
) -> tuple[int, int, float, tuple[int, ...]]:
    """Return kind, column, bound and codes of a condition; some get columns of their own."""
    if not isinstance(part, ExpressionCondition) and part.missing:
        return _ABOVE, truths.setdefault(part, n_features + len(truths)), 0.5, ()
    if isinstance(part, ExpressionCondition):
        feature = truths.setdefault(part.key, n_features + len(truths))
        kind = _ABOVE if part.truth or not part.is_possible else _AT_MOST
        return kind, feature, 0.5 if part.is_possible else math.inf, ()
    if not isinstance(part, Interval):
        return _AMONG, part.feature, 0.0, part.codes
    if part.low == -math.inf:
        return _AT_MOST, part.feature, part.high, ()
    return _ABOVE, part.feature, part.low, ()
