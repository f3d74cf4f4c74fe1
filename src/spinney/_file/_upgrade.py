"""What files of earlier versions of the format call things, and what they lack.

A file of an earlier version is read with its own names, and then turned into what the present
version would have stored. Model files are always written in the present version.
"""

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


def present_state(name: str, state: dict[str, Any], version: Version) -> dict[str, Any]:
    """Return the state of an object of a class as the present version stores it."""
    if version < (1, 1) and type(state.get("params")) is dict:
        state = {**state, "params": _present_params(name, state["params"])}
    fitted = state.get("fitted")
    if version >= (1, 1) or type(fitted) is not dict:
        return state
    if "_members" in fitted and "_learner_runs" in fitted:
        raise StateError("_members had another name in this version.")
    if set(fitted) >= _MEMBERS:
        fitted = {_FITTED.get(name, name): v for name, v in fitted.items() if name not in _DROPPED}
    return {**state, "fitted": fitted}


def _present_params(name: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of an estimator under the names that they have now."""
    found = {}
    for old, value in params.items():
        if old == "verbose" and name in _SINGLE_TREES:
            continue
        if old == "stop":
            value = value == "oob"
        found[_NEW_NAMES.get(old, old)] = value
    if found.get("sampling") == "bootstrap" and found.get("bootstrap") is False:
        found |= {"sampling": "subsample", "bootstrap": True}
    return dict(sorted(found.items()))  # as constructors list them
