"""What Dask costs on one machine: two worker processes beside two threads, and bytes a round.

    python benchmarks/dask_overhead.py --rows 10_000_000

Rows are in the workers' memory before the clock starts. Bytes are those of the answers that reach
the client; the model of the guide is printed beside them, without the rows of small nodes.
"""

import argparse
import time

import dask.array as da
import distributed
import numpy as np

import spinney.dask
from spinney import CARTClassifier, _core

N_COLUMNS, N_CLASSES, MAX_BINS, DEPTH = 20, 2, 255, 8


def main() -> None:
    """Fit both ways and print the ratio."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument(
        "--rows", type=lambda text: int(text.replace("_", "")), default=1_000_000
    )
    arguments.add_argument("--partitions", type=int, default=8)
    given = arguments.parse_args()
    random = np.random.default_rng(0)
    X = random.normal(size=(given.rows, N_COLUMNS))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + random.normal(size=len(X)) > 0).astype(int)
    settings = {"max_bins": MAX_BINS, "max_depth": DEPTH, "missing": "majority"}
    began = time.monotonic()
    local = CARTClassifier(**settings, n_jobs=2).fit(X, y)
    alone = time.monotonic() - began
    received: list[int] = []
    receive = _core.Planner.receive

    class Counting(_core.Planner):  # counts what the client is told
        def receive(self, answer: bytes) -> None:
            received.append(len(answer))
            receive(self, answer)

    spinney._growth_planner._core.Planner = Counting
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        rows = -(-len(X) // given.partitions)
        parts = client.persist(da.from_array(X, chunks=(rows, N_COLUMNS)))
        distributed.wait(parts)
        began = time.monotonic()
        fitted = spinney.dask.CARTClassifier(**settings).fit(parts, y)
        together = time.monotonic() - began
    assert fitted.to_local().tree_ == local.tree_
    counted = 2 ** (
        DEPTH - 1
    )  # nodes: the root, and one of every two children above the last level
    model = counted * N_COLUMNS * (MAX_BINS + 1) * N_CLASSES * 8
    print(f"two threads {alone:.1f} s, Dask {together:.1f} s, ratio {together / alone:.2f}")
    print(f"{len(received)} rounds, {sum(received):,} bytes to the client; by the model {model:,}")


if __name__ == "__main__":
    main()
