"""Writes a file so that it is either the old one or the new one, whatever happens meanwhile."""

import contextlib
import os
import secrets
from collections.abc import Iterable
from typing import Any


def write_atomically(path: str | os.PathLike[str], chunks: Iterable[Any]) -> None:
    """Write bytes to a new file in the same folder, and put it in the place of the old one.

    Parameters
    ----------
    path : path
        The file. A link stays a link, and a file that is there keeps its permissions.
    chunks : iterable of bytes-like objects
        What it will hold.

    Raises
    ------
    OSError
        With the path. The old file is as it was, and nothing is left beside it.
    """
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    beside = os.path.join(folder, f".spinney-{secrets.token_hex(8)}.new")
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
