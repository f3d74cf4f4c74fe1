"""Says whether two models are the same in all that they hold, down to the last bit."""

from typing import Any

import numpy as np

from spinney import _core
from spinney._state import recipe_of


def difference(one: Any, other: Any, path: str = "model") -> str | None:
    """Return where two values differ; None if they do not."""
    if type(one) is not type(other):
        return f"{path}: {type(one).__name__} and {type(other).__name__}"
    if isinstance(one, np.ndarray):
        return None if _same_arrays(one, other) else path
    if isinstance(one, float):
        return None if one == other or (one != one and other != other) else path
    if isinstance(one, dict):
        if list(one) != list(other):
            return f"{path}: {list(one)} and {list(other)}"
        return _first(difference(one[key], other[key], f"{path}.{key}") for key in one)
    if isinstance(one, list | tuple):
        if len(one) != len(other):
            return f"{path}: {len(one)} and {len(other)} items"
        pairs = enumerate(zip(one, other, strict=True))
        return _first(difference(a, b, f"{path}.{i}") for i, (a, b) in pairs)
    if isinstance(one, _core.Tree):
        return difference(one.state(), other.state(), path)
    recipe = recipe_of(one)
    if recipe is not None:
        return difference(recipe.take(one), recipe.take(other), path)
    return None if one is other or one == other else path


def _same_arrays(one: np.ndarray, other: np.ndarray) -> bool:
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype == object:
        return [(type(v), v) for v in one.tolist()] == [(type(v), v) for v in other.tolist()]
    return one.tobytes() == other.tobytes() and one.flags.f_contiguous == other.flags.f_contiguous


def _first(found: Any) -> str | None:
    return next((text for text in found if text is not None), None)
