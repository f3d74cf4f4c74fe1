"""Templates of generated code: the sections of a text file in `templates/`."""

import re
from functools import cache
from importlib import resources


@cache
def read_template(name: str) -> dict[str, str]:
    """Return the sections of a template.

    Parameters
    ----------
    name : str
        The file, whose sections begin with lines such as ``// --- HEAD`` or ``# --- HEAD``.

    Returns
    -------
    dict of str to str
        The text of each section, by its name.
    """
    path = resources.files("spinney.export").joinpath("templates", name)
    _, *parts = re.split(r"^(?://|#) --- (\w+)\n", path.read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))
