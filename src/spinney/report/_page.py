"""Puts a payload, the scripts and the styles of the package into one HTML file."""

import json
import math
import re
from functools import cache
from importlib import resources
from typing import Any

from spinney._format import without_controls

# In the order in which they are read: later ones use earlier ones.
SCRIPTS = (
    "numbers.js",
    "dom.js",
    "route.js",
    "tree_model.js",
    "words.js",
    "measures.js",
    "charts.js",
    "layout.js",
    "tree_view.js",
    "edits.js",
    "node_panel.js",
    "pruning.js",
    "quality.js",
    "quality_numbers.js",
    "quality_lifetimes.js",
    "reasons.js",
    "trace.js",
    "rules.js",
    "importances.js",
    "columns.js",
    "stability.js",
    "ensemble.js",
    "about.js",
    "print.js",
    "main.js",
)
STYLES = ("page.css", "parts.css", "print.css")
# Of every page: as wide as the screen, light or dark, and nothing that is asked of a network.
PAGE_HEAD = (
    '<meta charset="utf-8">\n'
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; script-src '
    "'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
    '<meta name="color-scheme" content="light dark">\n'
)
_UNSAFE = re.compile(r"[<>&\u2028\u2029\x7f\ud800-\udfff\ufffe\uffff]")


def page_html(payload: dict[str, Any]) -> str:
    """Return the page.

    Parameters
    ----------
    payload : dict
        What the scripts show.

    Returns
    -------
    str
    """
    return str(
        _template().render(
            head=PAGE_HEAD,
            title=without_controls(f"{payload['about']['model']}: {payload['about']['target']}"),
            data=safe_json(payload),
            scripts=[_read(name) for name in SCRIPTS],
            styles=[_read(name) for name in STYLES],
        )
    )


def safe_json(data: Any) -> str:
    """Return JSON that no name or label can break out of, inside a script element.

    Parameters
    ----------
    data : object
        Dicts, lists, text and numbers; numbers that are not finite become null.

    Returns
    -------
    str
        Without signs that HTML or JavaScript might take for their own.
    """
    text = json.dumps(_finite(data), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _finite(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    if isinstance(data, float):
        if not math.isfinite(data):
            return None
        return int(data) if data.is_integer() and abs(data) < 2**53 else data
    return data


def page_style() -> str:
    """Return the styles of text, tables and paper, for pages of other commands.

    Returns
    -------
    str
    """
    return "".join(_read(name) for name in STYLES)


@cache
def _read(name: str) -> str:
    return resources.files("spinney.report").joinpath("page", name).read_text("utf-8")


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return environment.from_string(_read("page.html.j2"))
