"""Numbers as people write them: $2,573.12, 2573.12 EUR, -1'000, 12.5 %, (40.00)."""

import re
from functools import cache

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


def read_dressed(text: str, decimal: str = ".") -> tuple[float | None, str]:
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
