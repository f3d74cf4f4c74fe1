"""The recipe of an estimator: its parameters, and what a fit left behind.

Parameters are stored as they are given, and looked at where they are used, as always. Attributes of
a fit are listed in `_fitted`.
"""

from typing import Any

from spinney._state._fitted import CHECKS, FITTED, MADE, finish
from spinney._state._kinds import Kind
from spinney._state._recipes import Recipe, check_fields, check_names

_PARAMS = Kind("a dict of parameters", lambda v: type(v) is dict)
_ATTRIBUTES = Kind("a dict of attributes", lambda v: type(v) is dict)


def _fitted_fields(cls: type) -> dict[str, Kind]:
    """Return the attributes of a fit that the class and its bases set."""
    fields: dict[str, Kind] = {}
    for base in reversed(cls.__mro__):
        fields.update(FITTED.get(base.__name__, {}))
    return fields


def estimator(cls: type) -> Recipe[Any]:
    """Return the recipe of an estimator."""
    fitted = _fitted_fields(cls)
    names = list(cls._get_param_names())  # type: ignore[attr-defined]
    made = [name for base in cls.__mro__ for name in MADE.get(base.__name__, ())]

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
            for base in cls.__mro__:
                for check in CHECKS.get(base.__name__, ()):
                    check(thing)
            finish(thing)
        vars(thing).update(state.get("extra", {}))

    extra = Kind("a dict of attributes", lambda v: type(v) is dict and bool(v), optional=True)
    fields = {"params": _PARAMS, "fitted": _ATTRIBUTES, "extra": extra}
    return Recipe(cls, fields, take, fill)
