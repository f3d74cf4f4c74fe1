"""Recipes of the few objects of other libraries that parameters may be: splitters, random states.

Pickle takes them apart by their own library; these recipes are for model files.
"""

import inspect
from typing import Any

import numpy as np
from sklearn import model_selection
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator

from spinney._state._kinds import ANYTHING, NUMBER, Kind, StateError, array, one, perhaps, whole
from spinney._state._recipes import Recipe, made

_SPLITTERS = (
    *("KFold", "StratifiedKFold", "GroupKFold", "StratifiedGroupKFold", "TimeSeriesSplit"),
    *("ShuffleSplit", "StratifiedShuffleSplit", "GroupShuffleSplit"),
    *("RepeatedKFold", "RepeatedStratifiedKFold"),
    *("LeaveOneOut", "LeavePOut", "LeaveOneGroupOut", "LeavePGroupsOut", "PredefinedSplit"),
)


def _splitter(cls: type) -> Recipe[Any]:
    """Return the recipe of a splitter: what its constructor takes."""
    names = [
        name
        for name, parameter in inspect.signature(cls).parameters.items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]

    def take(splitter: Any) -> dict[str, Any]:
        inner = getattr(splitter, "cvargs", {})  # repeated splitters keep arguments for another
        return {
            name: inner[name] if name in inner else getattr(splitter, name)
            for name in names
            if name in inner or hasattr(splitter, name)
        }

    def new(state: dict[str, Any]) -> Any:
        splitter = cls(**state)
        for name, value in take(splitter).items():
            if name not in state:
                raise StateError(f"{cls.__name__} lacks {name!r}.")
            if _type_of(value) != _type_of(state[name]):
                raise StateError(f"{cls.__name__}: {name} is of another type than it keeps.")
        return splitter

    fields = dict.fromkeys(names, perhaps(ANYTHING))
    return Recipe(cls, fields, take, lambda splitter, state: None, new)


def _type_of(value: Any) -> tuple[type, Any]:
    is_array = isinstance(value, np.ndarray)
    return type(value), (value.dtype, value.shape) if is_array else None


def _take_random(random: np.random.RandomState) -> dict[str, Any]:
    state: Any = random.get_state(legacy=False)
    return {
        "key": state["state"]["key"],
        "place": int(state["state"]["pos"]),
        "has_gauss": int(state["has_gauss"]),
        "gauss": float(state["gauss"]),
    }


def _new_random(state: dict[str, Any]) -> np.random.RandomState:
    random = np.random.RandomState(0)
    parts = (state["key"], state["place"], state["has_gauss"], state["gauss"])
    random.set_state(("MT19937", *parts))
    return random


_KEY = Kind("624 whole numbers", lambda v: array(np.uint32).fits(v) and len(v) == 624)
RANDOM = Recipe(
    np.random.RandomState,
    {
        "key": _KEY,
        "place": whole(0, 624),
        "has_gauss": whole(0, 1),
        "gauss": NUMBER,
    },
    _take_random,
    lambda random, state: None,
    _new_random,
)
FROZEN = made(FrozenEstimator, estimator=one(BaseEstimator))

RECIPES: list[Recipe[Any]] = [
    *(_splitter(getattr(model_selection, name)) for name in _SPLITTERS),
    RANDOM,
    FROZEN,
]
