"""Progress of long fits: a bar on a terminal, plain lines elsewhere, and scikit-learn's callbacks.

Nothing is shown unless `verbose` is set, and nothing is imported for it before.

An estimator that derives from `CallbackMixin` gets `set_callbacks`, and may be watched alone or
inside a search or a pipeline. Before scikit-learn 1.9 there are no callbacks: the mixin is then
empty, and reports go nowhere. In scikit-learn's terms a fit is the *root task*, and each member of
an ensemble one *subtask* of it. A member that was grown in the core is known only when it is done,
so its task begins and ends in one moment.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:
    CallbackSupportMixin = with_callbacks = None


class _NoCallbacks:
    """Stands in for scikit-learn's mixin."""


CallbackMixin: Any = CallbackSupportMixin or _NoCallbacks

Finished = Callable[[int], bool]
Show = Callable[[int], None]
Report = Callable[[], bool]

_SECONDS = 5.0  # between lines
_BAR = threading.Lock()  # one bar at a time has the terminal


@contextmanager
def progress(
    estimator: Any, what: str, total: int | None, *, start: int = 0, **data: Any
) -> Iterator[Finished]:
    """Show how far a fit is, by the estimator's `verbose` and callbacks.

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
        What callbacks may request: `X`, `y` and `metadata`.

    Yields
    ------
    function
        Called with the number of finished members, those at the start included, from any thread. It
        returns True if a callback requests a stop.
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


def _counter(start: int, total: int | None, show: Show | None, report: Report | None) -> Finished:
    """Return the function that a fit calls: it reports each step once, in order."""
    lock = threading.RLock()
    reported, stop = start, False

    def finished(n_done: int) -> bool:
        nonlocal reported, stop
        with lock:
            n_done = n_done if total is None else min(n_done, total)
            if n_done <= reported:  # another thread was faster
                return stop
            n_new, reported = n_done - reported, n_done
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
    """Print to standard error; a closed stream does not fail a fit."""
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


def has_callbacks(estimator: Any) -> bool:
    """Return whether a callback is set for this fit and does not already run."""
    return (
        with_callbacks is not None
        and isinstance(estimator, CallbackMixin)
        and bool(getattr(estimator, "_skl_callbacks", ()))
        and not hasattr(estimator, "_callback_fit_ctx")
    )


@contextmanager
def callback_reports(
    estimator: Any, what: str, n_subtasks: int | None, **data: Any
) -> Iterator[Report]:
    """Run the root task of a fit, and yield a function that runs one subtask.

    Parameters
    ----------
    estimator : estimator
        One for which `has_callbacks` is true.
    what : str
        What the fit does, for display.
    n_subtasks : int or None
        The largest number of subtasks; None if it is not known.
    **data : object
        What callbacks may request: `X`, `y` and `metadata`.

    Yields
    ------
    function
        It returns True if a callback requests a stop.
    """
    try:
        root = estimator._init_callback_context(task_name=what, max_subtasks=n_subtasks)
        root.call_on_fit_task_begin(estimator=estimator, **data)

        def report() -> bool:
            task = root.subcontext(task_name="member")
            task.call_on_fit_task_begin(estimator=estimator, **data)
            return bool(task.call_on_fit_task_end(estimator=estimator, **data))

        yield report
        root.call_on_fit_task_end(estimator=estimator, **data)
    finally:
        # Ends the callbacks, also after a failure: scikit-learn does so after a managed method.
        with_callbacks(lambda estimator: None)(estimator)
