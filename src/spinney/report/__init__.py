"""Reports: one offline HTML file that shows a model to those who decide on it.

`Report` gathers counts of a model on data (never rows) and writes them, with the tree, into one
HTML file. Its scripts draw the tree, prune it by a slider, move the threshold, and trace a row as
the model would.
"""

from spinney import _libraries  # noqa: F401  (first: see there)
from spinney.report._report import Report

__all__ = ["Report"]
