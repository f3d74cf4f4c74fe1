"""The one error that the command line shows: a sentence, and exit code 2."""

import click


class Refusal(click.ClickException):
    """What the user asked for cannot be done; the message says why and what to do."""

    exit_code = 2
