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


def present_name(name: str, version: Version) -> str:
    """Return what a class is called now."""
    return name if version >= (1, 1) else _CLASSES.get(name, name)


def present_state(state: dict[str, Any], version: Version) -> dict[str, Any]:
    """Return the state of an object as the present version stores it."""
    fitted = state.get("fitted")
    if version >= (1, 1) or type(fitted) is not dict:
        return state
    if "_members" in fitted and "_learner_runs" in fitted:
        raise StateError("_members had another name in this version.")
    if set(fitted) >= _MEMBERS:
        fitted = {_FITTED.get(name, name): v for name, v in fitted.items() if name not in _DROPPED}
    return {**state, "fitted": fitted}
