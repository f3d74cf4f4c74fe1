"""Writes a file so that it is either the old one or the new one, whatever happens meanwhile."""

import contextlib
import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_NEW = ".spinney-{}.new"  # what a file is called until it is whole


def write_atomically(path: str | os.PathLike[str], chunks: Iterable[Any]) -> None:
    """Write bytes to a new file in the same folder, and put it in the place of the old one.

    Parameters
    ----------
    path : path
        The file. A link stays a link, and a file that is there keeps its permissions. A device or
        a pipe is written to as it is.
    chunks : iterable of bytes-like objects
        What it will hold.

    Raises
    ------
    OSError
        With the path. The old file is as it was, and nothing is left beside it.
    """
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        _write_through(path, chunks)
        return
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    beside = _beside(folder)
    try:
        if os.path.isdir(target):
            raise IsADirectoryError(21, "Is a directory")
        _write(target, beside, chunks)
        _sync_folder(folder)
    except OSError as problem:
        # Made from the number, it is a PermissionError, FileNotFoundError and so on again.
        reason = problem.strerror or str(problem)
        raise OSError(problem.errno or 0, reason, os.fspath(path)) from problem
    finally:
        with contextlib.suppress(OSError):
            os.unlink(beside)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Find out whether `write_atomically` could write a file; nothing changes.

    Parameters
    ----------
    path : path
        The file.

    Raises
    ------
    OSError
        If no file can be made in its folder.
    """
    beside = _beside(os.path.dirname(os.path.realpath(path)))
    with open(beside, "xb"):
        pass
    os.unlink(beside)


def _beside(folder: str) -> str:
    """Return a name in a folder that no file of the user's has."""
    return os.path.join(folder, _NEW.format(secrets.token_hex(8)))


def _write_through(path: str | os.PathLike[str], chunks: Iterable[Any]) -> None:
    """Write to a device or a pipe, such as /dev/stdout, which no file may take the place of."""
    with open(path, "wb") as file:
        for chunk in chunks:
            file.write(chunk)


def remove_leftovers(folder: Path) -> None:
    """Remove what killed processes left behind, in a folder of this package's own."""
    for path in folder.glob(_NEW.format("*")):
        with contextlib.suppress(OSError):
            path.unlink()


def _write(target: str, beside: str, chunks: Iterable[Any]) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with open(os.open(beside, flags, 0o666), "wb") as file:
        with contextlib.suppress(OSError):
            os.chmod(beside, os.stat(target).st_mode)
        for chunk in chunks:
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, target)


def _sync_folder(folder: str) -> None:
    """Make the new name last: without it a power cut may bring the old file back."""
    if os.name == "nt":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
