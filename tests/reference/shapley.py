"""Shapley values by their definition: every coalition of every player is asked.

A *player* is a column, or an expression over several columns. One player speaks at a node for a
row: that of the node's own test if it places the row, else that of the first surrogate that does,
else that of the test (its gap decides). Under the fractional rule nobody speaks for a gap.

A row is a list of numbers, labels and None.
"""

from collections.abc import Callable, Hashable, Iterable
from itertools import combinations
from math import factorial
from typing import Any

import numpy as np

Player = Hashable
EVERYWHERE = -1


def columns_of(test: Any) -> tuple[int, ...]:
    """Return the columns that a test asks."""
    return tuple(sorted(set(test.features))) if hasattr(test, "features") else (test.feature,)


def player_of(test: Any) -> Player | None:
    """Return the player of a test; None for an expression that asks no column."""
    columns = columns_of(test)
    if len(columns) < 2:
        return columns[0] if columns else None
    return (columns, tuple(test.tokens))


def branch_of(asked: Any, test: Any, row: list[Any]) -> int | None:
    """Return where a test, or a surrogate with a test, sends a row; None if it cannot tell."""
    branch: int | None = asked.branch(row if hasattr(test, "features") else row[test.feature])
    return branch


def speech(tree: Any, node: Any, row: list[Any]) -> tuple[Player | None, int]:
    """Return who speaks for a row at a node, and the branch that it names."""
    own = branch_of(node.test, node.test, row)
    if own is not None:
        return player_of(node.test), own
    if tree.missing == "fractional":
        return None, EVERYWHERE
    for surrogate in node.surrogates:
        branch = branch_of(surrogate, surrogate.test, row)
        if branch is not None:
            return player_of(surrogate.test), branch
    return player_of(node.test), node.default_child.branch


def answer_of(leaf: Any) -> np.ndarray:
    """Return what a leaf predicts: class shares, or the number."""
    return np.array([leaf.prediction] if leaf.counts is None else leaf.probabilities)


def shares(node: Any) -> np.ndarray:
    """Return the children's shares of the training weight."""
    weights = np.array([child.weight for child in node.children])
    return weights / weights.sum()


def by_cover(tree: Any, row: list[Any], coalition: Iterable[Player]) -> np.ndarray:
    """Return what a coalition expects: its own way where it speaks, all ways elsewhere."""
    known = set(coalition)

    def expect(node: Any) -> np.ndarray:
        if node.is_leaf:
            return answer_of(node)
        player, branch = speech(tree, node, row)
        if branch != EVERYWHERE and (player is None or player in known):
            return expect(node.children[branch])
        return sum(w * expect(c) for w, c in zip(shares(node), node.children, strict=True) if w)

    return expect(tree.root)


def by_background(
    tree: Any, row: list[Any], others: list[list[Any]], coalition: Iterable[Player]
) -> np.ndarray:
    """Return the mean answer for the other rows, with what the coalition says as the row does."""
    known = set(coalition)

    def asked(which: Any, test: Any, other: list[Any]) -> int | None:
        player = player_of(test)
        return branch_of(which, test, row if player is None or player in known else other)

    def answer(node: Any, other: list[Any]) -> np.ndarray:
        if node.is_leaf:
            return answer_of(node)
        branch = asked(node.test, node.test, other)
        if branch is None and tree.missing == "fractional":
            parts = zip(shares(node), node.children, strict=True)
            return sum(w * answer(child, other) for w, child in parts if w)
        for surrogate in node.surrogates if branch is None else ():
            branch = asked(surrogate, surrogate.test, other)
            if branch is not None:
                break
        if branch is None:
            branch = node.default_child.branch
        return answer(node.children[branch], other)

    return np.mean([answer(tree.root, other) for other in others], axis=0)


def players_in(tree: Any) -> list[Player]:
    """Return all players of a tree."""
    tests = [node.test for node in tree if not node.is_leaf]
    tests += [s.test for node in tree if not node.is_leaf for s in node.surrogates]
    found = dict.fromkeys(player_of(test) for test in tests)
    return [player for player in found if player is not None]


Worth = Callable[[frozenset[Player]], np.ndarray]


def _all_worths(players: list[Player], worth: Worth) -> dict[frozenset[Player], np.ndarray]:
    subsets = (s for size in range(len(players) + 1) for s in combinations(players, size))
    return {frozenset(subset): worth(frozenset(subset)) for subset in subsets}


def _shared_out(player: Player) -> dict[int, float]:
    """Return the columns of a player, with the share of each in its credit."""
    if isinstance(player, tuple):
        return {column: 1 / len(player[0]) for column in player[0]}
    return {player: 1.0}  # type: ignore[dict-item]


def shapley_values(players: list[Player], worth: Worth, n_columns: int) -> np.ndarray:
    """Return the Shapley value of every column: (n_columns, n_outputs)."""
    worths, n = _all_worths(players, worth), len(players)
    out = np.zeros((n_columns, len(worths[frozenset()])))
    for player in players:
        value = np.zeros(out.shape[1])
        for coalition, without in worths.items():
            if player not in coalition:
                k = len(coalition)
                share = factorial(k) * factorial(n - k - 1) / factorial(n)
                value += share * (worths[coalition | {player}] - without)
        for column, share in _shared_out(player).items():
            out[column] += share * value
    return out


def interaction_values(players: list[Player], worth: Worth, n_columns: int) -> np.ndarray:
    """Return half of the Shapley interaction index of every pair; the diagonal is what remains."""
    worths, n = _all_worths(players, worth), len(players)
    out = np.zeros((n_columns, n_columns, len(worths[frozenset()])))
    for one, other in combinations(players, 2):
        value = np.zeros(out.shape[2])
        for s, without in worths.items():
            if one not in s and other not in s:
                k = len(s)
                share = factorial(k) * factorial(n - k - 2) / (2 * factorial(n - 1))
                rise = worths[s | {one, other}] - worths[s | {one}] - worths[s | {other}] + without
                value += share * rise
        for i, part in _shared_out(one).items():
            for j, rest in _shared_out(other).items():
                out[i, j] += part * rest * value
                out[j, i] += part * rest * value
    alone = shapley_values(players, worth, n_columns)
    for i in range(n_columns):
        out[i, i] = 0.0
        out[i, i] = alone[i] - out[i].sum(axis=0)
    return out
