"""Experiments that compare methods, and statistics that hold.

Names are imported when they are first asked for: the processes of a run need few of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spinney.compare._files import FolderInUseError
    from spinney.compare._journal import UnitFailedError, run_units
    from spinney.compare._lines import JournalError

_MODULE_OF = {
    "FolderInUseError": "_files",
    "JournalError": "_lines",
    "UnitFailedError": "_journal",
    "run_units": "_journal",
}

__all__ = ["FolderInUseError", "JournalError", "UnitFailedError", "run_units"]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'spinney.compare' has no attribute {name!r}")
    value = getattr(import_module(f"spinney.compare.{_MODULE_OF[name]}"), name)
    globals()[name] = value  # so that the next time costs nothing
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
