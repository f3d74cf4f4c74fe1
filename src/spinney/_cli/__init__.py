"""The `spinney` command.

::

    name, file -> Reading (_reading, _csv) -> Training (_training) -> text (_report), JSON (_json)
"""

from spinney._cli._commands import main

__all__ = ["main"]
