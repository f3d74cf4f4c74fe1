"""Thousands of fits in one process: what the allocator holds must not grow.

Resident memory jumps by pages and arenas, so it cannot show a tenth of a KiB per fit. The count of
bytes that glibc's allocator has handed out and not taken back can, if Python's own small objects
come from there too: the process runs with PYTHONMALLOC=malloc.
"""

import ctypes
import gc
import json
import os
import subprocess
import sys
import warnings
from itertools import pairwise
from typing import Any

from fuzz import ROOT

LIMIT = 0.1  # KiB per fit
SMALL = {"n_estimators": 2, "population_size": 6, "generations": 1, "n_init": 1, "max_iter": 3}


class _Mallinfo(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    ]


def _held() -> int:
    """Return the bytes that are handed out."""
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = _Mallinfo
    gc.collect()
    info = mallinfo()
    return int(info.uordblks + info.hblkhd)


def _rounds(listed: Any, n_rounds: int) -> None:
    """Fit, predict, copy and throw away."""
    import pickle

    import numpy as np

    rng = np.random.default_rng(0)
    X = {"x": rng.normal(size=24), "k": rng.choice(np.array(list("abc"), dtype=object), 24)}
    X["x"][::7] = np.nan
    y = listed.target((X["x"] > 0).astype(int) + (X["k"] == "a"))
    small = {name: value for name, value in SMALL.items() if listed.has(name)}
    for _ in range(n_rounds):
        model = listed.new(**small).fit(X, y)
        model.predict(X)
        pickle.loads(pickle.dumps(model))


def measure(places: list[int], n_fits: int) -> dict[str, float]:
    """Return KiB that stay per fit, by estimator; runs in the process that `measured` starts.

    The count is read seven times. What leaks grows between any two of them, while caches that fill
    and a heap that settles do so between the first ones: the least growth counts.
    """
    from contracts.estimators import LISTED

    warnings.simplefilter("ignore")
    grown = {}
    for place in places:
        listed = LISTED[place]
        _rounds(listed, 100)
        held = [_held()]
        for _ in range(6):
            _rounds(listed, n_fits // 6)
            held.append(_held())
        least = min(after - before for before, after in pairwise(held))
        grown[f"{place} {listed.estimator!r}"] = least / 1024 / (n_fits // 6)
    return grown


def measured(places: list[int] | None, n_fits: int, timeout: float = 36_000) -> dict[str, float]:
    """Fit each of the listed estimators so often, in a new process; return KiB per fit.

    Parameters
    ----------
    places : list of int or None
        Places in the list of estimators; None: all of them.
    n_fits : int
        Fits of each.
    timeout : float
        Seconds.
    """
    code = (
        "import json, sys; from fuzz.leaks import measure; from contracts.estimators import LISTED;"
        "places, n = json.load(sys.stdin);"
        "print(json.dumps(measure(places or list(range(len(LISTED))), n)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps([places, n_fits]),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONMALLOC": "malloc", "MALLOC_ARENA_MAX": "1"},
    )
    grown: dict[str, float] = json.loads(done.stdout)
    return grown
