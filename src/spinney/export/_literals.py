"""Names, strings and numbers as literals of other languages.

All text of a model reaches generated code through these functions, so that quotes, line breaks or
comment delimiters in a name are escaped.
"""

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from spinney._expression.tokens import FAR_SINE, INVERSE_PI, PI, SHIFT

_PLAIN_INTEGER = 2**24  # exact even where an engine compares in single precision
_NO_TEXT = re.compile("[\0\ud800-\udfff]")
_SAFE_DIGITS = 15  # as many decimal digits as every reader of numbers gets right


def sql_number(value: float, always_real: bool = False) -> str:
    """Return a number that every engine reads back as the same double.

    A plain decimal is a number of its own kind in some engines, and compared in single precision
    with columns of that type; so fractions that single precision does not hold get an exponent.
    Numbers of many digits get one more than they need, as readers are not exact to the last bit.
    """
    value = float(value) + 0.0
    if math.isinf(value):
        return "9e999" if value > 0 else "-9e999"
    if value.is_integer() and abs(value) <= _PLAIN_INTEGER:
        return f"{int(value)}e0" if always_real else str(int(value))
    text = repr(value)
    if sum(map(str.isdigit, text.split("e")[0].replace(".", "").strip("-0"))) > _SAFE_DIGITS:
        text = f"{value:.17e}"
    plain = not always_real and "e" not in text and float(np.float32(value)) == value
    return text if plain or "e" in text else text + "e0"


def plain_unicode(text: str, where: str, others: str) -> str:
    """Return a text, or refuse it if it has NUL or half of a pair of UTF-16, which end or spoil it.

    Parameters
    ----------
    text : str
        A name or a label.
    where : str
        What cannot hold it, for the message.
    others : str
        The formats that can.

    Returns
    -------
    str
    """
    found = _NO_TEXT.search(text)
    if found:
        what = "NUL" if found.group() == "\0" else ascii(found.group())
        raise ValueError(
            f"{where} cannot hold the character {what}, but {text!r} does. Rename it and fit "
            f"again, or use {others}."
        )
    return text


def c_text(text: str) -> str:
    """Return a string literal of the UTF-8 bytes of a text."""
    plain = plain_unicode(text, "text in C", "to_python or to_json")
    return '"' + "".join(map(_c_byte, plain.encode())) + '"'


def c_number(value: float) -> str:
    """Return a double constant."""
    if math.isinf(value):
        return "1.0 / 0.0" if value > 0 else "-1.0 / 0.0"
    return repr(float(value))


def comment_text(text: str) -> str:
    """Return a text on one line that ends no comment, neither in C nor in Python."""
    line = "".join(char if char.isprintable() else "?" for char in text)
    for mark in ("*/", "/*", "??"):
        line = line.replace(mark, f"{mark[0]} {mark[1]}").replace(mark, f"{mark[0]} {mark[1]}")
    return line.replace("\\", "\\ ")


def python_value(value: Any) -> str:
    """Return a Python literal; infinities by the name INF, which the module defines."""
    if isinstance(value, float) and math.isinf(value):
        return "INF" if value > 0 else "-INF"
    return ascii(value)


def _c_byte(byte: int) -> str:
    char = chr(byte)
    if char in '"\\?':
        return "\\" + char
    return char if 32 <= byte < 127 else f"\\{byte:03o}"


def finished_sql(text: str) -> str:
    """Return a query with the line breaks of names and literals, which no longer move."""
    return text.replace("\0", "\n")


def movable(text: str) -> str:
    """Return text that can be set in: its own line breaks are NUL until the query is finished."""
    return plain_unicode(text, "SQL text", "to_python or to_json").replace("\n", "\0")


def with_sine_constants(template: str, write: Callable[[float], str]) -> str:
    """Fill the constants of the sine into the template of its function."""
    constants = {"INVERSE_PI": INVERSE_PI, "SHIFT": SHIFT, "FAR": FAR_SINE}
    constants |= {f"PI{k}": part for k, part in enumerate(PI, start=1)}
    for name, value in constants.items():
        template = template.replace(f"@{name}", write(value))
    return template
