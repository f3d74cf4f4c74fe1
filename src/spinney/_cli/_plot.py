"""A tree as a picture in a file."""

from importlib.util import find_spec
from pathlib import Path

from spinney import Tree
from spinney._cli._refusal import Refusal

_SUFFIXES = (".png", ".svg", ".pdf")


def check_plot_file(path: Path) -> None:
    """Refuse a file that could not be written, before any work is done."""
    if path.suffix.lower() not in _SUFFIXES:
        raise Refusal(f"--plot: {str(path)!r} must end in {', '.join(_SUFFIXES)}.")
    if not path.absolute().parent.is_dir():
        raise Refusal(f"--plot: there is no folder {str(path.absolute().parent)!r}.")
    if find_spec("matplotlib") is None:
        raise Refusal(
            "--plot needs Matplotlib, which is not installed: pip install 'spinney[plot]'."
        )


def save_plot(tree: Tree, path: Path) -> None:
    """Draw a tree into a file."""
    import matplotlib

    matplotlib.use("Agg")
    axes = tree.plot()
    try:
        axes.figure.savefig(path, bbox_inches="tight", dpi=150)
    except OSError as error:
        raise Refusal(f"--plot: cannot write {str(path)!r}: {error}.") from error
