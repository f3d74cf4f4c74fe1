"""Mutated model files through `spinney.load`, and what is accepted through predict and save.

A worker process takes a range of numbers; each number is the seed of one mutant. It ends by a
signal if a mutant takes more than a second of processor time, and memory beyond the limit cannot
be had. Whoever started it sees which mutant that was.
"""

import multiprocessing
import os
import resource
import signal
import tempfile
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
from contracts.estimators import LISTED
from contracts.tables import codes_for, mixed_table

import spinney
from fuzz.mutants import Mutant, Seed, mutant
from spinney._file._container import read

SECONDS = 1.0  # of processor time, for each file
TIMES = 4  # memory, in sizes of the file
ROOM = 32 * 2**20  # and this much beside it: Python's own heap grows by more than a small file
CLEAR = (ValueError, TypeError)  # what a model that was loaded may answer a table with


@dataclass
class Tally:
    """What came of some mutants."""

    n_files: int = 0
    n_accepted: int = 0
    n_answered: int = 0
    findings: list[str] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        """Add the counts of another one."""
        self.n_files += other.n_files
        self.n_accepted += other.n_accepted
        self.n_answered += other.n_answered
        self.findings += other.findings


def make_table() -> tuple[pd.DataFrame, np.ndarray]:
    """Return the table that all seeds are fitted on."""
    rng = np.random.default_rng(7)
    table = mixed_table(rng, 30)
    return table, codes_for(table, rng)


def make_seeds(folder: Path, every: int = 1) -> list[Seed]:
    """Fit and save small models of the listed estimators, and their trees alone."""
    X, codes = make_table()
    models: list[tuple[str, Any]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for place, listed in enumerate(LISTED[::every]):
            model = listed.new().fit(X, listed.target(codes))
            models.append((f"{place} {type(model).__name__}", model))
    trees = [model.tree_ for _, model in models if hasattr(model, "tree_")]
    models += [("unfitted", LISTED[0].new()), ("tree", trees[0]), ("rules", trees[0].rules())]
    models += [("forest", model.forest_) for _, model in models if hasattr(model, "forest_")][:1]
    return [_seed(name, model, folder) for name, model in models]


def _seed(name: str, model: Any, folder: Path) -> Seed:
    path = folder / "seed.spinney"
    spinney.save(model, path)
    return Seed(name, path.read_bytes(), read(path))


def try_mutant(made: Mutant, path: Path, table: pd.DataFrame, tally: Tally) -> None:
    """Load one file. Raises what must not happen."""
    tally.n_files += 1
    path.write_bytes(made.data)
    try:
        model = spinney.load(path)
    except spinney.ModelFileError as problem:
        if not str(problem).startswith(repr(str(path))):
            raise AssertionError(f"the error does not name the file: {problem}") from None
        return
    assert made.sealed, "damage was not noticed"
    tally.n_accepted += 1
    again = path.with_suffix(".again")
    spinney.save(model, again)
    assert again.read_bytes() == made.data, "it saves to other bytes"
    if hasattr(model, "predict"):
        tally.n_answered += _answer(model, table)


def _answer(model: Any, table: pd.DataFrame) -> bool:
    """Ask a model; tell whether it answered. A clear error is as good."""
    try:
        predicted = model.predict(table)
    except CLEAR as problem:
        if not str(problem):
            raise AssertionError("an error without words") from problem
        return False
    assert len(predicted) == len(table)
    if not hasattr(model, "predict_proba"):
        assert np.asarray(predicted).dtype.kind != "f" or np.isfinite(predicted).all()
        return True
    classes = getattr(model, "classes_", getattr(model, "classes", None))
    if classes is not None and len(classes):
        assert set(predicted.tolist()) <= set(np.asarray(classes).tolist()), "no such class"
    try:
        shares = model.predict_proba(table)
    except (*CLEAR, AttributeError):
        return True
    assert (shares >= 0).all(), "a share is negative or NaN"
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-6)
    return True


def try_range(first: int, count: int, seeds: list[Seed], place: Path, note: Any = None) -> Tally:
    """Try mutants number `first` to `first + count - 1`, one after the other."""
    tally, (table, _) = Tally(), make_table()
    path = place / f"{os.getpid()}.spinney"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(first, first + count):
            if note is not None:
                note.value = number
                signal.setitimer(signal.ITIMER_PROF, SECONDS)
            random = Random(number)
            made = mutant(random.choice(seeds), seeds, random)
            try:
                try_mutant(made, path, table, tally)
            except BaseException as problem:
                if isinstance(problem, KeyboardInterrupt):
                    raise
                what = f"{type(problem).__name__}: {problem}"
                tally.findings.append(f"mutant {number}: {made.done}: {what[:300]}")
    if note is not None:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
    return tally


def _worker(first: int, count: int, seeds: list[Seed], place: Path, note: Any, out: Any) -> None:
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the process, wherever it hangs
    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    largest = max(len(seed.data) for seed in seeds)
    limit = held + ROOM + TIMES * largest
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    out.put(try_range(first, count, seeds, place, note))


def try_files(first: int, count: int, seeds: list[Seed], place: Path, chunk: int = 5_000) -> Tally:
    """Try mutants in worker processes, one process at a time; one that dies is a finding."""
    context = multiprocessing.get_context("fork")
    total, note, at, end = Tally(), context.Value("q", first), first, first + count
    while at < end:
        n = min(chunk, end - at)
        out = context.SimpleQueue()
        worker = context.Process(target=_worker, args=(at, n, seeds, place, note, out))
        worker.start()
        found = _result(worker, out)
        worker.join(10)
        if found is None:
            worker.kill()
            total.findings.append(f"mutant {note.value}: the process ended with {worker.exitcode}")
            total.n_files += note.value + 1 - at
            at = note.value + 1
            continue
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
