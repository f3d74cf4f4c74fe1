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


def leaves_text(count: int) -> str:
    """Return a number of leaves in words."""
    return plural(count, "leaf", "leaves")


class Screen:
    """A terminal, or a pipe: text is printed as it is, without markup and trailing spaces."""

    def __init__(self) -> None:
        self._console = Console(markup=False, highlight=False, emoji=False)

    def line(self, line: str = "", *, bold: bool = False) -> None:
        """Print a line unwrapped, with control characters escaped."""
        style = "bold" if bold else None
        self._console.print(without_controls(line.rstrip()), style=style, soft_wrap=True)

    def head(self, text: str) -> None:
        """Print a heading after an empty line."""
        self.line()
        self.line(text, bold=True)

    def wrapped(self, text: str, carried: str = "") -> None:
        """Print text indented, wrapped between words; continuation lines start with `carried`."""
        width = max(self._console.width - len(_INDENT), 1)  # a terminal may be one column wide
        for line in textwrap.wrap(
            text, width, subsequent_indent=carried, break_long_words=False, break_on_hyphens=False
        ):
            self.line(_INDENT + line)

    def tree(self, text: str) -> None:
        """Print a tree; continuation lines keep the lines that connect its branches."""
        for line in text.splitlines():
            guides = _GUIDES.match(line)
            lead = guides.group() if guides else ""
            own = "|   " if lead.endswith("|-- ") else " " * len(lead[-4:])
            self.wrapped(line, carried=lead[:-4] + own + "    ")

    def pairs(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Print names and values side by side."""
        width = max(len(name) for name, _ in pairs)
        for name, text in pairs:
            self.wrapped(f"{name:<{width}}  {text}", carried=" " * (width + 2))

    def table(
        self,
        rows: Sequence[Sequence[str]],
        *,
        left: Sequence[int] = (),
        bold: Sequence[int] = (0,),
    ) -> None:
        """Print an indented table.

        Parameters
        ----------
        rows : sequence of sequence of str
            Rows of cells, the header first.
        left : sequence of int
            Left-aligned columns; the others are right-aligned.
        bold : sequence of int, default=(0,)
            Rows to print in bold.
        """
        for place, line in enumerate(aligned(rows, left)):
            self.line(_INDENT + line, bold=place in bold)


def print_result(
    show: Callable[[Screen], None],
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
    else:
        show(Screen())
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
