"""Files that commands write: checked before the work, written whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spinney._atomic import write_atomically
from spinney._cli._refusal import Refusal


def check_output(option: str, path: Path | None, *read: str | Path | None) -> None:
    """Refuse a file that could not be written, or that is read, before any work is done."""
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


def write_bytes(option: str, path: Path, content: bytes) -> None:
    """Write a file; whatever goes wrong, one that was there before stays as it was."""
    try:
        write_atomically(path, [content])
    except OSError as error:
        raise cannot_write(option, path, error) from error


def write_text(option: str, path: Path, text: str) -> None:
    """Write a text file in UTF-8."""
    write_bytes(option, path, text.encode())


@contextmanager
def refusing_folder(folder: Path | None) -> Iterator[None]:
    """Turn what can go wrong with a folder of results into a refusal of the command."""
    from spinney.compare import FolderInUseError

    try:
        yield
    except FolderInUseError as error:
        raise Refusal(f"--out: {error}") from error
    except OSError as error:
        raise Refusal(
            f"--out: cannot write {str(error.filename or folder)!r}: {error.strerror or error}."
        ) from error


def cannot_write(option: str, path: Path, error: OSError) -> Refusal:
    """Return the refusal for a file that could not be written."""
    there = " The file that was there is unchanged." if path.exists() else ""
    return Refusal(f"{option}: cannot write {str(path)!r}: {error.strerror or error}.{there}")
