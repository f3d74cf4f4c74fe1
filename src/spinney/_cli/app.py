"""The `spinney` command."""

import errno
import io
import sys
from typing import Any

import click

from spinney import __version__
from spinney._cli.errors import Refusal
from spinney._cli.options import COMMANDS
from spinney._nearest import did_you_mean


class Commands(click.Group):
    """A group whose errors are one sentence, also those of the operating system."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order in which people need them."""
        return list(self.commands)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find the command, or suggest the closest name."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            hint = did_you_mean(args[0], self.commands)
            raise click.UsageError(f"no command {args[0]!r}.{hint}", ctx) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; an operating system error, such as a full disk, becomes a refusal."""
        _replace_unencodable()
        try:
            return super().invoke(ctx)
        except OSError as error:
            if error.errno == errno.EPIPE:  # as in `spinney ... | head`, which click handles
                raise
            what = repr(error.filename) if error.filename else "the output"
            raise Refusal(f"cannot go on with {what}: {error.strerror or error}.") from error


def _replace_unencodable() -> None:
    """Escape characters that the terminal's encoding lacks, such as a tick in cp1252."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


main = Commands(
    "spinney",
    COMMANDS,
    help="Decision trees and small forests that people can read, defend and ship.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 90},
)
click.version_option(__version__, prog_name="spinney")(main)
