"""How an object becomes a dict of plain values, and how the dict becomes the object again.

The values of such a *state* are None, bools, numbers, texts, arrays, lists, tuples and dicts of
these, other objects that have a recipe, and what only pickle can carry: functions and objects of
other libraries. A recipe is one object deep: pickle and model files recurse.

The state of an estimator is its parameters, and the attributes that a fit left behind. A class
declares its attributes in `_fitted_fields`, by name and kind, those that follow from others in
`_made_again`, and checks in `_check_state` whether they fit together.

A class without a recipe is in no model file. A module of recipes imports what its classes need, so
one is imported only when those before it lack the class: a tree is loaded without ensembles.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Generic, TypeVar

from sklearn.base import BaseEstimator

import spinney
from spinney._state._kinds import Kind, StateError

T = TypeVar("T")
Fields = Mapping[str, Kind]
_PARAMS = Kind("a dict of parameters", lambda v: type(v) is dict)
_ATTRIBUTES = Kind("a dict of attributes", lambda v: type(v) is dict)
_OWN = ("_trees", "_rules", "_records")
_OTHERS = "_other_libraries"


def check_fields(state: Any, fields: Fields, who: str) -> None:
    """Refuse a dict that lacks an attribute, has one more, or one of another kind."""
    if type(state) is not dict:
        raise StateError(f"the state of {who} must be a dict, got a {type(state).__name__}.")
    check_names(state, [name for name in fields if name in state], who, "attribute")
    for name, kind in fields.items():
        if name in state:
            kind.check(state[name], f"{who}: {name}")
        elif not kind.optional:
            raise StateError(f"{who} lacks {name!r}.")


def check_names(found: Mapping[str, Any], wanted: list[str], who: str, what: str) -> None:
    """Refuse a dict whose names are not those that are wanted, in their order."""
    if list(found) != wanted:
        strange = [f"has no {what} {name!r}" for name in found if name not in wanted]
        absent = [f"lacks the {what} {name!r}" for name in wanted if name not in found]
        words = [*strange, *absent, f"has {what}s that are not in their order"]
        raise StateError(f"{who} {words[0]}.")


@dataclass(frozen=True)
class Recipe(Generic[T]):
    """How objects of one class are taken apart and put together.

    Parameters
    ----------
    cls : type
        The class.
    fields : mapping
        The kinds of the entries of the state, in order.
    take : callable
        From an object to its state.
    fill : callable
        From an object without attributes and a state whose fields are checked to nothing: it sets
        the attributes, and refuses what does not fit together.
    new : callable or None, default=None
        From a state to an object, instead of `fill`.
    alias : str or None, default=None
        What the class is called, where two classes have one name.
    """

    cls: type[T]
    fields: Fields
    take: Callable[[T], dict[str, Any]]
    fill: Callable[[T, dict[str, Any]], None]
    new: Callable[[dict[str, Any]], T] | None = None
    alias: str | None = None

    @property
    def name(self) -> str:
        """What states and messages call the class."""
        return self.alias or self.cls.__name__

    def restore(self, target: T, state: dict[str, Any]) -> None:
        """Set the attributes of an object that has none yet."""
        check_fields(state, self.fields, self.name)
        self.fill(target, state)

    def build(self, state: dict[str, Any]) -> T:
        """Return a new object."""
        if self.new is not None:
            check_fields(state, self.fields, self.name)
            return self.new(state)
        target = self.cls.__new__(self.cls)
        self.restore(target, state)
        return target


def record(cls: type[T], check: Callable[[T], None] | None = None, **fields: Kind) -> Recipe[T]:
    """Return the recipe of a class whose attributes are its state, such as a dataclass."""

    def take(thing: T) -> dict[str, Any]:
        return {name: getattr(thing, name) for name in fields}

    def fill(thing: T, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(thing, name, value)
        if check is not None:
            check(thing)

    return Recipe(cls, fields, take, fill)


def made(cls: type[T], **fields: Kind) -> Recipe[T]:
    """Return the recipe of a class whose constructor takes its attributes and checks them."""

    def take(thing: T) -> dict[str, Any]:
        return {name: getattr(thing, name) for name in fields}

    def fill(thing: T, state: dict[str, Any]) -> None:
        thing.__init__(**state)  # type: ignore[misc]

    return Recipe(cls, fields, take, fill, lambda state: cls(**state))


def estimator(cls: Any) -> Recipe[Any]:
    """Return the recipe of an estimator."""
    fitted: dict[str, Kind] = {}
    for base in reversed(cls.__mro__):
        fitted.update(vars(base).get("_fitted_fields", {}))
    names = list(cls._get_param_names())
    made = getattr(cls, "_made_again", ())

    def take(thing: Any) -> dict[str, Any]:
        own = vars(thing)
        extra = [n for n in own if n not in names and n not in fitted and n not in made]
        state: dict[str, Any] = {
            "params": {name: getattr(thing, name) for name in names},
            "fitted": {name: own[name] for name in fitted if name in own},
        }
        if extra:
            state["extra"] = {name: own[name] for name in extra}
        return state

    def fill(thing: Any, state: dict[str, Any]) -> None:
        check_names(state["params"], names, cls.__name__, "parameter")
        attributes = state["fitted"]
        if attributes:
            check_fields(attributes, fitted, cls.__name__)
        thing.__init__(**state["params"])
        vars(thing).update(attributes)
        if attributes:
            thing._check_state()
        vars(thing).update(state.get("extra", {}))

    extra = Kind("a dict of attributes", lambda v: type(v) is dict and bool(v), optional=True)
    fields = {"params": _PARAMS, "fitted": _ATTRIBUTES, "extra": extra}
    return Recipe(cls, fields, take, fill)


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
        recipe = recipe_of(self)
        return super(base, self).__getstate__() if recipe is None else recipe.take(self)

    def set_state(self: Any, state: Any) -> None:
        recipe = recipe_of(self)
        if recipe is not None:
            recipe.restore(self, state)
        elif hasattr(super(base, self), "__setstate__"):
            super(base, self).__setstate__(state)
        else:
            vars(self).update(state)

    base.__getstate__, base.__setstate__ = get_state, set_state
    return cls


def estimators() -> list[type]:
    """Return the classes of all estimators."""
    return [recipe.cls for recipe in map(_of_estimator, spinney.__all__) if recipe is not None]


def all_recipes() -> Iterator[Recipe[Any]]:
    """Yield the recipes of all classes."""
    yield from (recipe for recipe in map(_of_estimator, spinney.__all__) if recipe is not None)
    for module in (*_OWN, _OTHERS):
        yield from _group(module)[0].values()


def recipe_named(name: str) -> Recipe[Any] | None:
    """Return the recipe of a class by its name; None if there is none."""
    found = _of_estimator(name) if name in spinney.__all__ else None
    return found or _first(_group(module)[0].get(name) for module in (*_OWN, _OTHERS))


def recipe_of(thing: Any) -> Recipe[Any] | None:
    """Return the recipe of an object's very class; None if there is none, as of a user's own."""
    cls = type(thing)
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
