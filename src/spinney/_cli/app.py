"""The `spinney` command, and the libraries that it loads late."""

import atexit
import errno
import gc
import io
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any

import click

from spinney import __version__
from spinney._warnings import quiet_about_unseen

_SELDOM = 50_000  # objects after which garbage is collected; imports alone make some 700,000
SUMMARIES = {
    "split": "Divide a table into training and test rows.",
    "train": "Train a model; show it and its cross-validated error.",
    "predict": "Predict the rows of a table.",
    "evaluate": "Evaluate a model on labelled data.",
    "threshold": "Choose the probability from which a class is predicted.",
    "prune": "Show the pruning sequence of a tree, and select a subtree.",
    "plot": "Draw a model.",
    "edit": "Apply recorded edits to a tree, and show the effect of each.",
    "distil": "Distil a forest into one tree or a few rules.",
    "rules": "Write a model as rules, SQL, C, Python or JSON.",
    "export": "Write a model as PMML, ONNX, SQL, C, Python, JSON or treelite.",
    "explain": "Explain the prediction of one row.",
    "report": "Write an offline HTML report of a model on data.",
    "compare": "Compare models on the same partitions, with statistical tests.",
    "reproduce": "Reproduce published experiments.",
    "datasets": "List the bundled data sets.",
}

# To import scikit-learn is to import pandas, scipy.stats and scipy.special, more than half of the
# time that a short command takes; SciPy takes f2py and NumPy's tests along.
LATE = frozenset(
    {"numpy.f2py", "numpy.testing", "pandas", "pyarrow.compute", "scipy.special", "scipy.stats"}
)


class Commands(click.Group):
    """The commands, whose options are imported when one is run; errors are one sentence."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order in which people need them."""
        return list(SUMMARIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command with its options."""
        from spinney._cli.commands import COMMANDS

        return COMMANDS.get(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing their options."""
        with formatter.section("Commands"):
            formatter.write_dl(list(SUMMARIES.items()))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find the command, or suggest the closest name."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from spinney._format import did_you_mean

            hint = did_you_mean(args[0], SUMMARIES)
            raise click.UsageError(f"no command {args[0]!r}.{hint}", ctx) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; an operating system error, such as a full disk, becomes a refusal."""
        _replace_unencodable()
        try:
            with quiet_about_unseen():  # commands have notes of their own
                return super().invoke(ctx)
        except OSError as error:
            if error.errno == errno.EPIPE:  # as in `spinney ... | head`, which click handles
                raise
            from spinney._cli.errors import Refusal

            what = repr(error.filename) if error.filename else "the output"
            raise Refusal(f"cannot go on with {what}: {error.strerror or error}.") from error


def _replace_unencodable() -> None:
    """Escape characters that the terminal's encoding lacks, such as a tick in cp1252."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


main = Commands(
    "spinney",
    help="Decision trees and small forests that people can read, defend and ship.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 90},
)
click.version_option(__version__, prog_name="spinney")(main)


def start() -> None:
    """Run the command as a process of its own, whose end clears what the collector would search."""
    gc.set_threshold(_SELDOM, 20, 20)
    atexit.register(gc.freeze)
    import_late()
    main()


class _LateFinder:
    """Finds the modules of `LATE` where they are, and gives them a loader that waits."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: object = None
    ) -> ModuleSpec | None:
        """Return where a module is; None lets the others look for it."""
        if fullname not in LATE:
            return None
        from importlib.util import LazyLoader  # here: help needs no libraries

        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


def import_late() -> None:
    """Let this process load the modules of `LATE` when they are used."""
    sys.meta_path.insert(0, _LateFinder())
