"""The one error that the command line shows: a sentence, and exit code 2."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from spinney._format import did_you_mean, without_controls

if TYPE_CHECKING:
    from pathlib import Path

_REPEATED = ("--drop", "--nominal", "--numeric", "--keep")


class Refusal(click.ClickException):
    """The command cannot be done; the message gives the reason and the remedy."""

    exit_code = 2

    def format_message(self) -> str:
        """Return the message, with control characters from file contents escaped."""
        return "\n".join(map(without_controls, self.message.split("\n")))


@contextmanager
def refusing() -> Iterator[None]:
    """Turn errors of estimators into refusals."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise Refusal(str(error)) from error
    except MemoryError as error:
        raise Refusal("there is not enough memory for this. Try a sample of the rows.") from error


@contextmanager
def refusing_folder(folder: "Path | None") -> Iterator[None]:
    """Turn errors of a folder of results, and of the runs in it, into refusals."""
    from spinney.compare import FolderInUseError, UnitFailedError

    try:
        yield
    except FolderInUseError as error:
        raise Refusal(f"--out: {error}") from error
    except UnitFailedError as error:
        raise Refusal(str(error)) from error
    except OSError as error:
        raise Refusal(
            f"--out: cannot write {str(error.filename or folder)!r}: {error.strerror or error}."
        ) from error


def no_column(option: str, name: str, names: Sequence[str]) -> Refusal:
    """Return the refusal of a column that is not among those of a table."""
    parts = [part.strip() for part in name.split(",")]
    if option in _REPEATED and set(parts) <= set(names):
        hint = f" Name each by itself: {' '.join(f'{option} {shlex.quote(p)}' for p in parts)}."
    else:
        hint = did_you_mean(name, names)
    return Refusal(f"{option}: no column {name!r}.{hint} The columns are: {', '.join(names)}.")


def cannot_write(option: str, path: "Path", error: OSError) -> Refusal:
    """Return the refusal for a file that could not be written."""
    there = " The file that was there is unchanged." if path.exists() else ""
    return Refusal(f"{option}: cannot write {str(path)!r}: {error.strerror or error}.{there}")
