"""The base of classes that are copied and pickled by their state."""

from typing import Any


class PlainState:
    """An object that pickle, copy and joblib take apart by its recipe.

    A subclass of the user's own has none: it is pickled as any other object, attribute by
    attribute.
    """

    def __getstate__(self) -> Any:
        from spinney._state import recipe_of

        recipe = recipe_of(self)
        return super().__getstate__() if recipe is None else recipe.take(self)

    def __setstate__(self, state: Any) -> None:
        from spinney._state import recipe_of

        recipe = recipe_of(self)
        if recipe is not None:
            recipe.restore(self, state)
        elif hasattr(super(), "__setstate__"):
            super().__setstate__(state)  # type: ignore[misc]
        else:
            vars(self).update(state)
