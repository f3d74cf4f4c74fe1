"""Pictures of trees, of what they decide, of how they were pruned, and of ensembles.

They need Matplotlib.
"""

from spinney import _libraries  # noqa: F401  (first: see there)
from spinney.plot._ensemble_accuracy import plot_ensemble_accuracy
from spinney.plot._gates import plot_gates
from spinney.plot._kappa_error import plot_kappa_error, plot_selection
from spinney.plot._pruning import plot_pruning_path
from spinney.plot._regions import plot_regions
from spinney.plot._tree import plot_tree

__all__ = [
    "plot_ensemble_accuracy",
    "plot_gates",
    "plot_kappa_error",
    "plot_pruning_path",
    "plot_regions",
    "plot_selection",
    "plot_tree",
]
