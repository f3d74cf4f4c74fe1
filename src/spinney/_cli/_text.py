"""Printing that the commands share: words, wrapped lines, small tables; no trailing space."""

import re
import textwrap
from collections.abc import Sequence

from rich.console import Console

from spinney._controls import without_controls

_INDENT = "  "
_GUIDES = re.compile(r"^(?:[|` ](?:-- |   ))*")  # of a tree: branches that go on


def make_console() -> Console:
    """Return a console that writes text as it is: no markup, no highlighting, no emoji."""
    return Console(markup=False, highlight=False, emoji=False)


def plural(count: int, noun: str, nouns: str | None = None) -> str:
    """Return a count with its noun."""
    return f"{count} {noun if count == 1 else nouns or noun + 's'}"


def leaves_text(count: int) -> str:
    """Return a number of leaves."""
    return plural(count, "leaf", "leaves")


def print_line(console: Console, line: str, *, bold: bool = False) -> None:
    """Print a line, however long; a terminal obeys nothing in it."""
    console.print(without_controls(line.rstrip()), style="bold" if bold else None, soft_wrap=True)


def print_head(console: Console, text: str) -> None:
    """Print a heading after an empty line."""
    console.print()
    print_line(console, text, bold=True)


def print_wrapped(console: Console, text: str, carried: str = "") -> None:
    """Print text two columns in, wrapped between words; `carried` leads the lines that follow."""
    width = max(console.width - len(_INDENT), 1)  # a terminal may be one column wide
    for line in textwrap.wrap(
        text, width, subsequent_indent=carried, break_long_words=False, break_on_hyphens=False
    ):
        print_line(console, _INDENT + line)


def print_tree(console: Console, text: str) -> None:
    """Print a tree; the rest of a long line stands behind the branches that go on."""
    for line in text.splitlines():
        print_wrapped(console, line, carried=_carried(line))


def _carried(line: str) -> str:
    guides = _GUIDES.match(line)
    lead = guides.group() if guides else ""
    own = "|   " if lead.endswith("|-- ") else " " * len(lead[-4:])
    return lead[:-4] + own + "    "


def print_pairs(console: Console, pairs: Sequence[tuple[str, str]]) -> None:
    """Print names and what they stand for, side by side."""
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
    """Print a table two columns in, cells to the right.

    Parameters
    ----------
    console : Console
        Where.
    rows : sequence of sequence of str
        The heads first.
    left : sequence of int
        Columns whose cells stand to the left.
    bold : sequence of int, default=(0,)
        Rows to print in bold.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for place, row in enumerate(rows):
        cells = [
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print_line(console, _INDENT + "  ".join(cells), bold=place in bold)
