"""Pictures in files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from spinney import Tree
from spinney._cli._refusal import Refusal
from spinney._cli._writing import check_output, write_bytes
from spinney.plot._matplotlib import have_matplotlib, picture

_SUFFIXES = (".png", ".svg", ".pdf")


def check_plot_file(path: Path) -> None:
    """Refuse a file that could not be written, before any work is done."""
    if path.suffix.lower() not in _SUFFIXES:
        raise Refusal(f"--plot: {str(path)!r} must end in {', '.join(_SUFFIXES)}.")
    check_output("--plot", path)
    if not have_matplotlib():
        raise Refusal(
            "--plot needs Matplotlib, which is not installed: pip install 'spinney[plot]'."
        )


def save_plot(tree: Tree | None, path: Path) -> None:
    """Draw a tree into a file."""
    if tree is None:
        raise Refusal("--plot draws one tree, and this model is not one.")
    save_drawing(tree.plot, path)


def save_drawing(draw: Callable[[], Any], path: Path) -> None:
    """Let a function draw, and write what it drew to a file."""
    write_bytes("--plot", path, drawn(draw, path.suffix.lower().removeprefix(".")))


def drawn(draw: Callable[[], Any], format_: str) -> bytes:
    """Let a function draw on axes; return the picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure = draw().figure
    content = picture(figure, format_)
    pyplot.close(figure)
    return content
