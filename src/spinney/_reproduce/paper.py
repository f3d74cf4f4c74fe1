"""The parts of an experiment, and their inputs: published tables and bundled data."""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney._reproduce.verdicts import Cell, Finding
from spinney._table import CodedLabels
from spinney._typing import Floats
from spinney.datasets import load

Key = tuple[str | int, ...]

_KINDS: tuple[Callable[[str], Any], ...] = (int, float)


@dataclass(frozen=True)
class Options:
    """Size of a run.

    Parameters
    ----------
    runs : int or None
        Number of repetitions; None for that of the paper.
    quick : bool
        Whether only a few runs of small models are made, to try the code.
    seed : int
        Random seed.
    """

    runs: int | None = None
    quick: bool = False
    seed: int = 0

    def n_runs(self, full: int, quick: int = 2) -> int:
        """Return the number of repetitions, given those of the paper and of a quick run."""
        return self.runs or (quick if self.quick else full)


def seed_of(seed: int, run: int) -> int:
    """Return the seed of a run; runs of small seeds share none."""
    return (1000 * seed + run) % 2**32


class Results:
    """Results of the units, by key."""

    def __init__(self, found: dict[Key, dict[str, Any]]) -> None:
        self._found = found

    def values(self, name: str, *key: str | int) -> Floats:
        """Return one entry of every unit whose key starts with `key`, in the order of the units."""
        rows = [row for known, row in self._found.items() if known[: len(key)] == key]
        if not rows:
            raise KeyError(f"no unit {key!r} was run.")
        return np.array([row[name] for row in rows], dtype=np.float64)


@dataclass(frozen=True)
class Claim:
    """A conclusion of the paper, and whether it holds here."""

    text: str
    paper: str
    ours: str
    holds: bool


@dataclass(frozen=True)
class Content:
    """A table, or a figure with its cells.

    Parameters
    ----------
    cells : sequence of Cell or Finding
        Cells with their rows and columns.
    notes : tuple of str
        Paragraphs below them.
    claims : tuple of Claim
        Conclusions of the paper.
    draw : callable or None
        Draws a figure on Matplotlib axes, of which there are `n_rows` by `n_axes`.
    size : tuple of float
        Size of the figure in inches.
    n_axes, n_rows : int
        Axes side by side, and rows of them.
    """

    cells: Sequence[Cell | Finding] = ()
    notes: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    draw: Callable[[Any], None] | None = None
    size: tuple[float, float] = (6.5, 4.0)
    n_axes: int = 1
    n_rows: int = 1


Units = Callable[[Options], Iterable[Key]]


def units(
    what: str, datasets: Iterable[str], methods: Iterable[str], runs: int, quick: int = 2
) -> Units:
    """Return what lists the units of a part: every run of every method on every data set."""

    def keys(options: Options) -> Iterator[Key]:
        for dataset in datasets:
            for method in methods:
                for run in range(options.n_runs(runs, quick)):
                    yield (what, dataset, method, run)

    return keys


def no_units(options: Options) -> Iterable[Key]:
    """List no units, for a part that is made of the data alone."""
    return ()


def seeded(model: Any, seed: int) -> Any:
    """Set the seed of a model that has one."""
    if "random_state" in getattr(model, "get_params", dict)():
        model.set_params(random_state=seed)
    return model


def error_percent(predicted: NDArray[Any], y: NDArray[Any]) -> float:
    """Return the error rate in %."""
    return 100.0 * float(np.mean(predicted != y))


@dataclass(frozen=True)
class Part:
    """A table or figure: the units that it needs, and how it is made of them."""

    kind: Literal["table", "figure"]
    number: str
    title: str
    units: Units
    make: Callable[[Results, Options], Content]
    aliases: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name of the part in the paper."""
        return f"{self.kind.capitalize()} {self.number}"

    def is_called(self, number: str) -> bool:
        """Return whether a number given by the user means this part."""
        return number.casefold() in {one.casefold() for one in (self.number, *self.aliases)}


@dataclass(frozen=True)
class Paper:
    """A published experiment.

    Parameters
    ----------
    name : str
        Name on the command line.
    title, source : str
        Title, and reference.
    setting : tuple of str
        Paragraphs on how it is run, and what the source leaves open.
    parts : tuple of Part
        Tables and figures.
    work : callable
        Returns the function that does one unit, given the options.
    version : str
        Changes when the same key would give another result.
    key_names : tuple of str
        Names of the elements of a key.
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
        """Return the requested parts; all if none is named."""
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


class Rows(NamedTuple):
    """Columns by name, and the target."""

    X: dict[str, Any]
    y: NDArray[Any]

    def take(self, places: NDArray[np.intp] | slice | Sequence[int]) -> "Rows":
        """Return some of the rows."""
        return Rows({name: column[places] for name, column in self.X.items()}, self.y[places])

    @property
    def n_classes(self) -> int:
        """Number of distinct labels."""
        return len(np.unique(self.y))


@cache
def bundled(name: str) -> Rows:
    """Return a bundled data set; categories that have an order keep it."""
    data = load(name, as_="dict")
    columns = {
        column: CodedLabels.of(values, data.categories[column])
        if data.kinds[column] == "ordered"
        else values
        for column, values in data.X.items()
    }
    return Rows(columns, np.asarray(data.y))


def housing_by_rad() -> Rows:
    """Return Boston housing with the nine values of `rad` as classes, the rest as predictors."""
    X, value = bundled("boston_housing")
    others = {name: column for name, column in X.items() if name != "rad"}
    classes = np.array([f"{number:g}" for number in X["rad"]], dtype=object)
    return Rows({**others, "medv": np.asarray(value, dtype=np.float64)}, classes)


def housing_by_value() -> Rows:
    """Return Boston housing with `medv` in nine bins of width 5: 5 to 10, above 10 to 15, ..."""
    X, value = bundled("boston_housing")
    place = np.maximum(np.ceil((np.asarray(value, dtype=np.float64) - 5.0) / 5.0), 1.0)
    return Rows(X, np.array([f"{number:g}" for number in place], dtype=object))


def published(table: str) -> list[dict[str, Any]]:
    """Return the rows of a published table, numbers as numbers.

    Parameters
    ----------
    table : str
        Name of the file in `published`, without its suffix.

    Returns
    -------
    list of dict
        An empty cell is None.
    """
    file = files("spinney._reproduce") / "published" / f"{table}.csv"
    with file.open(encoding="utf-8") as lines:
        return [{name: _value(cell) for name, cell in row.items()} for row in csv.DictReader(lines)]


def _value(cell: str) -> Any:
    if not cell:
        return None
    for kind in _KINDS:
        try:
            return kind(cell)
        except ValueError:
            continue
    return cell
