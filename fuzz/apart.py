"""Numbered trials in processes of their own, so that one that dies by a signal is a finding."""

import multiprocessing
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

CHUNK = 200  # trials of one process
Trial = Callable[[int, Path], str]  # number, folder of its own -> one word; raises for a finding
Trials = Callable[[range], Iterable[Any]]  # gives the result of each number, in order


@dataclass(frozen=True)
class Died:
    """The result of a trial that ended its process."""

    exitcode: int | None

    def __str__(self) -> str:
        return f"the process ended with {self.exitcode}"


def run_apart(
    trials: Trials, first: int, count: int, *, chunk: int = CHUNK, method: str = "fork"
) -> Iterator[tuple[int, Any]]:
    """Yield the number and the result of each trial; `Died` for one that ended its process.

    Parameters
    ----------
    trials : callable
        Yields the results of a range of numbers; called in each process.
    first, count : int
        The numbers of the trials.
    chunk : int
        Trials of one process.
    method : {"fork", "spawn"}
        How processes start.
    """
    context = multiprocessing.get_context(method)
    number, end = first, first + count
    while number < end:
        ours, theirs = context.Pipe(duplex=False)
        numbers = range(number, min(end, number + chunk))
        process: Any = context.Process(target=_work, args=(trials, numbers, theirs))  # type: ignore[attr-defined]
        process.start()
        theirs.close()
        try:
            while (result := _received(ours)) is not None:
                yield number, result
                number += 1
            process.join()
        finally:
            process.kill()  # only if nobody wants its other results
        if process.exitcode != 0:
            yield number, Died(process.exitcode)
            number += 1


def _received(pipe: Any) -> Any:
    """Return the next result, or None if the process has ended."""
    try:
        return pipe.recv()
    except EOFError:
        return None


def _work(trials: Trials, numbers: range, pipe: Any) -> None:
    for result in trials(numbers):
        pipe.send(result)


def try_apart(
    trial: Trial, first: int, count: int, *, tell: Any = None
) -> tuple[Counter[str], list[str]]:
    """Return how often each word was returned, and the findings.

    Parameters
    ----------
    trial : callable
        What is tried.
    first, count : int
        The numbers of the trials.
    tell : callable, default=None
        Called with the number of trials done, now and then.
    """
    words: Counter[str] = Counter()
    findings: list[str] = []
    for number, result in run_apart(partial(_each, trial), first, count):
        word, finding = ("died", str(result)) if isinstance(result, Died) else result
        words[word] += 1
        findings += [f"{number}: {finding}"] if finding else []
        done = number + 1 - first
        if tell is not None and (done % CHUNK == 0 or done == count):
            tell(done)
    return words, findings


def _each(trial: Trial, numbers: range) -> Iterator[tuple[str, str]]:
    for number in numbers:
        with tempfile.TemporaryDirectory() as folder:
            try:
                yield trial(number, Path(folder)), ""
            except Exception as error:
                yield "found", f"{type(error).__name__}: {error}"


def temporary_place() -> tempfile.TemporaryDirectory[str]:
    """Return a folder in memory, where there is one."""
    memory = Path("/dev/shm")
    return tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None)
