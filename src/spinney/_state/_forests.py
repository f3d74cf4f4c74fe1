"""Recipe of a forest, whose trees are in one object of the core."""

from typing import Any

import numpy as np

from spinney import _core
from spinney._settings import thread_count
from spinney._state._kinds import StateError
from spinney._state._recipes import Recipe
from spinney._state._trees import (
    MODEL,
    check_classes,
    check_kinds,
    check_lifetimes,
    n_categories,
    with_lifetimes,
)
from spinney.ensemble._forest import Forest

_MANY_NODES = 100_000


def _take_forest(forest: Forest) -> dict[str, Any]:
    parts = _core.forest_parts(forest._core, _n_threads(int(forest.n_nodes.sum())))
    state = {"parts": parts, "schema": forest.schema, "classes": forest.classes}
    return with_lifetimes(state, forest.lifetimes)


def _fill_forest(forest: Forest, state: dict[str, Any]) -> None:
    sizes = n_categories(state["schema"])
    n_nodes = np.size(state["parts"].get("kind", ()))
    core = _core.forest_of_parts(state["parts"], sizes, _n_threads(n_nodes))
    if core.n_members == 0:
        raise StateError("a forest needs at least one tree.")
    check_classes(core.n_classes, state["classes"], "the forest")
    check_kinds(state["parts"], state["schema"], "the forest")
    lifetimes = state.get("lifetimes")
    forest.__init__(core, state["schema"], state["classes"], lifetimes)  # type: ignore[misc]
    if lifetimes is not None:
        check_lifetimes(lifetimes, int(forest.n_nodes.sum()), "the forest")


def _n_threads(n_nodes: int) -> int:
    """Return how many threads a forest is worth."""
    return thread_count(-1) if n_nodes > _MANY_NODES else 1


RECIPES: list[Recipe[Any]] = [Recipe(Forest, MODEL, _take_forest, _fill_forest)]
