"""What a bug report should include: versions of spinney, Python, the system and libraries."""

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, requires, version

from spinney import __version__

_MORE = ("pandas", "polars", "matplotlib", "formulaic", "skops")


def versions() -> dict[str, str]:
    """Return the versions by name, without importing anything; "none" where it is missing."""
    names = [_name(need) for need in requires("spinney") or () if "extra ==" not in need]
    found = {
        "spinney": __version__,
        "python": sys.version.replace("\n", " "),
        "system": platform.platform(),
        "processors": str(os.cpu_count()),
    }
    return found | {name: _version(name) for name in [*names, *_MORE]}


def _name(need: str) -> str:
    """Return the name of a requirement such as `numpy>=1.26`."""
    end = next((i for i, letter in enumerate(need) if letter in "<>=!~;[ "), len(need))
    return need[:end]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def show_versions() -> None:
    """Print the versions of spinney, Python, the system and the libraries, for a bug report.

    Examples
    --------
    >>> import spinney
    >>> spinney.show_versions()  # doctest: +SKIP
    """
    found = versions()
    width = max(map(len, found))
    print("\n".join(f"{name:{width}}  {value}" for name, value in found.items()))
