"""Edit a tree by hand: force a test, cut or grow a branch, with a record of every change."""

from spinney import _libraries  # noqa: F401  (first: see there)
from spinney.edit._editor import TreeEditor
from spinney.edit._history import Competitor, Edit, EditHistory, ReplayReport

__all__ = ["Competitor", "Edit", "EditHistory", "ReplayReport", "TreeEditor"]
