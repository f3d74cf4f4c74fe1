"""Models as plain values: one way for pickle, copy, joblib and model files.

`_kinds` defines what a value may be, `_recipes` how an object is taken apart and put together, and
`_saved_classes` lists the classes. Nothing here depends on files.
"""

from typing import Any

from spinney._state._kinds import StateError
from spinney._state._recipes import Recipe, plain_state

__all__ = ["Recipe", "StateError", "plain_state", "recipe_named", "recipe_of"]


def recipe_of(thing: Any) -> Recipe[Any] | None:
    """Return the recipe of an object's very class; None if there is none."""
    from spinney._state._saved_classes import of_class  # here, as it imports the classes

    return of_class(type(thing))


def recipe_named(name: str) -> Recipe[Any] | None:
    """Return the recipe of a class by its name; None if there is none."""
    from spinney._state._saved_classes import named

    return named(name)
