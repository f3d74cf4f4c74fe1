"""A folder that one run at a time may use.

Its lock belongs to the process: it ends with it, however it ends.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from spinney._atomic import remove_leftovers

__all__ = ["FolderInUseError", "folder_lock", "held_folder", "make_folder"]

_LOCK = ".lock"


class FolderInUseError(RuntimeError):
    """Another run has the folder."""


def make_folder(folder: Any) -> Path:
    """Return a folder that can be written to, and make it if need be."""
    if not isinstance(folder, str | os.PathLike):
        raise ValueError(f"folder must be a path or None, got {folder!r}.")
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
        with (path / _LOCK).open("ab"):
            pass
    except FileExistsError:
        raise ValueError(f"folder {str(path)!r} is a file. Use another name.") from None
    except OSError as problem:
        raise ValueError(
            f"folder {str(path)!r} cannot be written to: {problem.strerror}. Use another one."
        ) from None
    return path


@contextmanager
def held_folder(folder: Any) -> Iterator[Path]:
    """Hold a folder, which is made if need be, and clear what a killed run left half-written."""
    path = make_folder(folder)
    with folder_lock(path):
        remove_leftovers(path)
        yield path


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold a folder, or say which process holds it.

    The file of the lock stays: removing it could take it from a run that has just opened it.
    """
    with (folder / _LOCK).open("r+b") as file:
        if not _taken(file):
            owner = file.read().decode(errors="replace").strip()
            raise FolderInUseError(
                f"folder {str(folder)!r} is in use by another run"
                + (f" (process {owner})" if owner else "")
                + ". Wait until it ends, or use another folder."
            )
        file.truncate(0)
        file.write(f"{os.getpid()}\n".encode())
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)


if sys.platform == "win32":
    import msvcrt

    def _taken(file: IO[bytes]) -> bool:
        file.seek(1 << 30)  # far behind the number, which others may read
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            file.seek(0)
        return True

else:
    import fcntl

    def _taken(file: IO[bytes]) -> bool:
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
