"""Time of small forests beside forests of 500 trees: fits and predictions, 16 bundled data sets.

Run it as `python -m benchmarks.small [--threads N] [--repeats N]`. It prints what the guide says of
time; errors are those of `spinney reproduce small`. Fits are interleaved, and the best of each
counts; predictions are of 10,000 rows, drawn from the data with replacement.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from spinney import RandomForestClassifier, SmallForestClassifier
from spinney._reproduce.small_runs import SETS
from spinney.datasets import load

_N_PREDICTED = 10_000


def seconds(work: Callable[[], Any]) -> float:
    """Return how long it takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


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
    fits = best([lambda m=m: m.fit(data.X, y) for m in models], repeats)  # type: ignore[misc]
    predicts = best([lambda m=m: m.predict(many) for m in models], repeats)  # type: ignore[misc]
    of_fit, of_predict = fits[1:] / fits[0], predicts[0] / predicts[1:]
    return np.array([len(y), 1000 * fits[0], *of_fit, 1000 * predicts[0], *of_predict])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    heads = ("rows", "fit 500, ms", "25", "11", "predict, ms", "25 faster", "11 faster")
    print(f"{'':24}" + "".join(f"{head:>12}" for head in heads))
    tables = []
    for name in SETS:
        tables.append(measure(name, given.threads, given.repeats))
        print(f"{name:24}" + "".join(f"{cell:12.4g}" for cell in tables[-1]), flush=True)
    print(f"{'mean':24}" + "".join(f"{cell:12.4g}" for cell in np.mean(tables, axis=0)))


if __name__ == "__main__":
    main()
