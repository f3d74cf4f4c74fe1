"""Runs an evolution: some generations at a time, with progress and checkpoints."""

import hashlib
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from spinney import _core
from spinney._atomic import check_writable, write_atomically
from spinney._progress import print_line
from spinney._target import FitTarget
from spinney._typing import Floats

_FORMAT = "1"
_SECONDS = 5.0  # between lines of progress
_BATCH = 0.2  # seconds between two looks at the clock


@dataclass(frozen=True)
class Task:
    """What is evolved, from what."""

    values: Floats
    dataset: _core.Dataset
    target: FitTarget
    params: _core.GrowParams
    language: _core.Language
    plan: _core.EvolvePlan
    seed: int
    settings: str  # all that else decides about the result, as text

    def fingerprint(self) -> str:
        """Return a text that another data set, setting or seed would change."""
        digest = hashlib.sha256(self.settings.encode())
        digest.update(repr((self.seed, self.values.shape, self.plan.n_trees)).encode())
        truth = self.target.truth
        for array in (self.values, np.asarray(truth, dtype=np.float64), self.target.weight):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()


def run(task: Task, estimator: Any, n_threads: int) -> _core.Evolution:
    """Evolve trees to the end.

    Parameters
    ----------
    task : Task
        What is evolved.
    estimator : estimator
        Whose `verbose`, `checkpoint` and `checkpoint_every` are read.
    n_threads : int
        They never change the result.

    Returns
    -------
    spinney._core.Evolution
        It is done.
    """
    verbose = int(estimator.verbose)
    every = int(estimator.checkpoint_every)
    path = None if estimator.checkpoint is None else Path(estimator.checkpoint)
    evolution = _core.Evolution(
        task.dataset, task.target.core(), task.params, task.language, task.plan, task.seed
    )
    fingerprint = task.fingerprint() if path is not None else ""
    if path is not None:
        _refuse_unwritable(path)
        if path.exists():
            resume(evolution, path, fingerprint)
    n_generations, unsaved, printed = 1, 0, time.monotonic()
    while not evolution.is_done:
        began = time.monotonic()
        step = n_generations if path is None else min(n_generations, every - unsaved)
        evolution.run(step, n_threads)
        unsaved += step
        now = time.monotonic()
        if now - began < _BATCH / 2:
            n_generations *= 2
        elif now - began > _BATCH and n_generations > 1:
            n_generations //= 2
        if path is not None and (unsaved >= every or evolution.is_done):
            save(evolution, path, fingerprint)
            unsaved = 0
        if verbose and now - printed >= _SECONDS:
            printed = now
            _print_progress(evolution, task.plan.n_trees)
    if verbose:
        _print_progress(evolution, task.plan.n_trees)
    return evolution


def _print_progress(evolution: _core.Evolution, n_trees: int) -> None:
    text = f"evolving: {evolution.n_trees} of {n_trees} trees, {evolution.n_tests} tests"
    if not evolution.is_done:
        text += f", best fitness {evolution.best_fitness:.6g}"
    print_line(f"{text}, {evolution.n_evaluations} programs run")


# -- The file


def save(evolution: _core.Evolution, path: Path, fingerprint: str) -> None:
    """Save the state of an evolution. The old file stays until the new one is complete."""
    from safetensors.numpy import save as to_bytes

    tests, generation, unimproved, n_in_search, population, best, n_evaluations = evolution.state()
    arrays = {
        "numbers": np.array([generation, unimproved, n_in_search, n_evaluations], dtype=np.int64),
        **_columns("test", tests, 3),
        **_columns("program", [genes for genes, _ in [*population, best]], 2),
        "fitness": np.array([fitness for _, fitness in [*population, best]]),
    }
    facts = {"format": _FORMAT, "fingerprint": fingerprint, "digest": _digest(arrays)}
    write_atomically(path, [to_bytes(arrays, facts)])


def resume(evolution: _core.Evolution, path: Path, fingerprint: str) -> None:
    """Go on from a file that `save` wrote for the same data, settings and seed."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            facts = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as problem:
        raise ValueError(
            f"checkpoint {str(path)!r} cannot be read: {problem}. Remove it, or use another name."
        ) from None
    if facts.get("format") != _FORMAT:
        raise ValueError(
            f"checkpoint {str(path)!r} is of another version (format {facts.get('format')!r}, this "
            f"one reads {_FORMAT!r}). Finish it with that version, or use another name."
        )
    if facts.get("fingerprint") != fingerprint:
        raise ValueError(
            f"checkpoint {str(path)!r} is of another data set, other settings or another "
            "random_state. It was left as it is; use another name."
        )
    if facts.get("digest") != _digest(arrays):
        raise ValueError(
            f"checkpoint {str(path)!r} is damaged: its contents are not what was written. Remove "
            "it, or use another name."
        )
    try:
        numbers = _array(arrays, "numbers", np.int64, 1).tolist()
        generation, unimproved, n_in_search, n_evaluations = numbers
        tests = _rows("test", arrays, (int, int, float))
        programs = _rows("program", arrays, (int, float))
        fitness = _array(arrays, "fitness", np.float64, 1).tolist()
        individuals = list(zip(programs, fitness, strict=True))
        evolution.resume(
            tests,
            generation,
            unimproved,
            n_in_search,
            individuals[:-1],
            individuals[-1],
            n_evaluations,
        )
    except (KeyError, ValueError, IndexError, TypeError, OverflowError) as problem:
        raise ValueError(
            f"checkpoint {str(path)!r} is damaged: {problem}. Remove it, or use another name."
        ) from None


def _digest(arrays: dict[str, Any]) -> str:
    """Return a text that any change of the arrays would change."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(repr((name, array.dtype.str, array.shape)).encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _refuse_unwritable(path: Path) -> None:
    """Find out before any work whether the file can be written."""
    try:
        check_writable(path)
    except OSError as problem:
        raise ValueError(f"checkpoint {str(path)!r} cannot be written: {problem}.") from None


def _columns(name: str, lists: list[list[tuple[Any, ...]]], width: int) -> dict[str, Any]:
    """Return lists of tuples as arrays: where each list begins, and a column for each place."""
    begins = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    flat = np.array([row for rows in lists for row in rows], dtype=np.float64).reshape(-1, width)
    return {f"{name}_begin": begins, f"{name}_cells": flat}


def _array(arrays: dict[str, Any], name: str, type_: Any, n_dims: int) -> Any:
    array = arrays[name]
    if array.dtype != type_ or array.ndim != n_dims:
        raise ValueError(f"{name} is of another kind")
    return array


def _rows(
    name: str, arrays: dict[str, Any], kinds: tuple[type, ...]
) -> list[list[tuple[Any, ...]]]:
    begins = _array(arrays, f"{name}_begin", np.int64, 1)
    cells = _array(arrays, f"{name}_cells", np.float64, 2)
    ends = begins[[0, -1]].tolist()
    if ends != [0, len(cells)] or (np.diff(begins) < 0).any():
        raise ValueError(f"{name}s do not follow each other")
    whole = cells[:, [kind is int for kind in kinds]]
    if (whole != np.rint(whole)).any():
        raise ValueError(f"a {name} has a part of a symbol")
    rows = [
        tuple(kind(cell) for kind, cell in zip(kinds, row, strict=True)) for row in cells.tolist()
    ]
    return [rows[begin:end] for begin, end in pairwise(begins.tolist())]
