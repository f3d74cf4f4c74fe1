"""How fast expressions are evolved. `spinney reproduce gp` runs the published experiments."""

import argparse

import numpy as np

from benchmarks._gp_peers import deap_rates, gplearn_rates, our_rate
from benchmarks._measure import seconds, show
from spinney import GPForestClassifier
from spinney.datasets import load


def speed(generations=500, n_programs=3000, peer_generations=10, repeat=5):
    """Print evaluations a second beside the peers', each the best of some turns."""
    data = load("pima_indians_diabetes")
    X = np.ascontiguousarray(data.X.to_numpy(dtype=np.float64))
    y = (np.asarray(data.y) == "positive").astype(np.int64)
    peers = {"DEAP": deap_rates, "gplearn": gplearn_rates}
    ours, theirs = [], {name: [] for name in peers}
    for _ in range(repeat):
        ours.append(our_rate(X, y, generations)[0])
        for name, rates in peers.items():
            theirs[name].append(rates(X, y, n_programs, 500, peer_generations))
    best = max(ours)
    rows = [["spinney, search", f"{best:,.0f}", ""]]
    for name, rates in theirs.items():
        if None in rates:
            rows.append([name, "not installed", ""])
            continue
        for what, rate in zip(("evaluation only", "search"), np.max(rates, axis=0), strict=True):
            rows.append([f"{name}, {what}", f"{rate:,.0f}", f"{best / rate:.0f}"])
    title = "Fitness evaluations a second of one core, 768 x 8, at most 12 symbols"
    show(title, ["", "a second", "ratio"], rows)


def forest_time(repeat=3, **parameters):
    data = load("pima_indians_diabetes")
    model = GPForestClassifier(n_jobs=2, random_state=0, **parameters)
    took, fitted = seconds(lambda: model.fit(data.X, data.y), repeat)
    show(
        "A forest of 11 trees on pima, n_jobs=2",
        ["", "seconds", "evaluations", "a second"],
        [["", f"{took:.2f}", f"{fitted.n_evaluations_:,}", f"{fitted.n_evaluations_ / took:,.0f}"]],
    )


def gp():
    speed()
    forest_time()


def quick_gp():
    speed(100, 300, 2, 1)
    forest_time(1, population_size=100, generations=20)


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gp")
    parser.add_argument("--quick", action="store_true", help="small populations")
    (quick_gp if parser.parse_args().quick else gp)()


if __name__ == "__main__":
    main()
