"""Published experiments: our figures beside the printed ones.

::

    paper_<name>.PAPER -> run_units -> Results -> Content (paper, verdicts) -> files (runner)

`spinney reproduce` is its command. `published` holds the printed figures.
"""

from spinney._reproduce.paper import Options
from spinney._reproduce.runner import PAPERS, Report, reproduce

__all__ = ["PAPERS", "Options", "Report", "reproduce"]
