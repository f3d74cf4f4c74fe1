"""A folder of results: its lock, and the journal files in it.

The lock belongs to one process and is released when that process ends, for whatever reason.

A journal file has one line for each finished unit, with a digest of its content::

    {"about": {...}, "format": 1, "digest": "..."}
    {"unit": ["iris", "cart", 0, 3], "result": {"error": 0.0667}, "digest": "..."}

Each line is written at once and synced to disk before the next. A killed run leaves complete lines
and perhaps a partial one, which is dropped. Any other line that does not match its digest has been
edited, and the journal is refused.
"""

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from spinney._atomic import remove_leftovers, write_atomically

_LOCK = ".lock"
Key = tuple[str | int, ...]
Result = dict[str, Any]
_FORMAT = 1


class FolderInUseError(RuntimeError):
    """The folder is locked by another run."""


def make_folder(folder: Any) -> Path:
    """Return a writable folder, creating it if necessary."""
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
    """Lock a folder, creating it if necessary, and remove the temporary files of killed runs."""
    path = make_folder(folder)
    with folder_lock(path):
        remove_leftovers(path)
        yield path


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Lock a folder, or raise an error that names the process holding the lock.

    The lock file is kept: removing it could take it from a run that has just opened it.
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


class JournalError(ValueError):
    """The journal in a folder is damaged or belongs to another experiment."""


class LineFile:
    """Results of units by key, in an append-only file.

    Parameters
    ----------
    path : Path
        The file; created if it does not exist.
    about : mapping of str to str
        Everything the results depend on besides the key. A file with another value is refused.
    is_vital : bool, default=True
        Whether each line is synced to disk and damaged lines are refused; otherwise they are
        ignored.
    """

    def __init__(self, path: Path, about: Mapping[str, str], *, is_vital: bool = True) -> None:
        self.path = path
        self.is_vital = is_vital
        self.results: dict[Key, Result] = {}
        if path.exists():
            n_bytes = self._read(dict(about))
            os.truncate(path, n_bytes)
        else:
            write_atomically(path, [_line({"about": dict(about), "format": _FORMAT})])
        self._file: IO[bytes] = path.open("ab", buffering=0)

    def add(self, key: Key, result: Result) -> None:
        """Append a result; vital ones are synced to disk."""
        try:
            left = memoryview(_line({"unit": list(key), "result": result}))
            while left:
                left = left[self._file.write(left) :]
            if self.is_vital:
                os.fsync(self._file.fileno())
        except OSError as problem:
            words = f"{problem.strerror} (what is done is kept; the same run goes on from there)"
            raise OSError(problem.errno, words, str(self.path)) from None
        self.results[key] = result

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _read(self, about: dict[str, str]) -> int:
        """Read the results of the file; return the number of bytes in complete lines."""
        try:
            with self.path.open("rb") as file:
                lines = file.readlines()
        except OSError as problem:
            raise JournalError(f"{str(self.path)!r} cannot be read: {problem.strerror}.") from None
        first = _content(lines[0]) if lines else None
        if first is None or "about" not in first:
            raise JournalError(
                f"{str(self.path)!r} is not a journal of spinney, or its first line is damaged. "
                "It was left as it is; use another folder."
            )
        self._refuse_other(first, about)
        n_bytes = len(lines[0])
        for number, line in enumerate(lines[1:], start=2):
            content = _content(line)
            if content is None and number == len(lines):
                break  # torn: its unit is done again
            n_bytes += len(line)
            if content is not None and "unit" in content:
                self.results[tuple(content["unit"])] = content["result"]
            elif self.is_vital:
                raise JournalError(
                    f"{str(self.path)!r} is damaged in line {number}: its contents are not what "
                    "was written. Remove that line to have its unit done again, or use another "
                    "folder."
                )
        return n_bytes

    def _refuse_other(self, first: dict[str, Any], about: dict[str, str]) -> None:
        if first.get("format") != _FORMAT:
            raise JournalError(
                f"{str(self.path)!r} is of another version of spinney (format "
                f"{first.get('format')!r}, this one reads {_FORMAT}). Use another folder."
            )
        was = first["about"]
        differ = [name for name in sorted({*was, *about}) if was.get(name) != about.get(name)]
        if differ:
            raise JournalError(
                f"{str(self.path)!r} is of another experiment: {', '.join(differ)} "
                f"{'differs' if len(differ) == 1 else 'differ'}. It was left as it is; use "
                "another folder."
            )


def _line(content: dict[str, Any]) -> bytes:
    return (json.dumps({**content, "digest": _digest(content)}) + "\n").encode()


def _content(line: bytes) -> dict[str, Any] | None:
    """Return the content of a line, or None if it does not match its digest."""
    if not line.endswith(b"\n"):
        return None
    try:
        content = json.loads(line)
        digest = content.pop("digest")
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
        return None
    return content if digest == _digest(content) else None


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]
