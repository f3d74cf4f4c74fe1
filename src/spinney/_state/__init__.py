"""Models as plain values: one way for pickle, copy, joblib and model files.

`_kinds` defines what a value may be, `_recipes` how an object is taken apart and put together, and
where the recipe of a class is. Nothing here depends on files.
"""

from spinney._state._kinds import StateError
from spinney._state._recipes import Recipe, plain_state, recipe_named, recipe_of

__all__ = ["Recipe", "StateError", "plain_state", "recipe_named", "recipe_of"]
