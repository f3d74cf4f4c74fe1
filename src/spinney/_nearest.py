"""Which known name somebody may have meant: the only hint of this kind, for all messages."""

import difflib
from collections.abc import Iterable

_SHORTEST_PART = 3  # letters that a name must have to be taken as a part of others
_MOST = 3


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question that names what is most like a name, or nothing.

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
