"""Published experiments, run again: our figures beside the printed ones.

::

    _papers -> Paper (_igpa, _gp, _mode, _car, _chapters) -> run_units -> Cells -> _page, _drawing

`spinney reproduce` is the command for it. What is printed is in `published`.
"""

from spinney._reproduce._papers import PAPERS
from spinney._reproduce._parts import Options
from spinney._reproduce._run import Report, reproduce

__all__ = ["PAPERS", "Options", "Report", "reproduce"]
