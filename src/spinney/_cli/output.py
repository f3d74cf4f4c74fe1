"""The output of commands: text on the terminal, and files.

Text is wrapped and aligned, without trailing space. Files are checked before the work, and written
whole or not at all.
"""

import json
import math
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from spinney._atomic import write_atomically
from spinney._cli.errors import Refusal, cannot_write
from spinney._format import aligned, plural, without_controls

T = TypeVar("T")
_INDENT = "  "
_GUIDES = re.compile(r"^(?:[|` ](?:-- |   ))*")  # lines that connect the branches of a tree
_PERCENT = re.compile(r"(?<=\d) %")  # stays on one line
_PLOT_SUFFIXES = (".png", ".svg", ".pdf")


def leaves_text(count: int) -> str:
    """Return a number of leaves in words."""
    return plural(count, "leaf", "leaves")


class Screen:
    """A terminal, or a pipe: text is printed as it is, without markup and trailing spaces."""

    def line(self, line: str = "", *, bold: bool = False) -> None:
        """Print a line unwrapped, with control characters escaped."""
        text = without_controls(line.rstrip())
        click.echo(click.style(text, bold=True) if bold and text else text)

    def head(self, text: str) -> None:
        """Print a heading after an empty line."""
        self.line()
        self.line(text, bold=True)

    def wrapped(self, text: str, carried: str = "") -> None:
        """Print text indented, wrapped between words; continuation lines start with `carried`."""
        columns = shutil.get_terminal_size((80, 24)).columns
        width = max(columns - len(_INDENT), 1)  # a terminal may be one column wide
        joined = _PERCENT.sub("\0%", text)
        for line in textwrap.wrap(
            joined, width, subsequent_indent=carried, break_long_words=False, break_on_hyphens=False
        ):
            self.line(_INDENT + line.replace("\0%", " %"))

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
    found: T,
    show: Callable[[T, Screen], None],
    as_data: Callable[[T], Any],
    *,
    as_json: bool,
    written: Mapping[str, Path | None] | None = None,
) -> None:
    """Print the result of a command.

    Parameters
    ----------
    found : object
        The result.
    show : callable
        Prints it as text.
    as_data : callable
        Returns it as plain data, for JSON.
    as_json : bool
        Which of them is used.
    written : mapping of str to Path or None, optional
        Beginning of a sentence, and the file that it ends with.
    """
    if as_json:
        click.echo(json.dumps(_finite(as_data(found)), indent=2, allow_nan=False))
    else:
        show(found, Screen())
    for words, path in (written or {}).items():
        if path is not None:
            click.echo(f"\n{words} {path}.", err=as_json)


def _finite(data: Any) -> Any:
    """Return data with None for the numbers that JSON lacks."""
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


@contextmanager
def fold_progress(n_folds: int) -> Iterator[Callable[[], None]]:
    """Show a progress bar on a terminal; yield the function to call after each fold."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("cross-validation", total=n_folds)
        yield lambda: bar.advance(task)


def check_output(option: str, path: Path | None, *read: str | Path | None) -> None:
    """Refuse a file that cannot be written, or that the command reads, before any work is done."""
    if path is None:
        return
    if any(_is_same(path, other) for other in read):
        raise Refusal(
            f"{option}: {str(path)!r} is read by this command and would be lost. Give another name."
        )
    if path.is_dir():
        raise Refusal(f"{option}: {str(path)!r} is a folder. Give the name of a file in it.")
    folder = path.absolute().parent
    if not folder.is_dir():
        raise Refusal(f"{option}: there is no folder {str(folder)!r}. Make it first.")
    if not os.access(folder, os.W_OK):
        raise Refusal(f"{option}: the folder {str(folder)!r} may not be written to.")


def _is_same(path: Path, other: str | Path | None) -> bool:
    return other is not None and path.is_file() and Path(other).exists() and path.samefile(other)


def check_plot_file(path: Path | None, option: str = "--plot") -> None:
    """Refuse a picture that cannot be written, before any work is done."""
    if path is None:
        return
    if path.suffix.lower() not in _PLOT_SUFFIXES:
        raise Refusal(f"{option}: {str(path)!r} must end in {', '.join(_PLOT_SUFFIXES)}.")
    check_output(option, path)
    from spinney.plot._matplotlib import have_matplotlib  # here, as plots import estimators

    if not have_matplotlib():
        raise Refusal(
            f"{option} needs Matplotlib, which is not installed: pip install 'spinney[plot]'."
        )


def write_bytes(option: str, path: Path, content: bytes) -> None:
    """Write a file; on failure, an existing file stays unchanged."""
    try:
        write_atomically(path, [content])
    except OSError as error:
        raise cannot_write(option, path, error) from error


def write_text(option: str, path: Path, text: str) -> None:
    """Write a text file in UTF-8."""
    write_bytes(option, path, text.encode())


def print_or_write(text: str, path: Path | None, what: str) -> None:
    """Print lines of text as they are, or write them to the file of --out."""
    if path is None:
        click.echo(text, nl=False, color=True)  # escape sequences in the data are kept
    else:
        write_text("--out", path, text)
        click.echo(f"The {what} are in {path}.", err=True)


def save_plot(draw: Callable[[], Any], path: Path | None, option: str = "--plot") -> None:
    """Call a function that draws and returns axes; write the picture to the file of --plot."""
    if path is not None:
        write_bytes(option, path, drawn(draw, path.suffix.lower().removeprefix(".")))


def drawn(draw: Callable[[], Any], format_: str) -> bytes:
    """Call a function that draws and returns axes; return the picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    from spinney.plot._matplotlib import picture

    figure = draw().figure
    content = picture(figure, format_)
    pyplot.close(figure)
    return content
