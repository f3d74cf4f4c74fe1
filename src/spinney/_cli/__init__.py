"""The command line: `spinney`, or `python -m spinney`.

`commands` declares every command; the module of the same name there is imported when the command
runs, so that help is shown at once.

::

    name, file -> Reading (data.reading) -> commands.train, prune, compare -> text or JSON
    model file -> estimator (models) + rows (data.match) -> commands.predict, evaluate, explain, ...
"""

from spinney._cli.app import main, start

__all__ = ["main", "start"]
