"""Runs numbered trials in a process of its own, so that one that dies by a signal is a finding."""

import multiprocessing
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

CHUNK = 200  # trials of one process
Trial = Callable[[int, Path], str]  # number, folder of its own -> one word; raises for a finding


def try_apart(
    trial: Trial, first: int, count: int, *, tell: Any = None
) -> tuple[Counter[str], list[str]]:
    """Return how often each word was said, and what was found.

    Parameters
    ----------
    trial : callable
        What is tried.
    first, count : int
        The numbers of the trials.
    tell : callable, default=None
        Is told after each process how many trials are done.
    """
    words: Counter[str] = Counter()
    findings: list[str] = []
    context = multiprocessing.get_context("fork")
    number, end = first, first + count
    while number < end:
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(
            target=_work, args=(trial, number, min(end, number + CHUNK), theirs)
        )
        process.start()
        theirs.close()
        while True:
            try:
                word, finding = ours.recv()
            except EOFError:
                break
            words[word] += 1
            findings += [f"{number}: {finding}"] if finding else []
            number += 1
        process.join()
        if process.exitcode != 0:
            findings.append(f"{number}: the process ended with {process.exitcode}")
            words["died"] += 1
            number += 1
        if tell is not None:
            tell(number - first)
    return words, findings


def _work(trial: Trial, first: int, end: int, pipe: Any) -> None:
    for number in range(first, end):
        with tempfile.TemporaryDirectory() as folder:
            try:
                pipe.send((trial(number, Path(folder)), ""))
            except Exception as error:
                pipe.send(("found", f"{type(error).__name__}: {error}"))
