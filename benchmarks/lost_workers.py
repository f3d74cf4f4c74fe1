"""Shoots at the workers of a cluster at random moments of fits and predictions.

    python benchmarks/lost_workers.py --kills 50

Every fit must end with the bytes of the model that one machine makes, every prediction with the
same numbers. Prints how many did; exits with 1 if any did not.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd

import spinney.dask
from spinney import CARTRegressor, save


def bytes_of(model: Any, folder: str) -> bytes:
    """Return the model's file."""
    save(model, Path(folder) / "model")
    return (Path(folder) / "model").read_bytes()


@contextmanager
def shot_at(latest: float) -> Iterator[Any]:
    """Give a client of two new workers, of which one is killed within some seconds.

    A cluster for each shot: a nanny gives up a worker that is killed while it starts, so that a
    cluster that is shot at again and again runs out of workers.
    """
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with (
        distributed.LocalCluster(**options, silence_logs=50) as cluster,
        distributed.Client(cluster) as client,
    ):
        pids = sorted(nanny.pid for nanny in cluster.workers.values())
        shot = (random.choice(pids), signal.SIGKILL)
        timer = threading.Timer(random.uniform(0.0, latest), os.kill, shot)
        timer.start()
        yield client
        timer.join()


def main() -> None:
    """Fit and predict while workers are lost."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--kills", type=int, default=50, help="of fits, and of predictions")
    arguments.add_argument("--seed", type=int, default=0)
    given = arguments.parse_args()
    warnings.simplefilter("ignore")
    random.seed(given.seed)
    numbers = np.random.default_rng(0)
    frame = pd.DataFrame(numbers.normal(size=(20_000, 6)), columns=list("abcdef"))
    y = frame["a"] + frame["b"] * frame["c"] + numbers.normal(size=len(frame))
    settings = {"max_bins": 64, "pruning": "cost_complexity", "cv": 3, "random_state": 0}
    settings |= {"min_samples_leaf": 50}
    local = CARTRegressor(**settings).fit(frame, y)
    parts, target = dd.from_pandas(frame, npartitions=8), dd.from_pandas(y, npartitions=8)
    fits = predictions = 0
    with tempfile.TemporaryDirectory() as folder:
        expected, answers = bytes_of(local, folder), local.predict(frame)
        for i in range(given.kills):
            with shot_at(3.0):
                fitted = spinney.dask.CARTRegressor(**settings).fit(parts, target)
            fits += bytes_of(fitted.to_local(), folder) == expected
            print(f"fit {i + 1}: {fits} the same", flush=True)
        for i in range(given.kills):
            with shot_at(0.3) as client:
                found = client.compute(fitted.predict(parts)).result()
            predictions += np.array_equal(found, answers)
            print(f"prediction {i + 1}: {predictions} the same", flush=True)
    print(
        f"{fits} of {given.kills} fits and {predictions} of {given.kills} predictions are the same"
    )
    sys.exit(min(fits, predictions) < given.kills)


if __name__ == "__main__":
    main()
