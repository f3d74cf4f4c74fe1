"""Experiments that compare methods, with statistical tests.

An `Experiment` is data sets x methods x resampling; its `run` returns `Results` with means, ranks,
tests, tables and curves. Names are imported on first use, since the worker processes of a run need
few of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spinney.compare._experiment import Experiment
    from spinney.compare._folder import FolderInUseError, JournalError
    from spinney.compare._plots import (
        plot_critical_difference,
        plot_error_and_leaves,
        plot_size_curve,
        plot_training_size_curve,
    )
    from spinney.compare._resampling import (
        GrowingTrainingSet,
        OutOfBag,
        RepeatedHoldout,
        RepeatedKFold,
        Resampling,
        Resubstitution,
    )
    from spinney.compare._results import Results
    from spinney.compare._statistics import (
        Friedman,
        Nemenyi,
        TestResult,
        corrected_t,
        friedman,
        nemenyi,
        paired_t,
        wilcoxon,
    )
    from spinney.compare._tables import Spread, Table
    from spinney.compare._units import UnitFailedError, run_units

_NAMES = {
    "_experiment": "Experiment",
    "_folder": "FolderInUseError JournalError",
    "_plots": "plot_critical_difference plot_error_and_leaves plot_size_curve "
    "plot_training_size_curve",
    "_resampling": "GrowingTrainingSet OutOfBag RepeatedHoldout RepeatedKFold Resampling "
    "Resubstitution",
    "_results": "Results",
    "_statistics": "Friedman Nemenyi TestResult corrected_t friedman nemenyi paired_t wilcoxon",
    "_tables": "Spread Table",
    "_units": "UnitFailedError run_units",
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [
    "Experiment",
    "FolderInUseError",
    "Friedman",
    "GrowingTrainingSet",
    "JournalError",
    "Nemenyi",
    "OutOfBag",
    "RepeatedHoldout",
    "RepeatedKFold",
    "Resampling",
    "Resubstitution",
    "Results",
    "Spread",
    "Table",
    "TestResult",
    "UnitFailedError",
    "corrected_t",
    "friedman",
    "nemenyi",
    "paired_t",
    "plot_critical_difference",
    "plot_error_and_leaves",
    "plot_size_curve",
    "plot_training_size_curve",
    "run_units",
    "wilcoxon",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'spinney.compare' has no attribute {name!r}")
    import_module("spinney._libraries")  # first: see there
    value = getattr(import_module(f"spinney.compare.{_MODULE_OF[name]}"), name)
    globals()[name] = value  # so that the next time costs nothing
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
