"""Fits on a cluster of processes, which may be lost at any moment."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from large_tables import model, table, task_of
from sklearn.base import clone

from spinney import save

dask = pytest.importorskip("dask", reason="dask is not installed")
dd = pytest.importorskip("dask.dataframe", reason="dask's frames need pandas")
distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")

import spinney.dask as on_dask  # noqa: E402
from spinney.dask import _tasks  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # a cluster that is shot at warns of many things
]
N_ROWS = 7000


def start(n_workers: int = 2, **more: Any) -> Any:
    options = {"dashboard_address": None, "silence_logs": 50, "threads_per_worker": 1, **more}
    return distributed.LocalCluster(n_workers=n_workers, processes=True, **options)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with start() as cluster, distributed.Client(cluster) as own:
        yield own


@lru_cache
def frame(task: str) -> Any:
    return table(task, N_ROWS).to_pandas()


def of_features(data: Any) -> Any:
    return data.drop(columns=["weight", "exposure", "y"])


def file_of(fitted: Any, folder: Path) -> bytes:
    save(fitted, folder / "model")
    return (folder / "model").read_bytes()


@lru_cache
def whole(name: str) -> Any:
    data = frame(task_of(name))
    return clone(model(name)).fit(of_features(data), data["y"])


def fit(name: str, client: Any = None, npartitions: int = 5, seconds: float = 0.0) -> Any:
    parts = dd.from_pandas(frame(task_of(name)), npartitions=npartitions)
    X = of_features(parts).map_partitions(slow, seconds, meta=of_features(parts)._meta)
    unfitted = model(name)
    made = getattr(on_dask, type(unfitted).__name__)(**unfitted.get_params(deep=False))
    return made.fit(X, parts["y"], client=client)


def slow(part: Any, seconds: float) -> Any:
    time.sleep(seconds)
    return part


@pytest.mark.parametrize("name", ["two", "number pruned", "ten forest"])
def test_a_cluster_gives_the_file_of_the_namesake(client: Any, name: str, tmp_path: Path) -> None:
    assert file_of(fit(name, client).to_local(), tmp_path) == file_of(whole(name), tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize(("n_workers", "n_threads"), [(1, 1), (1, 4), (2, 2), (3, 1), (4, 1)])
def test_any_workers_and_threads_give_the_same_file(
    n_workers: int, n_threads: int, tmp_path: Path
) -> None:
    many = start(n_workers, threads_per_worker=n_threads)
    with many as cluster, distributed.Client(cluster) as own:
        for name in ("two", "number", "count", "ten forest", "two pruned"):
            fitted = fit(name, own, npartitions=7)
            assert file_of(fitted.to_local(), tmp_path) == file_of(whole(name), tmp_path)


def test_the_client_that_is_there_is_taken(client: Any, tmp_path: Path) -> None:
    assert file_of(fit("number").to_local(), tmp_path) == file_of(whole("number"), tmp_path)


def fit_inside(name: str) -> Any:
    return fit(name).to_local()


def test_a_fit_may_be_a_task_itself(client: Any, tmp_path: Path) -> None:
    fitted = client.submit(fit_inside, "two", pure=False).result(timeout=120)
    assert file_of(fitted, tmp_path) == file_of(whole("two"), tmp_path)


def kill_a_worker(client: Any, after: float) -> threading.Timer:
    pids = list(client.run(os.getpid).values())
    timer = threading.Timer(after, os.kill, (pids[0], signal.SIGKILL))
    timer.start()
    return timer


@pytest.mark.parametrize("after", [0.1, 0.7])
def test_a_worker_lost_in_fit_leaves_no_trace(client: Any, after: float, tmp_path: Path) -> None:
    timer = kill_a_worker(client, after)
    fitted = fit("number pruned", client, seconds=0.1)
    timer.join()
    assert file_of(fitted.to_local(), tmp_path) == file_of(whole("number pruned"), tmp_path)


def test_a_worker_lost_in_predict_leaves_no_trace(client: Any) -> None:
    fitted = on_dask.CARTClassifier()
    fitted._local = whole("two")
    data = frame("two")
    parts = of_features(dd.from_pandas(data, npartitions=12))
    parts = parts.map_partitions(slow, 0.1, meta=parts._meta)
    timer = kill_a_worker(client, 0.3)
    found = client.compute(fitted.predict(parts)).result(timeout=120)
    timer.join()
    np.testing.assert_array_equal(found, whole("two").predict(of_features(data)))


def n_tasks(dask_scheduler: Any) -> int:
    return len(dask_scheduler.tasks)


def wait_for_no_tasks(client: Any) -> int:
    left = -1
    for _ in range(100):
        gc.collect()
        left = client.run_on_scheduler(n_tasks)
        if left == 0:
            break
        time.sleep(0.1)
    return left


def test_an_interrupted_fit_leaves_no_task_behind(client: Any) -> None:
    assert wait_for_no_tasks(client) == 0

    def interrupt(number: int, at: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.8)
    try:
        with pytest.raises(KeyboardInterrupt):
            fit("two", client, seconds=5.0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert wait_for_no_tasks(client) == 0


def broken(part: Any) -> Any:
    raise RuntimeError("the disk is gone")


def test_a_partition_that_raises_ends_the_fit(client: Any) -> None:
    parts = dd.from_pandas(frame("two"), npartitions=3)
    X = of_features(parts).map_partitions(broken, meta=of_features(parts)._meta)
    with pytest.raises(RuntimeError, match="the disk is gone"):
        on_dask.CARTClassifier().fit(X, parts["y"], client=client)
    assert wait_for_no_tasks(client) == 0


def test_workers_of_another_version_are_refused(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_tasks, "__version__", "0.0.1")
    with pytest.raises(RuntimeError, match=r"this is spinney 0\.0\.1, but worker .* has"):
        fit("two", client)


class Told:
    """A client whose workers answer as is told here."""

    def __init__(self, *answers: Any) -> None:
        self._answers = dict(enumerate(answers))

    def run(self, function: Any, on_error: str) -> dict[int, Any]:
        assert on_error == "return"
        return self._answers


def test_a_worker_that_is_lost_when_versions_are_asked_is_no_error() -> None:
    _tasks.check_versions(Told(_tasks.__version__, OSError("connection reset by peer")))


def test_workers_without_this_package_are_refused() -> None:
    with pytest.raises(RuntimeError, match="have no spinney: No module named"):
        _tasks.check_versions(Told(ModuleNotFoundError("No module named 'spinney'")))


def dies(part: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)
    return part


def test_a_partition_that_kills_every_worker_ends_the_fit() -> None:  # as too little memory does
    once = {"distributed.scheduler.allowed-failures": 0}  # else it waits for three new workers
    with dask.config.set(once), start() as cluster, distributed.Client(cluster) as own:
        parts = dd.from_pandas(frame("two"), npartitions=2)
        X = of_features(parts).map_partitions(dies, meta=of_features(parts)._meta)
        with pytest.raises(distributed.KilledWorker):
            on_dask.CARTClassifier().fit(X, parts["y"], client=own)


def swells(part: Any) -> Any:
    held = np.ones(1 << 27)  # a gigabyte
    time.sleep(60)  # until the nanny looks
    return part.head(int(held[0]))


def test_a_worker_out_of_memory_ends_the_fit() -> None:
    once = {"distributed.scheduler.allowed-failures": 0}
    small = start(1, memory_limit="700MB")
    with dask.config.set(once), small as cluster, distributed.Client(cluster) as own:
        parts = dd.from_pandas(frame("two"), npartitions=2)
        X = of_features(parts).map_partitions(swells, meta=of_features(parts)._meta)
        with pytest.raises(distributed.KilledWorker):
            on_dask.CARTClassifier().fit(X, parts["y"], client=own)


SCHEDULER = """
import time, distributed
options = {"dashboard_address": None, "silence_logs": 50, "threads_per_worker": 1}
print(distributed.LocalCluster(n_workers=1, **options).scheduler_address, flush=True)
time.sleep(600)
"""


def test_a_scheduler_that_is_killed_ends_the_fit() -> None:
    alone = [sys.executable, "-c", SCHEDULER]
    with subprocess.Popen(alone, stdout=subprocess.PIPE, text=True) as process:
        own = distributed.Client(process.stdout.readline().strip(), timeout=5)
        timer = threading.Timer(1.0, process.kill)
        timer.start()
        with pytest.raises(Exception, match=r"."):
            fit("two", own, seconds=30.0)
        timer.join()
        own.close(timeout=2)


def test_a_scheduler_that_goes_away_ends_the_fit() -> None:
    cluster = start(1)
    own = distributed.Client(cluster, timeout=5)
    timer = threading.Timer(1.0, cluster.close)
    timer.start()
    with pytest.raises(Exception, match=r"."):
        fit("two", own, seconds=20.0)
    timer.join()
    own.close(timeout=2)
