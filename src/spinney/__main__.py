"""Run the command line: `python -m spinney`."""

from spinney._cli import main

main()
