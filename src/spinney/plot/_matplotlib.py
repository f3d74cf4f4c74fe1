"""Matplotlib, imported only when something is drawn."""

import io
from importlib.util import find_spec
from typing import Any

from spinney._controls import without_controls

_CONTROLS = bytes({*range(32)} - {*b"\t\n\r"})


def have_matplotlib() -> bool:
    """Return whether Matplotlib is installed."""
    return find_spec("matplotlib") is not None


def picture(figure: Any, format_: str, *, dpi: int = 150, tight: bool = True) -> bytes:
    """Return a figure as the content of a file, the same bytes for the same figure.

    Parameters
    ----------
    figure : matplotlib Figure
        The figure.
    format_ : {"png", "svg", "pdf"}
        Format of the file.
    dpi : int
        Dots per inch of a PNG.
    tight : bool
        Whether the figure is fitted to its content.

    Returns
    -------
    bytes
    """
    from matplotlib import rc_context

    unchanging = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    content = io.BytesIO()
    with rc_context({"svg.hashsalt": "spinney"}):
        figure.savefig(
            content,
            format=format_,
            dpi=dpi,
            bbox_inches="tight" if tight else None,
            metadata=unchanging[format_],
        )
    # Matplotlib writes every text as a comment too, and control characters are no XML.
    return content.getvalue().translate(None, _CONTROLS if format_ == "svg" else b"")


def pyplot() -> Any:
    """Return `matplotlib.pyplot`, or raise an error on how to install it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as problem:
        raise ImportError(
            "plots need Matplotlib, which is not installed. Install it with: "
            "pip install 'spinney[plot]'"
        ) from problem
    return plt


def axes_or_new(ax: Any, size: tuple[float, float]) -> Any:
    """Return the given axes, or those of a new figure of this size in inches."""
    plt = pyplot()
    return plt.subplots(figsize=size, layout="constrained")[1] if ax is None else ax


def text_width(text: str, size: float) -> float:
    """Return the width of a line of text in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    width: float = text_to_path.get_text_width_height_descent(
        without_controls(text), FontProperties(size=size), ismath=False
    )[0]
    return width / 72.0
