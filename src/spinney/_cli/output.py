"""Files that commands write: checked before the work, written whole or not at all."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spinney._atomic import write_atomically
from spinney._cli.errors import Refusal, cannot_write
from spinney.plot._matplotlib import have_matplotlib, picture

_PLOT_SUFFIXES = (".png", ".svg", ".pdf")


def check_output(option: str, path: Path | None, *read: str | Path | None) -> None:
    """Refuse a file that cannot be written, or that the command reads, before any work is done."""
    if path is None:
        return
    if any(_is_same(path, other) for other in read):
        raise Refusal(
            f"{option}: {str(path)!r} is read by this command and would be lost. Give another name."
        )
    if path.is_dir():
        raise Refusal(f"{option}: {str(path)!r} is a folder. Give the name of a file in it.")
    folder = path.absolute().parent
    if not folder.is_dir():
        raise Refusal(f"{option}: there is no folder {str(folder)!r}. Make it first.")
    if not os.access(folder, os.W_OK):
        raise Refusal(f"{option}: the folder {str(folder)!r} may not be written to.")


def _is_same(path: Path, other: str | Path | None) -> bool:
    return other is not None and path.is_file() and Path(other).exists() and path.samefile(other)


def check_plot_file(path: Path | None) -> None:
    """Refuse a picture that cannot be written, before any work is done."""
    if path is None:
        return
    if path.suffix.lower() not in _PLOT_SUFFIXES:
        raise Refusal(f"--plot: {str(path)!r} must end in {', '.join(_PLOT_SUFFIXES)}.")
    check_output("--plot", path)
    if not have_matplotlib():
        raise Refusal(
            "--plot needs Matplotlib, which is not installed: pip install 'spinney[plot]'."
        )


def write_bytes(option: str, path: Path, content: bytes) -> None:
    """Write a file; on failure, an existing file stays unchanged."""
    try:
        write_atomically(path, [content])
    except OSError as error:
        raise cannot_write(option, path, error) from error


def write_text(option: str, path: Path, text: str) -> None:
    """Write a text file in UTF-8."""
    write_bytes(option, path, text.encode())


def save_plot(draw: Callable[[], Any], path: Path | None) -> None:
    """Call a function that draws and returns axes; write the picture to the file of --plot."""
    if path is not None:
        write_bytes("--plot", path, drawn(draw, path.suffix.lower().removeprefix(".")))


def drawn(draw: Callable[[], Any], format_: str) -> bytes:
    """Call a function that draws and returns axes; return the picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure = draw().figure
    content = picture(figure, format_)
    pyplot.close(figure)
    return content
