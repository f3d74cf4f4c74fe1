"""The recipe of an estimator: its parameters, and the attributes that a fit left behind.

A class declares its attributes in `_fitted_fields`, by name and kind, those that follow from others
in `_made_again`, and checks in `_check_state` whether they fit together.
"""

from typing import Any

from spinney._state._kinds import Kind
from spinney._state._recipes import Recipe, check_fields, check_names

_PARAMS = Kind("a dict of parameters", lambda v: type(v) is dict)
_ATTRIBUTES = Kind("a dict of attributes", lambda v: type(v) is dict)


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
