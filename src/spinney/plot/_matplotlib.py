"""Matplotlib, imported only when something is drawn."""

from typing import Any


def pyplot() -> Any:
    """Return `matplotlib.pyplot`, or say how to install it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as problem:
        raise ImportError(
            "plots need Matplotlib, which is not installed. Install it with: "
            "pip install 'spinney[plot]'"
        ) from problem
    return plt


def axes_or_new(ax: Any, size: tuple[float, float]) -> Any:
    """Return the given axes, or those of a new figure of so many inches."""
    plt = pyplot()
    return plt.subplots(figsize=size, layout="constrained")[1] if ax is None else ax


def text_width(text: str, size: float) -> float:
    """Return how wide a line of text is, in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    width: float = text_to_path.get_text_width_height_descent(
        text, FontProperties(size=size), ismath=False
    )[0]
    return width / 72.0
