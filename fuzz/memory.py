"""Mutated files of large models, and the most memory that each takes while it is loaded.

Small files say little: Python's own heap grows by more than they hold. These have a megabyte, or
nearly. Memory that was free before is given back first, so that it cannot hide what is taken.
"""

import ctypes
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import spinney
from fuzz.files import TIMES, by_chance
from fuzz.mutants import Seed
from spinney._file._container import read

ROOM = 2**19  # bytes beside the sizes of the file: lists, texts and the objects of a model
_MMAP_THRESHOLD = -3  # of mallopt: larger pieces are given back as soon as they are free


def make_large(place: Path, n_rows: int) -> list[Seed]:
    """Return files of large models of every kind that trees are kept in."""
    seeds = []
    for name, model in _models(n_rows):
        path = place / "large.spinney"
        spinney.save(model, path)
        seeds.append(Seed(name, path.read_bytes(), read(path)))
    return seeds


def _models(n_rows: int) -> Iterator[tuple[str, object]]:
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(n_rows, 8))
    gaps = np.where(rng.random(numbers.shape) < 0.1, np.nan, numbers)
    codes = rng.integers(0, 30, size=(n_rows, 6))
    amount = numbers[:, 0] + numbers[:, 1] * numbers[:, 2] + rng.normal(size=n_rows)
    y = amount > 0
    z = codes[:, 0] * 7 % 5 + codes[:, 1] * 3 % 7 + 3 * rng.normal(size=n_rows) > 5
    few, nominal = slice(n_rows // 10), {"categorical_features": list(range(6))}
    bare = spinney.CARTClassifier(max_surrogates=0)
    yield "a tree", spinney.CARTClassifier().fit(numbers, y)
    yield "a tree with stand-ins", spinney.CARTClassifier().fit(gaps, y)
    yield "a tree of numbers", spinney.CARTRegressor().fit(numbers[few], amount[few])
    yield "a tree of categories", spinney.CARTClassifier(max_surrogates=0, **nominal).fit(codes, z)
    yield "a tree of many branches", spinney.ID3Classifier(**nominal).fit(codes[few], z[few])
    bagged = {"n_estimators": 5, "oob_score": False, "random_state": 0}
    yield "a forest", spinney.RandomForestClassifier(**bagged).fit(numbers[few], y[few])
    yield (
        "a forest of numbers",
        spinney.RandomForestRegressor(**bagged).fit(numbers[few], amount[few]),
    )
    yield "bagged stand-ins", spinney.BaggingClassifier(**bagged).fit(gaps[few], y[few])
    yield (
        "bagged trees of categories",
        spinney.BaggingClassifier(bare, **bagged, **nominal).fit(codes[few], z[few]),
    )


def measured(path: Path) -> tuple[int, bool]:
    """Return the bytes by which the process grew at most while it loaded a file, and if it did."""
    libc = ctypes.CDLL(None)
    libc.mallopt(_MMAP_THRESHOLD, 2**16)
    libc.malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # the peak is what is held now
    before = _held("VmRSS")
    try:
        spinney.load(path)
        accepted = True
    except spinney.ModelFileError:
        accepted = False
    return _held("VmHWM") - before, accepted


def _held(what: str) -> int:
    found = re.search(rf"{what}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


def try_memory(first: int, count: int, place: Path, n_rows: int = 150_000) -> list[str]:
    """Load every large file, and mutants of them by chance; return what took too much."""
    seeds, path = make_large(place, n_rows), place / "mutant.spinney"
    findings: list[str] = []
    n_accepted = 0
    warnings.simplefilter("ignore")
    worst = 0.0

    def look(what: str, data: bytes) -> tuple[float, bool]:
        path.write_bytes(data)
        grown, accepted = measured(path)
        if grown > TIMES * len(data) + ROOM:
            findings.append(f"{what}: {len(data)} bytes took {grown}")
        return grown / len(data), accepted

    for seed in seeds:
        measured(place / "large.spinney")  # what is made once is there
        print(f"{look(seed.name, seed.data)[0]:.2f} times {len(seed.data)} bytes: {seed.name}")
    for number, made in by_chance(seeds, range(first, first + count)):
        times, accepted = look(f"mutant {number}: {made.done}", made.data)
        n_accepted += accepted
        worst = max(worst, times)
    print(f"{count} mutants, {n_accepted} accepted, at most {worst:.2f} times the file")
    return findings
