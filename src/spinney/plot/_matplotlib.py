"""What all plots share: Matplotlib, imported only when something is drawn, and colours.

The colours are safe for colour-blind readers. Up to eight classes take those that Okabe and Ito
proposed for this purpose; more take steps of a scale that grows evenly lighter from violet to
yellow, so that at least lightness differs.
"""

import io
from importlib.util import find_spec
from typing import Any

from spinney._format import without_controls

_CONTROLS = bytes({*range(32)} - {*b"\t\n\r"})
_DISTINCT = (
    "#0072b2",  # blue
    "#e69f00",  # orange
    "#009e73",  # green
    "#cc79a7",  # purple
    "#56b4e9",  # sky
    "#d55e00",  # vermilion
    "#f0e442",  # yellow
    "#7f7f7f",  # grey
)
_SCALE = ("#440154", "#3b528b", "#21918c", "#5ec962", "#fde725")
INK = "#222222"
QUIET = "#6b6b6b"
PAPER = "#ffffff"
ACCENT = _DISTINCT[5]


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


def class_colours(n_classes: int) -> list[str]:
    """Return a colour for each class, as #rrggbb."""
    if n_classes <= len(_DISTINCT):
        return list(_DISTINCT[:n_classes])
    return [_on_scale(k / (n_classes - 1)) for k in range(n_classes)]


def mix(colour: str, other: str, share: float) -> str:
    """Return a colour between two: `share` of the second, the rest of the first."""
    pairs = zip(_channels(colour), _channels(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def _on_scale(place: float) -> str:
    step = place * (len(_SCALE) - 1)
    low = min(int(step), len(_SCALE) - 2)
    return mix(_SCALE[low], _SCALE[low + 1], step - low)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
