"""Numbers and categories as short text, the same in tests, rules, exports and plots."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

EXACT_DIGITS = 10  # of str(test)
SHORT_DIGITS = 6  # of exports and plots

_NEEDS_QUOTES = set("{},'\"\\\n\r\t")


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
    if size < 1:
        text = f"{value:.{digits}g}"
    else:
        text = f"{value:.{max(1, digits - len(str(int(size))))}f}".rstrip("0")
    # So close to a whole number that these digits do not show the difference: write it in full.
    return repr(value) if float(text).is_integer() else text


def category_text(category: Any) -> str:
    """Write a category as itself, in quotes only where it would be misread without them."""
    text = str(category)
    if not text or text != text.strip() or _NEEDS_QUOTES & set(text) or not text.isprintable():
        return repr(text)
    return text


def set_text(categories: Sequence[Any], max_categories: int | None = None) -> str:
    """Write a set of categories in the given order; a long one is cut and says how many more."""
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
