"""Printing to the terminal: wrapped lines, aligned tables, progress; no trailing space."""

import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console

from spinney._controls import without_controls
from spinney._text import aligned, plural

_INDENT = "  "
_GUIDES = re.compile(r"^(?:[|` ](?:-- |   ))*")  # lines that connect the branches of a tree


def print_result(
    show: Callable[[Console], None],
    to_json: Callable[[], str],
    *,
    as_json: bool,
    written: Mapping[str, Path | None] | None = None,
) -> None:
    """Print the result of a command.

    Parameters
    ----------
    show : callable
        Prints the result as text.
    to_json : callable
        Returns the result as JSON.
    as_json : bool
        Which of them is used.
    written : mapping of str to Path or None, optional
        Beginning of a sentence, and the file that it ends with.
    """
    if as_json:
        click.echo(to_json())
    else:  # text is printed as it is: no markup, no highlighting, no emoji
        show(Console(markup=False, highlight=False, emoji=False))
    for words, path in (written or {}).items():
        if path is not None:
            click.echo(f"\n{words} {path}.", err=as_json)


@contextmanager
def fold_progress(n_folds: int) -> Iterator[Callable[[], None]]:
    """Show a progress bar on a terminal; yield the function to call after each fold."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("cross-validation", total=n_folds)
        yield lambda: bar.advance(task)


def leaves_text(count: int) -> str:
    """Return a number of leaves in words."""
    return plural(count, "leaf", "leaves")


def print_line(console: Console, line: str, *, bold: bool = False) -> None:
    """Print a line unwrapped, with control characters escaped."""
    console.print(without_controls(line.rstrip()), style="bold" if bold else None, soft_wrap=True)


def print_head(console: Console, text: str) -> None:
    """Print a heading after an empty line."""
    console.print()
    print_line(console, text, bold=True)


def print_wrapped(console: Console, text: str, carried: str = "") -> None:
    """Print text indented, wrapped between words; continuation lines start with `carried`."""
    width = max(console.width - len(_INDENT), 1)  # a terminal may be one column wide
    for line in textwrap.wrap(
        text, width, subsequent_indent=carried, break_long_words=False, break_on_hyphens=False
    ):
        print_line(console, _INDENT + line)


def print_tree(console: Console, text: str) -> None:
    """Print a tree; continuation lines keep the lines that connect its branches."""
    for line in text.splitlines():
        print_wrapped(console, line, carried=_carried(line))


def _carried(line: str) -> str:
    guides = _GUIDES.match(line)
    lead = guides.group() if guides else ""
    own = "|   " if lead.endswith("|-- ") else " " * len(lead[-4:])
    return lead[:-4] + own + "    "


def print_pairs(console: Console, pairs: Sequence[tuple[str, str]]) -> None:
    """Print names and values side by side."""
    width = max(len(name) for name, _ in pairs)
    for name, text in pairs:
        print_wrapped(console, f"{name:<{width}}  {text}", carried=" " * (width + 2))


def print_table(
    console: Console,
    rows: Sequence[Sequence[str]],
    *,
    left: Sequence[int] = (),
    bold: Sequence[int] = (0,),
) -> None:
    """Print an indented table.

    Parameters
    ----------
    console : Console
        Console to print to.
    rows : sequence of sequence of str
        Rows of cells, the header first.
    left : sequence of int
        Left-aligned columns; the others are right-aligned.
    bold : sequence of int, default=(0,)
        Rows to print in bold.
    """
    for place, line in enumerate(aligned(rows, left)):
        print_line(console, _INDENT + line, bold=place in bold)
