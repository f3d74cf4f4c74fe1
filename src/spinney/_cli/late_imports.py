"""Libraries that are loaded when they are used, rather than when another library imports them.

To import scikit-learn is to import pandas and scipy.stats, half of the time that a short command
takes, and most commands use neither. `importlib.util.LazyLoader` gives the importer the true
module, which runs when one of its attributes is asked for: whoever needs it, gets it.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder

LATE = frozenset({"pandas", "scipy.stats"})


class _LateFinder:
    """Finds the modules of `LATE` where they are, and gives them a loader that waits."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: object = None
    ) -> ModuleSpec | None:
        """Return where a module is; None lets the others look for it."""
        if fullname not in LATE:
            return None
        from importlib.util import LazyLoader  # here: help needs no libraries

        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


def import_late() -> None:
    """Let this process load the modules of `LATE` when they are used."""
    sys.meta_path.insert(0, _LateFinder())
