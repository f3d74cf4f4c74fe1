"""What a set of rules says about encoded rows, in blocks of rows, so that memory stays bounded.

A set is *ordered* (the first rule that fires decides) or not (every rule has a say, as large as the
share of the row that it covers). The rules of a tree are not: the shares are the tree's own, and
they are added up in the tree's order, so that the sums are the same to the last bit.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney.rules._rule import Rule

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
_BLOCK = 4096
_TIE = 1.0 - 1e-12  # costs closer than rounding are ties, as in the core


@dataclass(frozen=True)
class Shares:
    """Which rule covers which share of which row, entry by entry."""

    row: Places
    rule: Places
    share: Floats
    whole: NDArray[np.bool_]  # whether the tree sends rows down one way only


def blocks(n_rows: int) -> Iterator[slice]:
    """Yield slices that cover the rows."""
    for begin in range(0, n_rows, _BLOCK):
        yield slice(begin, min(n_rows, begin + _BLOCK))


def rule_shares(rules: Sequence[Rule], values: Floats) -> Shares:
    """Return the shares of a block of rows, those of one tree in the order of its leaves."""
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
    if not parts:
        none = np.zeros(0, dtype=np.intp)
        return Shares(none, none, np.zeros(0), np.zeros(0, dtype=bool))
    return Shares(
        np.concatenate([part[0] for part in parts]),
        np.concatenate([part[1] for part in parts]),
        np.concatenate([part[2] for part in parts]),
        np.concatenate([np.full(len(part[0]), part[3]) for part in parts]),
    )


@dataclass(frozen=True)
class Mixture:
    """The answers of all rules that cover a row, weighed by their shares."""

    answer: Floats  # (n_rows, n_outputs); zeros where no rule fires
    fires: NDArray[np.bool_]
    sole: Places  # the rule that has the whole row to itself, -1 if there is none


def mixture(rules: Sequence[Rule], answers: Floats, values: Floats) -> Mixture:
    """Return the mean answer for a block of rows.

    Parameters
    ----------
    rules : sequence of Rule
        All of which have a say.
    answers : array of shape (n_rules, n_outputs)
        Class shares, or means.
    values : array of shape (n_rows, n_features)
        Encoded rows.
    """
    n_rows = len(values)
    found = rule_shares(rules, values)
    total = np.bincount(found.row, found.share, minlength=n_rows)
    mixed = np.empty((n_rows, answers.shape[1]))
    for k in range(answers.shape[1]):
        said = found.share * answers[found.rule, k]
        mixed[:, k] = np.bincount(found.row, said, minlength=n_rows)
    fires = total > 0
    partial = fires & (np.abs(total - 1.0) > 1e-9)  # rules were taken out, or several trees speak
    mixed[partial] /= total[partial, None]
    sole = np.full(n_rows, -1, dtype=np.intp)
    alone = np.bincount(found.row, minlength=n_rows)[found.row] == 1
    chosen = alone & found.whole
    sole[found.row[chosen]] = found.rule[chosen]
    return Mixture(mixed, fires, sole)


def first_firing(rules: Sequence[Rule], values: Floats) -> Places:
    """Return the first rule that covers each row of a block, -1 if there is none."""
    found = rule_shares(rules, values)
    first = np.full(len(values), len(rules), dtype=np.intp)
    np.minimum.at(first, found.row[found.share > 0], found.rule[found.share > 0])
    return np.where(first == len(rules), -1, first)


def cheapest(weights: Floats, cost: Floats | None) -> Places:
    """Return the class of least expected cost for each row of class weights; ties go low."""
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
