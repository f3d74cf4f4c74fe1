"""rpart for those who come from R: its call, its defaults and its tables."""

from spinney import _libraries  # noqa: F401  (first: see there)
from spinney.rpart._call import RpartControl, rpart, rpart_control
from spinney.rpart._printing import cptable, plotcp, printcp, prune, summary

__all__ = [
    "RpartControl",
    "cptable",
    "plotcp",
    "printcp",
    "prune",
    "rpart",
    "rpart_control",
    "summary",
]
