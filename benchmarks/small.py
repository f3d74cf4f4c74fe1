"""Time of small forests beside forests of 500 trees: fits and predictions, 16 bundled data sets.

Run it as `python -m benchmarks.small [--threads N] [--repeats N]`. It prints what the guide says of
time; errors are those of `spinney reproduce small`. Models take turns, and the least processor time
of each counts. Predictions are of 10,000 rows, drawn from the data with replacement: of the table,
and of the table encoded beforehand, so that only trees are asked.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from spinney import RandomForestClassifier, SmallForestClassifier
from spinney._reproduce.small_runs import SETS
from spinney._table import EncodedTable, encode_with
from spinney.datasets import load

_N_PREDICTED = 10_000


def seconds(work: Callable[[], Any]) -> float:
    """Return how long it takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def best(works: list[Callable[[], Any]], repeats: int) -> np.ndarray:
    """Return the least seconds of each, in turn."""
    return np.min([[seconds(work) for work in works] for _ in range(repeats)], axis=0)


def measure(name: str, threads: int, repeats: int) -> np.ndarray:
    """Return rows, time of the forest's fit, and times of small ones by those of the forest."""
    data = load(name)
    y = np.asarray(data.y)
    many = data.X.iloc[np.random.default_rng(0).integers(0, len(y), _N_PREDICTED)]
    forest = RandomForestClassifier(500, combine="average", oob_score=False)
    models = [forest, SmallForestClassifier(), SmallForestClassifier(11)]
    models = [clone(one).set_params(n_jobs=threads, random_state=0) for one in models]
    fits = best([partial(one.fit, data.X, y) for one in models], repeats)
    found = [len(y), 1000 * fits[0], *fits[1:] / fits[0]]
    values = encode_with(models[0]._schema, many, unseen="missing", estimator_name="")
    for rows in (many, EncodedTable(values, models[0]._schema)):
        times = best([partial(one.predict, rows) for one in models], repeats)
        found += [1000 * times[0], *times[0] / times[1:]]
    return np.array(found)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    heads = ("rows", "fit 500, ms", "25", "11")
    heads += ("predict, ms", "25 faster", "11 faster", "encoded, ms", "25 faster", "11 faster")
    print(f"{'':24}" + "".join(f"{head:>12}" for head in heads))
    tables = []
    for name in SETS:
        tables.append(measure(name, given.threads, given.repeats))
        print(f"{name:24}" + "".join(f"{cell:12.4g}" for cell in tables[-1]), flush=True)
    print(f"{'mean':24}" + "".join(f"{cell:12.4g}" for cell in np.mean(tables, axis=0)))


if __name__ == "__main__":
    main()
