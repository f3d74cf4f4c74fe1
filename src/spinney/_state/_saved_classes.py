"""The list of classes that models are made of. A class that is not here is in no model file.

A module of recipes imports what its classes need, so one is imported only when those before it lack
the class: a tree is loaded without ensembles.
"""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

from sklearn.base import BaseEstimator

import spinney
from spinney._state._recipes import Recipe, estimator

_OWN = ("_trees", "_rules", "_training_info_recipe", "_forests", "_records")
_OTHERS = "_other_libraries"


def estimators() -> list[type]:
    """Return the classes of all estimators."""
    return [recipe.cls for recipe in map(_of_estimator, spinney.__all__) if recipe is not None]


def all_recipes() -> Iterator[Recipe[Any]]:
    """Yield the recipes of all classes."""
    yield from (recipe for recipe in map(_of_estimator, spinney.__all__) if recipe is not None)
    for module in (*_OWN, _OTHERS):
        yield from _group(module)[0].values()


def named(name: str) -> Recipe[Any] | None:
    """Return the recipe of a class by its name; None if there is none."""
    found = _of_estimator(name) if name in spinney.__all__ else None
    return found or _first(_group(module)[0].get(name) for module in (*_OWN, _OTHERS))


def of_class(cls: type) -> Recipe[Any] | None:
    """Return the recipe of a class; None if there is none, as of a subclass of the user's."""
    library = cls.__module__.partition(".")[0]
    if library != "spinney":
        return _group(_OTHERS)[1].get(cls) if library in ("numpy", "sklearn") else None
    found = _of_estimator(cls.__name__) if cls.__name__ in spinney.__all__ else None
    if found is not None and found.cls is cls:
        return found
    return _first(_group(module)[1].get(cls) for module in _OWN)


@cache
def _of_estimator(name: str) -> Recipe[Any] | None:
    """Return the recipe of a public name; None if it is not that of an estimator."""
    cls = getattr(spinney, name)
    is_estimator = isinstance(cls, type) and issubclass(cls, BaseEstimator)
    return estimator(cls) if is_estimator else None


@cache
def _group(module: str) -> tuple[dict[str, Recipe[Any]], dict[type, Recipe[Any]]]:
    """Return the recipes of a module by the name of the class, and by the class."""
    with spinney._first_use:
        recipes = import_module(f"spinney._state.{module}").RECIPES
    return {recipe.name: recipe for recipe in recipes}, {recipe.cls: recipe for recipe in recipes}


def _first(found: Iterator[Recipe[Any] | None]) -> Recipe[Any] | None:
    return next((recipe for recipe in found if recipe is not None), None)
