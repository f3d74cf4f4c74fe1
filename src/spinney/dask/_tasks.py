"""How tasks are run: by a client, by Dask's default scheduler, or from inside another task."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import dask
from dask.delayed import Delayed

from spinney import __version__

_ARITY = 4  # parts that are added up by one task


class Runner:
    """Computes tasks, and keeps the results of some where they were made.

    Parameters
    ----------
    client : distributed.Client or None
        None for Dask's default scheduler.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    def keep(self, tasks: Sequence[Delayed]) -> list[Delayed]:
        """Begin to compute tasks; their results stay with the workers as long as they are used."""
        if not tasks:
            return []
        with _large_graphs():
            if self._client is not None:
                return list(self._client.persist(list(tasks)))
            return list(dask.persist(*tasks))

    def compute(self, tasks: Sequence[Delayed]) -> list[Any]:
        """Return the results of tasks."""
        if not tasks:
            return []
        with _large_graphs():
            if self._client is None:
                return list(dask.compute(*tasks))
            futures = self._client.compute(list(tasks))
            try:
                return list(self._client.gather(futures))
            except BaseException:
                self._client.cancel(futures)  # nothing goes on that nobody waits for
                raise

    def result(self, kept: Delayed) -> Any:
        """Return the result of a task that was kept."""
        if self._client is None:
            return kept.compute()
        from distributed import futures_of

        futures = futures_of(kept)
        try:
            (result,) = self._client.gather(futures)  # no further task: a round waits for this
        except BaseException:
            self._client.cancel(futures)
            raise
        return result


@contextmanager
def _large_graphs() -> Iterator[None]:
    """Send targets and weights with the tasks: what was sent so can be computed again."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph")
        yield


@contextmanager
def runner(client: Any) -> Iterator[Runner]:
    """Choose what runs the tasks of a fit.

    Parameters
    ----------
    client : distributed.Client or None
        As given to `fit`; None for the one that is there, if any.

    Yields
    ------
    Runner
    """
    found, inside = (client, False) if client is not None else _client_here()
    if inside:
        from distributed import worker_client

        with worker_client() as own:  # the task that asks gives its place to others
            yield Runner(own)
        return
    if found is not None:
        check_versions(found)
    yield Runner(found)


def _client_here() -> tuple[Any, bool]:
    """Return the client that is there, if any, and whether this is a task of a worker."""
    try:
        from distributed import default_client, get_worker
    except ImportError:
        return None, False
    with suppress(ValueError):
        get_worker()
        return None, True
    with suppress(ValueError):
        return default_client(), False
    return None, False


def _version() -> str:
    return __version__


def check_versions(client: Any) -> None:
    """Refuse workers that have another version of this package, or none.

    Parameters
    ----------
    client : distributed.Client
        Whose workers are asked.
    """
    answers = client.run(_version, on_error="return")
    for error in answers.values():
        if isinstance(error, ImportError):
            raise RuntimeError(
                f"workers of {client} have no spinney: {error}. Install spinney {__version__} "
                "there."
            ) from error
    # What else went wrong is a worker that is being lost, whose tasks others will do.
    versions = {worker: told for worker, told in answers.items() if isinstance(told, str)}
    others = {worker: version for worker, version in versions.items() if version != __version__}
    if others:
        worker, version = next(iter(others.items()))
        raise RuntimeError(
            f"this is spinney {__version__}, but worker {worker} has {version}. Install the same "
            "version everywhere."
        )


def reduce(parts: Sequence[Delayed], add: Callable[..., Any]) -> Delayed:
    """Add up in a tree of tasks.

    Parameters
    ----------
    parts : sequence of Delayed
        At least one.
    add : callable
        Adds up any number of results.

    Returns
    -------
    Delayed
    """
    level = list(parts)
    task = dask.delayed(add, pure=False)
    while len(level) > 1:
        level = [task(*level[i : i + _ARITY]) for i in range(0, len(level), _ARITY)]
    return level[0]
