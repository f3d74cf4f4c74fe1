"""Experiments that compare methods, and statistics that hold.

An `Experiment` is data sets x methods x resampling; its `run` gives `Results` with means, ranks,
tests, tables and curves. Names are imported when they are first asked for: the processes of a run
need few of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spinney.compare._experiment import Experiment
    from spinney.compare._folder import FolderInUseError
    from spinney.compare._journal import UnitFailedError, run_units
    from spinney.compare._lines import JournalError
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

_MODULE_OF = {
    "Experiment": "_experiment",
    "FolderInUseError": "_folder",
    "Friedman": "_statistics",
    "GrowingTrainingSet": "_resampling",
    "JournalError": "_lines",
    "Nemenyi": "_statistics",
    "OutOfBag": "_resampling",
    "RepeatedHoldout": "_resampling",
    "RepeatedKFold": "_resampling",
    "Resampling": "_resampling",
    "Results": "_results",
    "Resubstitution": "_resampling",
    "Spread": "_tables",
    "Table": "_tables",
    "TestResult": "_statistics",
    "UnitFailedError": "_journal",
    "corrected_t": "_statistics",
    "friedman": "_statistics",
    "nemenyi": "_statistics",
    "paired_t": "_statistics",
    "plot_critical_difference": "_plots",
    "plot_error_and_leaves": "_plots",
    "plot_size_curve": "_plots",
    "plot_training_size_curve": "_plots",
    "run_units": "_journal",
    "wilcoxon": "_statistics",
}

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
