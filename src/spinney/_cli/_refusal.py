"""The one error that the command line shows: a sentence, and exit code 2."""

import click

from spinney._controls import without_controls


class Refusal(click.ClickException):
    """What the user asked for cannot be done; the message says why and what to do."""

    exit_code = 2

    def format_message(self) -> str:
        """Return the message; names from a file in it are shown, not obeyed."""
        return "\n".join(map(without_controls, self.message.split("\n")))
