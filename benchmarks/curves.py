"""Time and memory as tables grow, ours and the peers': a picture for the documentation.

    python -m benchmarks curves [--quick] [--into curves.json] [--panels rows columns ...]

Each point is one fit in a process of its own: processor seconds on one thread, and peak memory
above the input. A curve ends where a fit takes longer than `--longest` seconds.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks._data import numeric
from benchmarks._measure import peak_mb

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "benchmark_growth.png"
PANELS = {
    "rows": [1_000, 10_000, 100_000, 1_000_000, 5_000_000],
    "columns": [5, 20, 80, 320, 1_000],
    "classes": [2, 4, 8, 16, 32, 64],
    "categories": [2, 8, 32, 128, 500, 2_000],
    "trees": [1, 4, 16, 64, 256],
}
QUICK = {name: sizes[:2] for name, sizes in PANELS.items()}
WHO = ("spinney", "scikit-learn", "YDF")
_COLOURS = {"spinney": "#2a6f4e", "scikit-learn": "#c98b2b", "YDF": "#6b7a8f"}


def _table(panel, size):
    """Return columns, classes and how many trees: 0 is one CART."""
    rng = np.random.default_rng(0)
    if panel == "rows":
        return *numeric(size), 0
    if panel == "columns":
        return *numeric(2_000, size), 0
    if panel == "trees":
        return *numeric(5_000), size
    if panel == "classes":
        X, _ = numeric(10_000)
        score = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=len(X))
        return X, np.argsort(np.argsort(score)) * size // len(X), 0
    codes = rng.integers(0, size, (10_000, 20)).astype(np.float64)
    effect = rng.normal(size=(20, size))
    score = effect[0][codes[:, 0].astype(int)] + effect[1][codes[:, 1].astype(int)]
    return codes, (score + rng.normal(size=len(codes)) > 0).astype(np.int64), 0


def _fit(who, panel, X, y, n_trees):
    if who == "spinney":
        from spinney import CARTClassifier, RandomForestClassifier

        nominal = list(range(X.shape[1])) if panel == "categories" else None
        if n_trees:
            return RandomForestClassifier(n_trees, random_state=0, oob_score=False).fit(X, y)
        return CARTClassifier(max_surrogates=0, categorical_features=nominal).fit(X, y)
    if who == "scikit-learn":
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.tree import DecisionTreeClassifier

        if n_trees:
            return RandomForestClassifier(n_trees, random_state=0).fit(X, y)
        return DecisionTreeClassifier(random_state=0).fit(X, y)
    from benchmarks.peers import ydf_fit, ydf_forest

    if panel == "categories":
        return ydf_fit(X, y, max_vocab_count=-1, min_vocab_frequency=1)
    return ydf_forest(X, y, n_trees) if n_trees else ydf_fit(X, y)


def _forget_peak():
    """Let the peak begin anew, where the system can: what was loaded before is no part of a fit."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def point(who, panel, size):
    X, y, n_trees = _table(panel, size)
    if panel == "categories" and who == "YDF":
        X = np.char.mod("w%d", X)  # its categories are strings
    _fit(who, panel, X[:200], y[:200], min(n_trees, 1))  # what is loaded once
    _forget_peak()
    before, best = peak_mb(), float("inf")
    while True:
        start = time.process_time()
        _fit(who, panel, X, y, n_trees)
        took = time.process_time() - start
        best, again = min(best, took), took < best and took < 0.2
        if not again:
            break
    print(json.dumps({"seconds": best, "mb": peak_mb() - before}))


def measure(panels, longest):
    found = {}
    for panel, sizes in panels.items():
        for who in WHO:
            if panel == "categories" and who == "scikit-learn":
                continue  # it has none
            curve = found.setdefault(panel, {}).setdefault(who, [])
            expected = 0.0
            for size in sizes:
                if expected > longest:
                    break
                command = [sys.executable, "-m", "benchmarks.curves", "--point", who, panel]
                done = subprocess.run(
                    [*command, str(size)], capture_output=True, text=True, check=False
                )
                if done.returncode != 0:
                    break
                got = json.loads(done.stdout.splitlines()[-1])
                curve.append([size, got["seconds"], got["mb"]])
                print(panel, who, size, f"{got['seconds']:.3f} s {got['mb']:.0f} MB", flush=True)
                expected = got["seconds"] * 6
    return found


def draw(found, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot, ticker

    heads = {
        "rows": "rows, 20 columns",
        "columns": "columns, 2,000 rows",
        "classes": "classes, 10,000 x 20",
        "categories": "categories, 10,000 x 20",
        "trees": "trees of a forest, 5,000 x 20",
    }
    figure, axes = pyplot.subplots(
        2, len(found), figsize=(2.8 * len(found), 5.6), sharex="col", sharey="row", squeeze=False
    )
    for place, (panel, curves) in enumerate(found.items()):
        for who, curve in curves.items():
            if not curve:
                continue
            sizes, seconds, mb = zip(*curve, strict=True)
            style = {"color": _COLOURS[who], "marker": "o", "markersize": 3, "label": who}
            axes[0][place].loglog(sizes, seconds, **style)
            axes[1][place].loglog(sizes, np.maximum(mb, 0.1), **style)
        axes[1][place].set_xlabel(heads[panel])
        axes[1][place].set_xticks(sorted({size for curve in curves.values() for size, *_ in curve}))
        axes[1][place].xaxis.set_major_formatter(ticker.EngFormatter(sep=""))
        axes[1][place].xaxis.set_minor_locator(ticker.NullLocator())
        for row in axes:
            row[place].grid(alpha=0.25)
            row[place].spines[["top", "right"]].set_visible(False)
    axes[0][0].set_ylabel("seconds, one thread")
    axes[1][0].set_ylabel("MB above the input")
    axes[0][0].legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": None})


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks curves", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two sizes each, and no picture")
    parser.add_argument("--panels", nargs="*", choices=list(PANELS), help="some of the panels")
    parser.add_argument("--longest", type=float, default=60.0, help="seconds a fit may take")
    parser.add_argument("--into", help="a file for the points, which is added to")
    parser.add_argument("--point", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.point:
        point(given.point[0], given.point[1], int(given.point[2]))
        return
    sizes = QUICK if given.quick else PANELS
    found = {}
    if given.into and os.path.exists(given.into):
        found = json.loads(Path(given.into).read_text())
    found |= measure({name: sizes[name] for name in given.panels or sizes}, given.longest)
    if given.into:
        Path(given.into).write_text(json.dumps(found))
    if not given.quick:
        draw({name: found[name] for name in PANELS if name in found}, PICTURE)


if __name__ == "__main__":
    main()
