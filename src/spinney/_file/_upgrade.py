"""Upgrades of files of earlier versions: names that changed, and attributes that were added.

A file of an earlier version is read with its own names, and then turned into what the present
version would have stored. Model files are always written in the present version.
"""

import inspect
from typing import Any

from spinney._state import StateError

Version = tuple[int, int]

_CLASSES = {"Outsiders": "ForeignMembers"}
_FITTED = {"_lessons": "_learner_runs", "_committee": "_members"}
_DROPPED = {"_taught"}  # the learners of the last of `_lessons`
_MEMBERS = {"_taught", "_lessons", "_committee"}


_NEW_NAMES = {
    "patience": "n_iter_no_change",
    "tolerance": "tol",
    "n_folds": "n_parts",
    "max_iterations": "max_iter",
    "stop": "early_stopping",
}
_NEW_PARAMETERS = {  # at their defaults nothing changes
    "all_missing",
    "bootstrap_features",
    "forced_tests",
    "interaction_cst",
    "keep_targets",
    "monotonic_cst",
    "prior_cv",
    "quantile",
    "shrinkage",
    "surrogate_style",
    "tweedie_power",
}
_NEW_PARAMETERS_OF = {
    "RandomForestClassifier": {"estimator"},
    "SmallForestClassifier": {"order"},
    "SmallForestRegressor": {"order"},
}
_SINGLE_TREES = {
    "C45Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "ID3Classifier",
    "IGPAClassifier",
    "IGPARegressor",
}


def present_name(name: str, version: Version) -> str:
    """Return what a class is called now."""
    return name if version >= (1, 1) else _CLASSES.get(name, name)


def present_state(cls: type, state: dict[str, Any], version: Version) -> dict[str, Any]:
    """Return the state of an object of a class as the present version stores it."""
    params = state.get("params")
    if type(params) is dict and all(type(name) is str for name in params):
        params = _renamed(cls, params) if version < (1, 1) else params
        state = {**state, "params": _completed(cls, params)}
    fitted = state.get("fitted")
    if version >= (1, 1) or type(fitted) is not dict:
        return state
    if "_members" in fitted and "_learner_runs" in fitted:
        raise StateError("_members had another name in this version.")
    if set(fitted) >= _MEMBERS:
        fitted = {_FITTED.get(name, name): v for name, v in fitted.items() if name not in _DROPPED}
    return {**state, "fitted": fitted}


def _renamed(cls: type, params: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of an estimator under the names that they have now."""
    found = {}
    for old, value in params.items():
        if old == "verbose" and cls.__name__ in _SINGLE_TREES:
            continue
        if old == "stop":
            value = value == "oob"
        found[_NEW_NAMES.get(old, old)] = value
    if found.get("sampling") == "bootstrap" and found.get("bootstrap") is False:
        found |= {"sampling": "subsample", "bootstrap": True}
    return dict(sorted(found.items()))  # as constructors list them


def _completed(cls: type, params: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of an estimator with those that it has got since, at their defaults."""
    declared = inspect.signature(cls).parameters
    names = _NEW_PARAMETERS & set(declared) | _NEW_PARAMETERS_OF.get(cls.__name__, set())
    new = {name: declared[name].default for name in names}
    return dict(sorted((new | params).items())) if new.keys() - params else params
