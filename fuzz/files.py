"""Mutated model files through `spinney.load`, and what is accepted through predict and save.

A worker process takes a range of numbers; each number is the seed of one mutant. It ends by a
signal if a mutant takes more than a second of processor time, and memory beyond the limit cannot
be had. Whoever started it sees which mutant that was.
"""

import multiprocessing
import os
import re
import resource
import signal
import tempfile
import traceback
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd

import spinney
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
    place = traceback.extract_tb(cause.__traceback__)[-1].filename
    by_check = isinstance(cause, CHECKED) and not READER.search(place)
    if type(cause) is ValueError and place.endswith("_trees.py"):  # the core says it
        by_check = not str(cause).startswith("zip()")
    assert by_check, f"refused by accident: {type(cause).__name__}: {problem}"


def by_chance(first: int, count: int, seeds: list[Seed]) -> Iterator[tuple[int, Mutant]]:
    """Yield mutants number `first` to `first + count - 1`: of small files more often."""
    weights = [1.0 / len(seed.data) ** 1.5 for seed in seeds]
    for number in range(first, first + count):
        random = Random(number)
        yield number, mutant(random.choices(seeds, weights)[0], seeds, random)


def try_numbered(
    mutants: Iterable[tuple[int, Mutant]], place: Path, note: Any = None, *, deep: bool = False
) -> Tally:
    """Try mutants one after the other; note which, and end the process where one takes too long."""
    tally, (table, _) = Tally(), make_table()
    path = place / f"{os.getpid()}.spinney"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, made in mutants:
            if note is not None:
                note.value = number
                signal.setitimer(signal.ITIMER_PROF, SECONDS)
            try:
                try_mutant(made, path, table, tally, deep=deep)
            except BaseException as problem:
                if isinstance(problem, KeyboardInterrupt):
                    raise
                what = f"{type(problem).__name__}: {problem}"
                tally.findings.append(f"mutant {number}: {made.done}: {what[:300]}")
    if note is not None:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
    return tally


def _worker(mutants: Any, place: Path, note: Any, out: Any, deep: bool) -> None:
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the process, wherever it hangs
    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limit = held + ROOM + TIMES * LARGEST
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    out.put(try_numbered(mutants, place, note, deep=deep))


def in_worker(mutants: Any, place: Path, note: Any, *, deep: bool = False) -> Tally:
    """Try mutants in a process of their own; one that ends it is a finding."""
    context = multiprocessing.get_context("fork")
    out = context.SimpleQueue()
    worker = context.Process(target=_worker, args=(mutants, place, note, out, deep))
    worker.start()
    found = _result(worker, out)
    worker.join(10)
    if found is not None:
        return found
    worker.kill()
    return Tally(-1, findings=[f"mutant {note.value}: the process ended with {worker.exitcode}"])


def try_each(mutants: list[Mutant], place: Path) -> Tally:
    """Try some mutants in a process of their own, up to the first that ends it."""
    return in_worker(enumerate(mutants), place, multiprocessing.Value("q", 0), deep=True)


def try_files(first: int, count: int, seeds: list[Seed], place: Path, chunk: int = 5_000) -> Tally:
    """Try mutants by chance in worker processes, one process at a time."""
    total, note, at, end = Tally(), multiprocessing.Value("q", first), first, first + count
    while at < end:
        n = min(chunk, end - at)
        found = in_worker(by_chance(at, n, seeds), place, note)
        if found.n_files < 0:
            found.n_files = n = note.value + 1 - at
        total.add(found)
        print(*found.findings, sep="\n", end="\n" if found.findings else "")
        at += n
        print(
            f"mutants {first} to {at - 1}: {total.n_files} files, {total.n_accepted} accepted, "
            f"{total.n_answered} asked, {len(total.findings)} findings",
            flush=True,
        )
    return total


def _result(worker: Any, out: Any) -> Tally | None:
    """Wait for a worker's tally, or its end."""
    while worker.is_alive():
        if out._reader.poll(0.2):
            tally: Tally = out.get()
            return tally
    return out.get() if out._reader.poll(0.2) else None


def temporary_place() -> tempfile.TemporaryDirectory[str]:
    """Return a folder in memory, where there is one."""
    memory = Path("/dev/shm")
    return tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None)
