"""Progress of long fits: a bar on a terminal, plain lines elsewhere, and scikit-learn's callbacks.

Nothing is shown unless `verbose` asks for it, and nothing is imported for it before.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from spinney._callbacks import callback_reports, has_callbacks

Finished = Callable[[int], bool]
Show = Callable[[int], None]

_SECONDS = 5.0  # between lines
_BAR = threading.Lock()  # one bar at a time has the terminal


@contextmanager
def progress(
    estimator: Any, what: str, total: int | None, *, start: int = 0, **data: Any
) -> Iterator[Finished]:
    """Show how far a fit is, as the estimator's `verbose` and callbacks ask.

    Parameters
    ----------
    estimator : estimator
        Whose `verbose` is read: 0 shows nothing.
    what : str
        What the fit does, such as "growing trees".
    total : int or None
        How many members there will be at most; None if it is not known.
    start : int, default=0
        Members that are there already.
    **data : object
        What callbacks may ask for: `X`, `y` and `metadata`.

    Yields
    ------
    function
        To be told how many members are done, those at the start included, from any thread. It
        returns True if a callback asks to stop.
    """
    verbose = int(getattr(estimator, "verbose", 0))
    with ExitStack() as stack:
        report = None
        if has_callbacks(estimator):
            n_subtasks = None if total is None else max(total - start, 0)
            report = stack.enter_context(callback_reports(estimator, what, n_subtasks, **data))
        show = stack.enter_context(_display(what, total, start)) if verbose else None
        yield _silent if show is None and report is None else _counter(start, total, show, report)


def _silent(n_done: int) -> bool:
    return False


def _counter(
    start: int, total: int | None, show: Show | None, report: Callable[[], bool] | None
) -> Finished:
    """Return the function that a fit calls: it tells each step once, in order."""
    lock = threading.RLock()
    told, stop = start, False

    def finished(n_done: int) -> bool:
        nonlocal told, stop
        with lock:
            n_done = n_done if total is None else min(n_done, total)
            if n_done <= told:  # another thread was faster
                return stop
            n_new, told = n_done - told, n_done
            if show is not None:
                show(n_done)
            for _ in range(n_new if report is not None else 0):
                stop = (report is not None and report()) or stop
            return stop

    return finished


@contextmanager
def _display(what: str, total: int | None, start: int) -> Iterator[Show]:
    """Choose a bar or lines."""
    console = _terminal()
    if console is None or not _BAR.acquire(blocking=False):
        with _lines(what, total, start) as show:
            yield show
        return
    try:
        with _bar(console, what, total, start) as show:
            yield show
    finally:
        _BAR.release()


def _terminal() -> Any:
    """Return a console on standard error if a bar can move there, else None."""
    try:
        if sys.stderr is None or not sys.stderr.isatty():
            return None
    except ValueError:  # closed
        return None
    from rich.console import Console

    console = Console(stderr=True)
    return console if console.is_interactive else None  # a dumb terminal is not


@contextmanager
def _bar(console: Any, what: str, total: int | None, start: int) -> Iterator[Show]:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    # Prints go above the bar, but never to standard error if standard output is a file.
    to_terminal = sys.stdout is not None and sys.stdout.isatty()
    with Progress(*columns, console=console, redirect_stdout=to_terminal) as bar:
        task = bar.add_task(what, total=total, completed=start)
        yield lambda n_done: bar.update(task, completed=n_done)


@contextmanager
def _lines(what: str, total: int | None, start: int) -> Iterator[Show]:
    """Print a line now and then, and one at the end."""
    began = last = time.monotonic()
    done = printed = start

    def line(end: bool) -> None:
        nonlocal last, printed
        last, printed = time.monotonic(), done
        text = f"{what}: {done}" + ("" if total is None else f" of {total}")
        text += f", {_duration(last - began)}"
        if total is not None and not end:
            text += f", about {_duration((last - began) / (done - start) * (total - done))} left"
        print_line(text)

    def show(n_done: int) -> None:
        nonlocal done
        done = n_done
        if done == total or time.monotonic() - last >= _SECONDS:
            line(end=done == total)

    yield show
    if printed < done:  # stopped before the total
        line(end=True)


def print_line(text: str) -> None:
    """Print to standard error; a fit does not fail because nobody listens."""
    if sys.stderr is None:  # a program without a console
        return
    try:
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        return


def _duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
