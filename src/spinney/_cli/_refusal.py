"""The one error that the command line shows: a sentence, and exit code 2."""

import difflib
from collections.abc import Iterable

import click


class Refusal(click.ClickException):
    """What the user asked for cannot be done; the message says why and what to do."""

    exit_code = 2


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a hint at the known name that is most like the given one, or nothing."""
    lower = {word.lower(): word for word in known}
    near = difflib.get_close_matches(name.lower(), lower, n=1)
    return f" Did you mean {lower[near[0]]!r}?" if near else ""
