"""Values as text: numbers, categories, counts, aligned tables, and hints at misspelt names.

The same in tests, rules, exports, plots, messages and the command line.
"""

import csv
import difflib
import io
import math
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

EXACT_DIGITS = 10  # of str(test)
SHORT_DIGITS = 6  # of exports and plots
_ALL_DIGITS = 17  # tell every two float64 apart
LARGEST_EXACT = 2**53  # float64 holds every integer up to here

_NEEDS_QUOTES = set("{},'\"\\\n\r\t")
# Controls of terminals, ends of lines, turns of the direction of writing, and what is no character.
_CONTROLS = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_SHORTEST_PART = 3  # letters that a name must have to be taken as a part of others
_MOST = 3  # names in a hint


def number_text(value: float, digits: int = EXACT_DIGITS) -> str:
    """Write a number with so many significant digits, but never a fraction as a whole number.

    36.0 is "36", 127.5 is "127.5", 1234567.5 is "1234567.5" even with six digits: the text of a
    threshold that lies between two whole numbers must lie between them too.
    """
    value = float(value)
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else str(value)
    size = abs(value)
    if size >= 2.0**63:
        return repr(value)
    if value.is_integer():
        return str(int(value))
    for shown in range(digits, _ALL_DIGITS):  # more where these hide that it is no whole number
        if size < 1:
            text = f"{value:.{shown}g}"
        else:
            text = f"{value:.{max(1, shown - len(str(int(size))))}f}".rstrip("0")
        if not float(text).is_integer():
            return text
    return repr(value)


def category_text(category: Any) -> str:
    """Write a category as itself, in quotes only where it would be misread without them."""
    text = str(category)
    if not text or text != text.strip() or _NEEDS_QUOTES & set(text) or not text.isprintable():
        return repr(text)
    return text


def category_at(bound: float, categories: Sequence[Any]) -> Any:
    """Return the last category up to a bound on codes; None if there is none."""
    code = math.floor(max(-1.0, min(bound, len(categories) - 1)))
    return categories[code] if categories and code >= 0 else None


def bound_text(bound: float, categories: Sequence[Any] = (), digits: int = EXACT_DIGITS) -> str:
    """Write a bound: a number, or the last category of an ordered column up to it."""
    category = category_at(bound, categories)
    return number_text(bound, digits) if category is None else category_text(category)


def set_text(categories: Sequence[Any], max_categories: int | None = None) -> str:
    """Write a set of categories in the given order; a long one is cut with the number left out."""
    shown = list(categories)
    more = 0 if max_categories is None else len(shown) - max_categories
    if more > 1:  # cutting a single one off would save nothing
        shown = shown[:max_categories]
    names = [category_text(category) for category in shown]
    if more > 1:
        names.append(f"... {more} more")
    return "{" + ", ".join(names) + "}"


def join_words(words: Iterable[Any], limit: int = 8) -> str:
    """Join words for a message, cutting a long list."""
    listed = [repr(word) if isinstance(word, str) else str(word) for word in words]
    if len(listed) > limit:
        listed = [*listed[:limit], f"and {len(listed) - limit} more"]
    return ", ".join(listed)


def plural(count: int, noun: str, nouns: str | None = None) -> str:
    """Return a count with its noun."""
    return f"{count} {noun if count == 1 else nouns or noun + 's'}"


def aligned(rows: Sequence[Sequence[str]], left: Collection[int] = ()) -> list[str]:
    """Return the lines of a table whose columns are aligned.

    Parameters
    ----------
    rows : sequence of sequence of str
        Rows of cells, all of the same length.
    left : collection of int
        Left-aligned columns; the others are right-aligned.

    Returns
    -------
    list of str
        A line for each row, without trailing spaces.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Return rows of cells as CSV; None is an empty cell."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def without_controls(text: str) -> str:
    r"""Write signs that control a terminal, end a line or are no XML as their numbers: ``\x1b``.

    Parameters
    ----------
    text : str
        Any, such as a name from a file.

    Returns
    -------
    str
        On one line.
    """
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a "did you mean" with the nearest name, or nothing.

    Parameters
    ----------
    name : str
        What somebody wrote. Upper and lower case count as the same.
    known : iterable of str
        What there is.

    Returns
    -------
    str
        Such as " Did you mean 'income'?", with a space to join it to a sentence.
    """
    near = nearest_names(name, known)
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""


def nearest_names(name: str, known: Iterable[str]) -> list[str]:
    """Return the name itself in other letters, else names it is a part of, else the most alike."""
    wanted = name.strip().lower()
    plain = {word.lower(): word for word in known}
    if wanted in plain:
        return [plain[wanted]]
    if len(wanted) >= _SHORTEST_PART:
        longer = [word for low, word in plain.items() if wanted in low]
        if longer:
            return longer[:_MOST]
    return [plain[low] for low in difflib.get_close_matches(wanted, plain, n=1)]
