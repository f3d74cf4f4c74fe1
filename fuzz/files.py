"""Mutated model files through `spinney.load`, and what is accepted through predict and save.

A worker process takes a range of numbers; each number is the seed of one mutant. It ends by a
signal if a mutant takes more than a second of processor time, and memory beyond the limit cannot
be had. Whoever started it sees which mutant that was.
"""

import os
import re
import resource
import signal
import traceback
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd

import spinney
from fuzz.apart import Died, run_apart
from fuzz.exam import examine
from fuzz.models import FUNCTIONS, make_table
from fuzz.mutants import Mutant, Seed, mutant
from fuzz.tally import Sums
from spinney._state import StateError

SECONDS = 1.0  # of processor time, for each file
TIMES = 4  # memory, in sizes of the file
LARGEST = 2**16  # bytes that a mutant has at most, nearly
ROOM = 32 * 2**20  # and this much beside it: Python's own heap grows by more than a small file
CHECKED = (ValueError, TypeError)  # why what builds objects may refuse a state
READER = re.compile(r"spinney.(_file|_state).\w+\.py$")  # which has errors of its own


@dataclass
class Tally(Sums):
    """What came of some mutants."""

    n_files: int = 0
    n_accepted: int = 0
    n_answered: int = 0
    findings: list[str] = field(default_factory=list)


def try_mutant(
    made: Mutant, path: Path, table: pd.DataFrame, tally: Tally, *, deep: bool = False
) -> None:
    """Load one file. Raises what must not happen."""
    tally.n_files += 1
    path.write_bytes(made.data)
    try:
        model = spinney.load(path, functions=FUNCTIONS)
    except spinney.ModelFileError as problem:
        _assert_clear(problem, path)
        return
    assert made.sealed, "damage was not noticed"
    tally.n_accepted += 1
    again = path.with_suffix(".again")
    spinney.save(model, again)
    assert again.read_bytes() == made.data, "it saves to other bytes"
    whole = "params" not in made.done and made.done != "bytes"
    tally.n_answered += examine(model, table, whole=whole, deep=deep)


def _assert_clear(problem: spinney.ModelFileError, path: Path) -> None:
    """Refuse a refusal that does not name the file, or that came about by accident."""
    assert str(problem).startswith(repr(str(path))), f"the error does not name the file: {problem}"
    inner = problem.__context__
    cause = None if inner is None else inner.__cause__
    if cause is None or type(cause) in (StateError, spinney.ModelFileError):
        return
    place = traceback.extract_tb(cause.__traceback__)[-1]
    by_check = isinstance(cause, CHECKED) and not READER.search(place.filename)
    by_core = type(cause) is ValueError and "_core." in (place.line or "")
    assert by_check or by_core, f"refused by accident: {type(cause).__name__}: {problem}"


def by_chance(seeds: list[Seed], numbers: range) -> Iterator[tuple[int, Mutant]]:
    """Yield the mutants of these numbers: of small files more often."""
    weights = [1.0 / len(seed.data) ** 1.5 for seed in seeds]
    for number in numbers:
        random = Random(number)
        yield number, mutant(random.choices(seeds, weights)[0], seeds, random)


def tried(
    mutants: Iterable[tuple[int, Mutant]], place: Path, *, timed: bool = False, deep: bool = False
) -> Iterator[Tally]:
    """Try mutants one after the other; if timed, one that takes too long ends the process."""
    table, _ = make_table()
    path = place / f"{os.getpid()}.spinney"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, made in mutants:
            tally = Tally()
            if timed:
                signal.setitimer(signal.ITIMER_PROF, SECONDS)
            try:
                try_mutant(made, path, table, tally, deep=deep)
            except BaseException as problem:
                if isinstance(problem, KeyboardInterrupt):
                    raise
                what = f"{type(problem).__name__}: {problem}"
                tally.findings.append(f"mutant {number}: {made.done}: {what[:300]}")
            yield tally
    if timed:
        signal.setitimer(signal.ITIMER_PROF, 0.0)


def try_numbered(mutants: Iterable[tuple[int, Mutant]], place: Path) -> Tally:
    """Try mutants in this process."""
    total = Tally()
    for tally in tried(mutants, place):
        total.add(tally)
    return total


def _limited(made: Any, place: Path, deep: bool, numbers: range) -> Iterator[Tally]:
    """Try mutants in a process whose time and memory are limited."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the process, wherever it hangs
    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limit = held + ROOM + TIMES * LARGEST
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    return tried(made(numbers), place, timed=True, deep=deep)


def _results(made: Any, place: Path, first: int, count: int, **how: Any) -> Iterator[Tally]:
    """Yield what came of each mutant, of which a function makes those of a range of numbers."""
    trials = partial(_limited, made, place, how.pop("deep", False))
    for number, tally in run_apart(trials, first, count, **how):
        died = isinstance(tally, Died)
        yield Tally(1, findings=[f"mutant {number}: {tally}"]) if died else tally


def try_each(mutants: list[Mutant], place: Path) -> Tally:
    """Try some mutants in a process of their own, up to the first finding."""
    total, n = Tally(), len(mutants)
    numbered = list(enumerate(mutants))
    for tally in _results(
        lambda numbers: numbered[numbers.start :], place, 0, n, chunk=n, deep=True
    ):
        total.add(tally)
        if total.findings:
            break
    return total


def try_files(first: int, count: int, seeds: list[Seed], place: Path, chunk: int = 5_000) -> Tally:
    """Try mutants by chance in worker processes, one process at a time."""
    total = Tally()
    made = partial(by_chance, seeds)
    for done, tally in enumerate(_results(made, place, first, count, chunk=chunk), start=1):
        total.add(tally)
        if tally.findings:
            print(*tally.findings, sep="\n")
        if done % chunk == 0 or done == count:
            print(
                f"mutants {first} to {first + done - 1}: {total.n_files} files, "
                f"{total.n_accepted} accepted, {total.n_answered} asked, "
                f"{len(total.findings)} findings",
                flush=True,
            )
    return total
