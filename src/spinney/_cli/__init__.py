"""The `spinney` command.

Each command is a module with a `command`; `_group` lists them and imports one only when it is
called. Modules of commands hold options and import what does the work inside the function, so that
help is shown at once.

::

    name, file -> Reading (_reading, data/) -> Training (_training) -> text (_report), JSON (_json)
    model file -> estimator (_model_files) -> predict, evaluate, prune, rules, explain
"""

from spinney._cli._group import main

__all__ = ["main"]
