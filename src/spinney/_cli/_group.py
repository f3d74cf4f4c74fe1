"""The list of commands; each is imported when it is asked for."""

import errno
import io
import sys
from importlib import import_module
from typing import Any

import click

from spinney import __version__

COMMANDS = {
    "train": "Learn a model, show it and its cross-validated error.",
    "predict": "Predict the rows of a table.",
    "evaluate": "Judge a model by rows whose answer is known.",
    "prune": "Show every size a tree can have, and choose one.",
    "rules": "Write a model as rules, SQL, C, Python or JSON.",
    "explain": "Tell why one row is predicted as it is.",
    "compare": "Compare models on the same partitions, with statistics.",
    "reproduce": "Run published experiments again.",
    "datasets": "List the data sets that ship with spinney.",
}


class LazyGroup(click.Group):
    """Commands by name, from the module `spinney._cli._<name>`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order in which people need them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"spinney._cli._{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find the command, or hint at the one that is meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from spinney._nearest import did_you_mean

            hint = did_you_mean(args[0], COMMANDS)
            raise click.UsageError(f"no command {args[0]!r}.{hint}", ctx) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what the system refuses, such as a full disk, is one sentence."""
        _replace_unshowable()
        try:
            return super().invoke(ctx)
        except OSError as error:
            if error.errno == errno.EPIPE:  # as in `spinney ... | head`, which click knows
                raise
            from spinney._cli._refusal import Refusal

            what = repr(error.filename) if error.filename else "the output"
            raise Refusal(f"cannot go on with {what}: {error.strerror or error}.") from error


def _replace_unshowable() -> None:
    """Have what the screen cannot show, such as a tick in cp1252, written as its number."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@click.group(
    cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 90}
)
@click.version_option(__version__, prog_name="spinney")
def main() -> None:
    """Decision trees and small forests that people can read, defend and ship."""
