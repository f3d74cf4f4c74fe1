"""Run the command line: `python -m spinney`."""

from spinney._cli import start

start()
