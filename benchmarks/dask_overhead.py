"""What Dask costs on one machine: two worker processes beside two threads, and bytes a level.

    python benchmarks/dask_overhead.py --rows 10_000_000

Rows are in the workers' memory before the clock starts, as a reader leaves them: an array that came
in a message may lie at an odd address, and would be copied first. Workers have fitted before: what
is imported once is not counted. Both are fitted in turn, and the best of each is kept; processor
time is that of all processes. Bytes are those of the answers that reach the client, by level; the
model of the guide is printed beside them, without the rows of small nodes.
"""

import argparse
import time
from typing import Any

import dask.array as da
import distributed
import numpy as np
import psutil

import spinney.dask
from spinney import CARTClassifier, _core

N_COLUMNS, N_CLASSES, MAX_BINS, DEPTH = 20, 2, 255, 8
SETTINGS = {"max_bins": MAX_BINS, "max_depth": DEPTH, "missing": "majority"}
BYTES_A_NODE = 8 * N_CLASSES * (MAX_BINS + 1) * N_COLUMNS


def processor_time() -> float:
    """Return the processor time of this process and of those that it started."""
    own = psutil.Process()
    times = [process.cpu_times() for process in [own, *own.children(recursive=True)]]
    return float(sum(one.user + one.system for one in times))


def timed(fit: Any) -> tuple[float, float, Any]:
    """Return the seconds and the processor time of a fit, and the model."""
    began, cpu = time.monotonic(), processor_time()
    model = fit()
    return time.monotonic() - began, processor_time() - cpu, model


def counted(received: list[int]) -> Any:
    """Have planners note the bytes that they are told."""

    class Counting(_core.Planner):
        def receive(self, answer: bytes) -> None:
            received.append(len(answer))
            super().receive(answer)

    return Counting


def main() -> None:
    """Fit both ways and print the ratio."""
    arguments = argparse.ArgumentParser(description=__doc__)
    number = {"type": lambda text: int(text.replace("_", ""))}
    arguments.add_argument("--rows", default=1_000_000, **number)
    arguments.add_argument("--partitions", type=int, default=8)
    arguments.add_argument("--repeats", type=int, default=3)
    given = arguments.parse_args()
    random = np.random.default_rng(0)
    X = random.normal(size=(given.rows, N_COLUMNS))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + random.normal(size=len(X)) > 0).astype(int)
    received: list[int] = []
    spinney._growth_planner._core.Planner = counted(received)
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    alone, together = [], []
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        rows = -(-len(X) // given.partitions)
        parts = client.persist(da.from_array(X, chunks=(rows, N_COLUMNS)).map_blocks(np.copy))
        distributed.wait(parts)
        spinney.dask.CARTClassifier(**SETTINGS).fit(parts, y)
        for _ in range(given.repeats):
            alone.append(timed(lambda: CARTClassifier(**SETTINGS, n_jobs=2).fit(X, y)))
            received.clear()
            together.append(timed(lambda: spinney.dask.CARTClassifier(**SETTINGS).fit(parts, y)))
            assert together[-1][2].to_local().tree_ == alone[-1][2].tree_
    for what, unit in enumerate(("seconds", "seconds of processor time")):
        one, other = (min(fits[what] for fits in all_fits) for all_fits in (alone, together))
        print(f"two threads {one:.2f}, Dask {other:.2f} {unit}: ratio {other / one:.2f}")
    print("level, bytes to the client, bytes by the model")
    for level, n_bytes in enumerate(received[:DEPTH]):  # each round also divides the level before
        n_counted = max(1, 2**level // 2)  # the root, and one of every two children
        print(level, n_bytes, n_counted * BYTES_A_NODE)


if __name__ == "__main__":
    main()
