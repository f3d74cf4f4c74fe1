"""Numbers as people write them: $2,573.12, 2573.12 EUR, -1'000, 12.5 %, (40.00).

`parse_formatted` reads one of them. `diagnose` tells a column of them from one of codes, such as
LN-1001955, which have letters and digits too.
"""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

FEW_WORDS = 3  # in a column of numbers, so many words probably stand for gaps
_FEWEST = 20  # fewer texts of which none is a plain number may be categories, such as 5 % and 10 %
_MOST_UNITS = 4  # more are no units but words of names
_LONGEST_UNIT = 4
_QUOTES = "'\u2019"
_SEPARATORS = _QUOTES + " \u00a0\u2009\u202f"  # of thousands, beside the point or the comma
_MINUS = "\u2212-"  # in this order: a hyphen between two signs would mean a range
_LONGEST = 100  # letters: the pattern takes the square of a text's length
_UNIT = rf"[^\d.,{_QUOTES}+\-\u2212()]*?"


@cache
def _pattern(decimal: str) -> re.Pattern[str]:
    other = "," if decimal == "." else "."
    digits = rf"\d{{1,3}}(?:(?P<between>[{_SEPARATORS}{other}])\d{{3}}(?:(?P=between)\d{{3}})*)|\d+"
    point = re.escape(decimal)
    body = rf"(?P<whole>{digits})?(?:{point}(?P<part>\d*))?(?P<power>[eE][+-]?\d+)?"
    sign = rf"(?P<{{}}>[+{_MINUS}]?)"
    before, after = sign.format("sign"), sign.format("sign2")
    return re.compile(rf"{before}(?P<lead>{_UNIT}){after}{body}(?P<tail>{_UNIT})")


def parse_formatted(text: str, decimal: str = ".") -> tuple[float | None, str]:
    """Return the number that a text holds, and its unit.

    Parameters
    ----------
    text : str
        Digits with a sign, a currency or a unit, and separators between thousands. A number in
        parentheses is negative, as in accounts. A percentage is the number before the sign.
    decimal : {".", ","}, default="."
        Before the fraction; the other one may separate thousands.

    Returns
    -------
    float or None
        None if the text is no number.
    str
        The unit; empty if there is none.
    """
    if len(text) > _LONGEST:
        return None, ""
    negative = text.startswith("(") and text.endswith(")")
    found = _pattern(decimal).fullmatch(text[1:-1] if negative else text)
    if found is None:
        return None, ""
    whole, part = found["whole"] or "", found["part"] or ""
    lead, tail = found["lead"].strip(), found["tail"].strip()
    signs = found["sign"] + found["sign2"]
    if not whole + part or (lead and tail) or len(signs) + negative > 1:
        return None, ""
    if found["between"]:
        whole = whole.replace(found["between"], "")
    number = float(f"{whole or '0'}.{part or '0'}{found['power'] or ''}")
    is_negative = negative or signs in tuple(_MINUS)
    return -number if is_negative else number, lead or tail


# -- Columns of them


@dataclass(frozen=True)
class Written:
    """What a column of text holds that is all numbers, up to a few words."""

    example: str
    decimal: str  # mark
    units: tuple[str, ...]
    words: tuple[str, ...]  # that are no numbers, and probably stand for gaps

    def options(self, name: str) -> str:
        """Return the options that read a column of this name as numbers."""
        comma = " --decimal ," if self.decimal == "," else ""
        gaps = "".join(f" --na={shlex.quote(word)}" for word in self.words)
        return f"--numeric {shlex.quote(name)}{comma}{gaps}"


def diagnose(name: str, odd: Sequence[str], n_plain: int) -> Written | None:
    """Return what the texts of a column are if signs, units or commas make text of numbers.

    Parameters
    ----------
    name : str
        Name of the column.
    odd : sequence of str
        Its distinct texts that are no plain numbers.
    n_plain : int
        The number of those that are.

    Returns
    -------
    Written or None
        None if they are no numbers, or codes; of several units if each is one.
    """
    if n_plain == 0 and len(odd) < _FEWEST:
        return None
    for decimal in (",", ".") if _has_decimal_commas(odd) else (".", ","):
        found = _read_all(odd, decimal, min(FEW_WORDS, len(odd) + n_plain - 2))
        if found is None:
            continue
        signed, units = [text for text in odd if text not in found.words], found.units
        if all(_is_unit(unit, signed) for unit in units) and not _are_codes(name, signed, units):
            return found
    return None


def _read_all(texts: Sequence[str], decimal: str, most_words: int) -> Written | None:
    """Return the units of texts, and those that are no numbers unless there are too many."""
    signed: list[str] = []
    units: list[str] = []
    words: list[str] = []
    for text in texts:
        number, unit = parse_formatted(text, decimal)
        (words if number is None else signed).append(text)
        units += [unit] if unit else []
        if len(words) > most_words:
            return None
    if not signed:
        return None
    return Written(signed[0], decimal, tuple(dict.fromkeys(units)), tuple(words))


def _has_decimal_commas(texts: Sequence[str]) -> bool:
    """Return whether a comma before other than three last digits says that it is no separator."""
    return any(re.search(r",\d{1,2}\D*$|,\d{4,}\D*$", text) for text in texts)


def _is_unit(unit: str, texts: Sequence[str]) -> bool:
    """Return whether a text is a sign or a unit, not the letter of a code such as a12 or v1.5."""
    if not unit.isascii() or not unit.isalnum() or len(unit) > 1:
        return True
    written_after = re.compile(rf".*(\d[.,]\d+ *|\d +){unit}")  # 1.5k and 12 g; 12a is a house
    return any(map(written_after.fullmatch, texts))


def _are_codes(name: str, texts: Sequence[str], units: Sequence[str]) -> bool:
    """Return whether letters before whole numbers make codes of them, such as LN-1001955."""
    if len(units) > _MOST_UNITS or any(len(unit) > _LONGEST_UNIT for unit in units[1:]):
        return True
    shapes = [re.fullmatch(r"[^\W\d_]+([-#/]?)(\d+)", text) for text in texts]
    found = [shape.groups() for shape in shapes if shape is not None]
    if len(found) < len(texts):
        return False
    joined = all(sign for sign, _ in found)
    padded = any(len(digits) > 1 and digits.startswith("0") for _, digits in found)
    return joined or padded or len(units) > 1 or is_named_id(name)


# -- Names of ids

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_ID_WORDS = {"id", "ids", "uuid", "guid", "key", "nr", "no", "number", "index", "serial", "ref"}
_OWNERS = "account application case client contract customer loan member order patient person"
_JOINED = re.compile(rf"({_OWNERS.replace(' ', '|')}|policy|record|row|user)(id|key|nr|no|number)")


def is_named_id(name: str) -> bool:
    """Return whether a name says that its column is an id: customer_id, CustomerID, policy no."""
    words = [word.lower() for word in _WORD.findall(name)]
    if not words:
        return False
    return (
        words[-1] in _ID_WORDS
        or words[0] in ("id", "uuid", "guid")
        or _JOINED.fullmatch("".join(words)) is not None
    )
