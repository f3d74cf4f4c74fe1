"""What an experiment is made of.

::

    Paper -> Parts (tables, figures) -> keys -> run_units -> Results -> Part.make -> Content

A part names the units that it needs, so one table can be had without the others, and two parts that
need the same unit share it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from spinney._reproduce._cells import Cell, Finding

__all__ = ["Claim", "Content", "Drawing", "Options", "Paper", "Part", "Results", "Table", "seed_of"]

Key = tuple[str | int, ...]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Options:
    """How much is run.

    Parameters
    ----------
    runs : int or None
        Repetitions; None for those of the paper.
    quick : bool
        Few runs of small models: to see that it works, not what comes out.
    seed : int
        For all that is drawn.
    """

    runs: int | None = None
    quick: bool = False
    seed: int = 0

    def n_runs(self, full: int, quick: int = 2) -> int:
        """Return the repetitions: as asked, or few, or as many as the paper has."""
        return self.runs or (quick if self.quick else full)


def seed_of(seed: int, run: int) -> int:
    """Return a seed for a run: runs of small seeds share none."""
    return (1000 * seed + run) % 2**32


class Results:
    """What the units did, by key."""

    def __init__(self, found: dict[Key, dict[str, Any]]) -> None:
        self._found = found

    def values(self, name: str, *key: str | int) -> Floats:
        """Return an entry of every unit whose key begins like this, in the order of the units."""
        rows = [row for known, row in self._found.items() if known[: len(key)] == key]
        if not rows:
            raise KeyError(f"no unit {key!r} was run.")
        return np.array([row[name] for row in rows], dtype=np.float64)


@dataclass(frozen=True)
class Claim:
    """Something that the paper concludes, and whether it shows here too."""

    text: str
    paper: str
    ours: str
    holds: bool


@dataclass(frozen=True)
class Table:
    """Cells in rows and columns, and words below them."""

    cells: tuple[Cell | Finding, ...]
    notes: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True)
class Drawing:
    """Something to draw: a function of Matplotlib axes, of which there are `n_rows` by `n_axes`."""

    draw: Callable[[Any], None]
    size: tuple[float, float] = (6.5, 4.0)
    n_axes: int = 1
    n_rows: int = 1
    cells: tuple[Cell | Finding, ...] = ()
    notes: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()


Content = Table | Drawing


@dataclass(frozen=True)
class Part:
    """One table or figure: which units it needs, and what it makes of them."""

    kind: Literal["table", "figure"]
    number: str
    title: str
    units: Callable[[Options], Iterable[Key]]
    make: Callable[[Results, Options], Content]
    aliases: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What the part is called in the paper."""
        return f"{self.kind.capitalize()} {self.number}"

    def is_called(self, number: str) -> bool:
        """Whether a number, as people write it, means this part."""
        return number.casefold() in {one.casefold() for one in (self.number, *self.aliases)}


@dataclass(frozen=True)
class Paper:
    """An experiment that somebody published.

    Parameters
    ----------
    name : str
        What the command line calls it.
    title, source : str
        What it is, and where it was printed.
    setting : tuple of str
        Paragraphs on how it is run, and what the source leaves open.
    parts : tuple of Part
        Its tables and figures.
    work : callable
        From the options to a function that does one unit.
    version : str
        Changes when the same key would give another result.
    key_names : tuple of str
        What the parts of a key are.
    """

    name: str
    title: str
    source: str
    setting: tuple[str, ...]
    parts: tuple[Part, ...]
    work: Callable[[Options], Callable[[Key], dict[str, Any]]]
    version: str = "1"
    key_names: tuple[str, ...] = ("what", "dataset", "method", "run")

    def chosen(self, tables: Iterable[str], figures: Iterable[str]) -> list[Part]:
        """Return the parts that are asked for: all, if none is named."""
        asked = [("table", one) for one in tables] + [("figure", one) for one in figures]
        if not asked:
            return list(self.parts)
        wanted = {self._part(kind, number).name for kind, number in asked}
        return [part for part in self.parts if part.name in wanted]

    def _part(self, kind: str, number: str) -> Part:
        same = [part for part in self.parts if part.kind == kind]
        for part in same:
            if part.is_called(number):
                return part
        known = ", ".join(part.number for part in same)
        raise ValueError(
            f"--{kind} {number}: {self.name} has "
            + (f"the {kind}s {known}." if known else f"no {kind}s.")
        )
