"""Names and labels of the user's on a screen or in a picture: they are shown, and never obeyed."""

import re

# Controls of terminals, ends of lines, turns of the direction of writing, and what is no character.
_CONTROLS = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


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
