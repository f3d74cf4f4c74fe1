"""A journal on disk: a line for each unit that is done, each with a digest of what it says.

```
{"about": {...}, "format": 1, "digest": "..."}
{"unit": ["iris", "cart", 0, 3], "result": {"error": 0.0667}, "digest": "..."}
```

A line is added in one piece and is on the disk before the next one begins. What a killed run leaves
is whole lines and perhaps part of one more, which is dropped. Anything else that does not fit its
digest was changed by somebody, and is refused.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from spinney._atomic import write_atomically

__all__ = ["JournalError", "Key", "LineFile", "Result"]

Key = tuple[str | int, ...]
Result = dict[str, Any]

_FORMAT = 1


class JournalError(ValueError):
    """The journal in a folder is damaged, or of another experiment."""


class LineFile:
    """Results of units by key, in a file that only grows.

    Parameters
    ----------
    path : Path
        The file; it is made if it is not there.
    about : mapping of str to str
        What the results depend on beside the key. A file about something else is refused.
    is_vital : bool, default=True
        Whether each line waits for the disk, and damaged ones are refused. If not, these are as if
        they were not there.
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
        """Append a result; if it is vital, it is on the disk when this returns."""
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
        """Take over the results of the file; return how many bytes of it are whole lines."""
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
    """Return what a line says, or None if that is not what was written."""
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
