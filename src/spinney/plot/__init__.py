"""Plots of trees, decision regions, pruning paths and ensembles, by Matplotlib."""

from spinney import _libraries  # noqa: F401  (first: see there)
from spinney.plot._error_plots import (
    plot_ensemble_accuracy,
    plot_kappa_error,
    plot_pruning_path,
    plot_selection,
)
from spinney.plot._region_plots import plot_gates, plot_regions
from spinney.plot._tree_plot import plot_tree

__all__ = [
    "plot_ensemble_accuracy",
    "plot_gates",
    "plot_kappa_error",
    "plot_pruning_path",
    "plot_regions",
    "plot_selection",
    "plot_tree",
]
