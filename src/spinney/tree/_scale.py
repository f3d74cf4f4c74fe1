"""Targets far from 1 are grown in units of a power of two, so that their squares stay in range."""

import numpy as np

from spinney import _core
from spinney._typing import Floats
from spinney.tree._tree import Tree


def scaled(numbers: Floats, exponent: int) -> Floats:
    """Return numbers * 2**exponent, at most the largest finite number."""
    limit = np.finfo(np.float64).max
    with np.errstate(over="ignore"):
        return np.clip(np.ldexp(numbers, exponent), -limit, limit)


def rescaled_tree(tree: Tree, exponent: int, loss_exponent: int) -> Tree:
    """Return a regression tree with its values and its losses in other units."""
    state = dict(tree._state)
    for name in ("value", "answer"):
        if name in state:
            state[name] = np.ldexp(state[name], exponent)
    for name in ("impurity", "risk"):
        state[name] = scaled(state[name], loss_exponent)
    gain = scaled(state["gain"], loss_exponent)
    most, before = np.abs(gain).max(initial=0.0), np.abs(state["gain"]).max(initial=0.0)
    if most < np.finfo(np.float64).max and (most > 0) == (before > 0):
        state["gain"] = gain  # else unchanged: only shares of it are ever used
    return Tree(_core.Tree(state), tree.schema, tree.classes, tree.lifetimes)
