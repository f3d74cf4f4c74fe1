"""Pictures of trees, of what they decide and of how they were pruned. They need Matplotlib."""

from spinney.plot._pruning import plot_pruning_path
from spinney.plot._regions import plot_regions
from spinney.plot._tree import plot_tree

__all__ = ["plot_pruning_path", "plot_regions", "plot_tree"]
