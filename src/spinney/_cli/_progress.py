"""What a long command shows while it works: a bar on a terminal, nothing elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def fold_progress(n_folds: int) -> Iterator[Callable[[], None]]:
    """Give a function to call when a fold is done."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("cross-validation", total=n_folds)
        yield lambda: bar.advance(task)
