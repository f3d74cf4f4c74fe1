"""Limits linear algebra to one thread: matrices are small, and results must not depend on threads.

The limit is process-wide, so the first context that is entered sets it and the last one that is
left restores it; otherwise two concurrent fits could leave the limit of the other behind.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

_lock = Lock()
_inside: list[Any] = []  # one entry for each who is inside; the first holds the limit


@cache
def _controller() -> Any:
    return ThreadpoolController()  # looks at every library that is loaded, so only once


def _release() -> None:
    """Let other threads set limits too: newer versions let only the one that did it last."""
    for library in _controller().lib_controllers:
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread()


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit linear algebra to one thread within the context."""
    with _lock:
        if not _inside:
            _inside.append(_controller().limit(limits=1, user_api="blas"))
            _release()
        else:
            _inside.append(None)
    try:
        yield
    finally:
        with _lock:
            if len(_inside) > 1:
                _inside.pop()
            else:
                _inside.pop().restore_original_limits()
                _release()
