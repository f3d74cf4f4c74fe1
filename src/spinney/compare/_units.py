"""Runs independent units of work in parallel and records the finished ones.

A *unit* is a key, such as `("iris", "cart", 0, 3)`, and the result of `work` for it: a flat dict of
numbers and strings that depends on the key alone. With a folder, units are recorded as they finish,
and a killed run resumes where it stopped:

| file            | content                                                             |
|-----------------|---------------------------------------------------------------------|
| `journal.jsonl` | a line for each finished unit, in the order of completion           |
| `times.jsonl`   | the same for run times, which differ between runs: `..._seconds`    |
| `results.csv`   | the table, in the order of the units, written when all are finished |
"""

import os
import pickle
import threading
import time
import uuid
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from joblib import (  # type: ignore[import-untyped]
    Parallel,
    delayed,
    effective_n_jobs,
    parallel_config,
    wrap_non_picklable_objects,
)
from joblib.parallel import LokyBackend, get_active_backend  # type: ignore[import-untyped]
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from spinney._atomic import write_atomically
from spinney._checks import is_integer
from spinney._format import csv_text
from spinney.compare._folder import JournalError, Key, LineFile, Result, held_folder

Work = Callable[[Any], Mapping[str, Any]]
Tell = Callable[[int, int, float], object]

JOURNAL, TIMES, TABLE = "journal.jsonl", "times.jsonl", "results.csv"
UNIT_SECONDS = "unit_seconds"
_unpacked: dict[Hashable, Work] = {}  # in a worker: the work of the run it is busy with


class UnitFailedError(RuntimeError):
    """One unit of work failed."""


def run_units(
    units: Iterable[Key],
    work: Work,
    *,
    folder: Any = None,
    fingerprint: str | Mapping[str, str] = "",
    key_names: Sequence[str] | None = None,
    n_jobs: int | None = None,
    progress: bool | Tell = True,
) -> list[Result]:
    """Run every unit that is not finished yet, and return the results of all.

    Parameters
    ----------
    units : iterable of tuple of str or int
        The keys, which must be unique. The results are in the same order.
    work : callable
        Takes a key and returns a flat dict of numbers, strings, bools and None. It must be
        picklable, and the result must depend on the key alone.
    folder : path, default=None
        Folder of the journal, the times and the table; None keeps everything in memory.
    fingerprint : str or mapping of str to str, default=""
        Everything the results depend on besides the key. A folder with another fingerprint is
        refused; for a mapping the message names the entries that differ.
    key_names : sequence of str, default=None
        Column names of the key's parts in the table; None numbers them.
    n_jobs : int, default=None
        Number of processes, each with one thread; None is 1, -1 one per core. Does not affect the
        results or the table. Inside `joblib.parallel_config("dask")`, or that of another cluster,
        the units run there, and None is all of it.
    progress : bool or callable, default=True
        Whether to show progress and remaining time on standard error; or a function of the number
        of finished units, the number of units, and the seconds left.

    Returns
    -------
    list of dict
        The result of `work` for each unit, and `unit_seconds`. Times of units from an earlier run
        are those of that run.

    Raises
    ------
    UnitFailedError
        If `work` raises an error; it names the unit.
    FolderInUseError
        If another run uses the folder.
    JournalError
        If the folder holds another experiment, or a damaged journal.
    """
    keys = _checked_keys(units)
    names = _checked_names(key_names, keys)
    about = {"fingerprint": fingerprint} if isinstance(fingerprint, str) else dict(fingerprint)
    with ExitStack() as stack:
        store = stack.enter_context(_opened(folder, about))
        todo = [key for key in keys if key not in store.results]
        n_before = len(keys) - len(todo)
        tell = stack.enter_context(_told(progress, len(keys), n_before))
        with threadpool_limits(1):  # as in workers: sums must not depend on where a unit runs
            for n_done, (key, result) in enumerate(_finished(work, todo, n_jobs), n_before + 1):
                store.add(key, result)
                tell(n_done)
        results = [{**store.results[key], **store.times.get(key, {})} for key in keys]
        store.finish(_table(keys, names, [store.results[key] for key in keys]))
    return results


# -- Execution


def _finished(work: Work, keys: list[Key], n_jobs: int | None) -> Iterator[tuple[Key, Result]]:
    """Yield keys and results in the order of completion."""
    if _on_cluster():
        yield from _finished_on_cluster(work, keys, n_jobs)
        return
    n_processes = min(effective_n_jobs(n_jobs), len(keys))
    if n_processes <= 1:
        for key in keys:
            yield key, _one(work, key)
        return
    cargo, token = _packed(work), uuid.uuid4().hex
    workers = {"initializer": _leave_with_parent, "initargs": (os.getpid(),)}
    with parallel_config("loky", n_jobs=n_processes, inner_max_num_threads=1, **workers):
        run = Parallel(return_as="generator_unordered")
        yield from run(delayed(_one_elsewhere)(cargo, token, key) for key in keys)


def _packed(work: Work) -> NDArray[np.uint8]:
    """Pickle the work once, not for each unit.

    As an array joblib maps it into memory if it is large, and removes that file even if this
    process is killed; clusters get it once.
    """
    packed = pickle.dumps(wrap_non_picklable_objects(work, keep_wrapper=False))
    return np.frombuffer(packed, dtype=np.uint8)


def _on_cluster() -> bool:
    """Whether `joblib.parallel_config` names a backend that is not of this machine."""
    backend, _ = get_active_backend()
    return bool(type(backend).__module__ != LokyBackend.__module__)


def _finished_on_cluster(
    work: Work, keys: list[Key], n_jobs: int | None
) -> Iterator[tuple[Key, Result]]:
    cargo, token = _packed(work), uuid.uuid4().hex
    calls = (delayed(_one_on_cluster)(cargo, token, key) for key in keys)
    jobs = -1 if n_jobs is None else n_jobs
    try:
        run = Parallel(jobs, return_as="generator_unordered")
    except ValueError:  # a backend that gives all results at once
        run = Parallel(jobs)
    yield from run(calls)


def _one(work: Work, key: Key) -> Result:
    began = time.perf_counter()
    try:
        result = {name: _plain(name, value) for name, value in work(key).items()}
    except Exception as problem:
        raise UnitFailedError(
            f"unit {key!r} failed: {type(problem).__name__}: {problem}"
        ) from problem
    return {**result, UNIT_SECONDS: time.perf_counter() - began}


def _one_elsewhere(cargo: NDArray[np.uint8], token: str, key: Key) -> tuple[Key, Result]:
    if token not in _unpacked:
        _unpacked.clear()
        _unpacked[token] = pickle.loads(cargo.tobytes())
    return key, _one(_unpacked[token], key)


def _one_on_cluster(cargo: NDArray[np.uint8], token: str, key: Key) -> tuple[Key, Result]:
    with threadpool_limits(1):
        return _one_elsewhere(cargo, token, key)


def _leave_with_parent(parent: int) -> None:
    """End this worker when its parent is killed; it would wait for work forever."""

    def watch() -> None:
        while os.getppid() == parent:  # always so on Windows
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _plain(name: str, value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or isinstance(value, str | int | float):
        return value
    raise TypeError(
        f"work must return numbers and texts, but {name!r} is of type {type(value).__name__}."
    )


# -- Recording


class _Store:
    """Results and times of the finished units; with a folder, on disk as well.

    Times are written first, so that every unit in the journal has them. Only a power failure can
    lose them, and they are not worth a sync.
    """

    def __init__(self, folder: Path | None, about: Mapping[str, str]) -> None:
        self.results: dict[Key, Result] = {}
        self.times: dict[Key, Result] = {}
        self._files: list[LineFile] = []
        self._table = None if folder is None else folder / TABLE
        if folder is None or self._table is None:
            return
        if self._table.exists() and not (folder / JOURNAL).exists():
            raise JournalError(
                f"folder {str(folder)!r} holds {TABLE} but no {JOURNAL}, so that it is not known "
                f"what it is of. It was left as it is; use another folder."
            )
        journal = LineFile(folder / JOURNAL, about)
        times = LineFile(folder / TIMES, about, is_vital=False)
        self._files = [times, journal]
        self.results, self.times = journal.results, times.results

    def add(self, key: Key, result: Result) -> None:
        times = {name: value for name, value in result.items() if name.endswith("_seconds")}
        rest = {name: value for name, value in result.items() if name not in times}
        for file, part in zip(self._files, (times, rest), strict=False):
            file.add(key, part)
        self.results[key], self.times[key] = rest, times

    def finish(self, table: str) -> None:
        if self._table is None:
            return
        data = table.encode()
        if not self._table.exists() or self._table.read_bytes() != data:
            write_atomically(self._table, [data])

    def close(self) -> None:
        for file in self._files:
            file.close()


@contextmanager
def _opened(folder: Any, about: Mapping[str, str]) -> Iterator[_Store]:
    with nullcontext() if folder is None else held_folder(folder) as path:
        store = _Store(path, about)
        try:
            yield store
        finally:
            store.close()


def _table(keys: list[Key], names: list[str], results: list[Result]) -> str:
    columns = list(dict.fromkeys(name for result in results for name in result))
    cells = zip(keys, results, strict=True)
    rows = ([*key, *(result.get(column) for column in columns)] for key, result in cells)
    return csv_text([[*names, *columns], *rows])


# -- Validation


def _checked_keys(units: Iterable[Key]) -> list[Key]:
    keys = [tuple(unit) for unit in units]
    for key in keys:
        if not key or not all(isinstance(part, str) or is_integer(part) for part in key):
            raise ValueError(f"units must be tuples of texts and integers, got {key!r}.")
    if len(set(keys)) < len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"units must differ, but {twice!r} is there twice.")
    return [tuple(part if isinstance(part, str) else int(part) for part in key) for key in keys]


def _checked_names(names: Sequence[str] | None, keys: list[Key]) -> list[str]:
    longest = max(map(len, keys), default=0)
    if names is None:
        return [f"key_{place}" for place in range(longest)]
    if any(len(key) != len(names) for key in keys):
        raise ValueError(f"units must have the parts {', '.join(names)}.")
    return list(names)


@contextmanager
def _told(progress: bool | Tell, n_units: int, n_before: int) -> Iterator[Callable[[int], object]]:
    if progress is False:
        yield lambda n_done: None
        return
    if progress is True:
        from spinney._progress import progress as shown_progress

        asked = SimpleNamespace(verbose=True)
        with shown_progress(asked, "units", n_units, start=n_before) as tell:
            yield tell
        return
    began = time.monotonic()
    yield lambda n_done: progress(
        n_done,
        n_units,
        (time.monotonic() - began) / (n_done - n_before) * (n_units - n_done),
    )
