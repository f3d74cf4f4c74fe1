"""Work for the tests of journals: a module, so that other processes find it too."""

import math
import sys
import time
from pathlib import Path
from typing import Any

from spinney.compare import run_units

KEYS = [(f"set {a}", b) for a in ("a", "b", "c, d") for b in range(8)]


def chore(key: tuple[Any, ...]) -> dict[str, Any]:
    """Return numbers that any slip would change, and a time."""
    name, number = key
    value = math.sin(sum(map(ord, name)) + number / 7)
    return {"value": value, "word": f"{name}!", "fit_seconds": time.perf_counter()}


def slow_chore(key: tuple[Any, ...]) -> dict[str, Any]:
    """Return the same, later: there is time to be killed in."""
    time.sleep(0.01)
    return chore(key)


def failing_chore(key: tuple[Any, ...]) -> dict[str, Any]:
    """Fail at one unit."""
    if key == KEYS[5]:
        raise ZeroDivisionError("no rows")
    return chore(key)


def unspeakable_chore(key: tuple[Any, ...]) -> dict[str, Any]:
    """Return something that no table can hold."""
    return {"value": [1, 2]}


def fingerprint(key: Any = None) -> dict[str, Any]:
    """Return the fingerprint of an experiment, as this process sees it."""
    from spinney import BaggingClassifier, CARTClassifier
    from spinney.compare import Experiment

    methods = {"a": BaggingClassifier(CARTClassifier(criterion=max, priors={"x": 1}))}
    made = Experiment(["iris", "heart_disease"], methods)
    return {"fingerprint": str(made.fingerprint())}


if __name__ == "__main__":
    folder, n_jobs = Path(sys.argv[1]), int(sys.argv[2])
    run_units(KEYS, slow_chore, folder=folder, n_jobs=n_jobs, progress=False)
