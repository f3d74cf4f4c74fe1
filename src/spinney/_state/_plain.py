"""Classes that are copied and pickled by their state."""

from typing import Any, TypeVar

T = TypeVar("T")


def plain_state(cls: type[T]) -> type[T]:
    """Let pickle, copy and joblib take objects of a class apart by its recipe.

    A class without one, such as a subclass of the user's, is taken as a whole. A class decorator
    rather than a base class, so that it adds nothing to the inheritance of estimators.

    Parameters
    ----------
    cls : type
        The class.

    Returns
    -------
    type
        The same class.
    """
    base: Any = cls

    def get_state(self: Any) -> Any:
        from spinney._state import recipe_of

        recipe = recipe_of(self)
        return super(base, self).__getstate__() if recipe is None else recipe.take(self)

    def set_state(self: Any, state: Any) -> None:
        from spinney._state import recipe_of

        recipe = recipe_of(self)
        if recipe is not None:
            recipe.restore(self, state)
        elif hasattr(super(base, self), "__setstate__"):
            super(base, self).__setstate__(state)
        else:
            vars(self).update(state)

    base.__getstate__, base.__setstate__ = get_state, set_state
    return cls
