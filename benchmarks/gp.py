"""The experiments of Suchy and Kubalik (2006), ours beside theirs, and how fast a search is.

Inducing diverse decision forests with genetic programming. Errors and accuracies are in %.

`python -m benchmarks.gp --help` lists the choices; settings such as `refine_constants=True` go to
all trees.
"""

import argparse
import ast
import time
from pathlib import Path

import numpy as np
from scipy.stats import ttest_rel

from benchmarks._gp_data import best_rule, mixture
from benchmarks._gp_peers import deap_rates, gplearn_rates, our_rate
from benchmarks._gp_runs import DATASETS, N_POINTS, figure_accuracies, table_errors
from benchmarks._measure import seconds, show
from benchmarks._published import published
from spinney import GPForestClassifier
from spinney.datasets import load

SIZES = (1, 3, 5, 11, 21)
SMALL = 5  # trees: forests that the paper would call small
_PICTURE = Path(__file__).parents[1] / "docs" / "images" / "gp_forests.png"


# -- Table 3


def table(n_repeats, n_folds=10, names=tuple(DATASETS), **parameters):
    """Print the errors of trees and forests; z is the difference from the paper in our errors."""
    printed = {row["algorithm"]: row for row in published("gp_table3_errors")}
    theirs = [printed["GP single tree"], printed["GP forest of 11 trees"]]
    rows, start = [], time.perf_counter()
    for name in names:
        both = table_errors(name, n_repeats, n_folds, **parameters)
        for who, errors, paper in zip(("tree", "11 trees"), both, theirs, strict=True):
            rows.append([f"{name}, {who}", *_beside(errors, paper[name])])
    took = time.perf_counter() - start
    show(
        f"Table 3: error by {n_repeats} x {n_folds} folds; standard errors over repetitions and "
        f"over folds, * where we are worse by more than two of them; {took:.0f} s in all",
        ["", "ours", "paper", "repetitions", "z", "folds", "z"],
        rows,
    )


def _beside(errors, paper):
    """Return cells: our error, theirs, and the distance in both of our standard errors."""
    cells = [f"{errors.mean():.2f}", f"{paper:.1f}"]
    for values in (errors.mean(axis=1), errors.ravel()):
        if len(values) == 1:
            cells += ["", ""]
            continue
        error = values.std(ddof=1) / np.sqrt(len(values))
        z = (errors.mean() - paper) / error
        cells += [f"{error:.2f}", f"{z:+.1f}{'*' if z > 2 else ' '}"]
    return cells


# -- Figure 4


def figure(sizes, n_repeats, picture=None, **parameters):
    """Print the accuracy of four kinds of forests by size, and what the paper concludes."""
    attainable = attainable_accuracy()
    start = time.perf_counter()
    found = figure_accuracies(sizes, range(n_repeats), **parameters)
    means = {name: values.mean(axis=1) for name, values in found.items()}  # (n_repeats, n_sizes)
    show(
        f"Figure 4: accuracy by the number of trees, {n_repeats} x 5 folds of {N_POINTS} points of "
        f"which {attainable:.1f} % can be right, {time.perf_counter() - start:.0f} s in all",
        ["", *map(str, sizes)],
        [[name, *(f"{mean:.2f}" for mean in own.mean(axis=0))] for name, own in means.items()],
    )
    if n_repeats > 1:
        conclusions(sizes, means)
    if picture:
        draw(sizes, means, attainable, picture)


def attainable_accuracy(n_points=200_000):
    """Return the share of points for which the best rule is right, in %."""
    X, y = mixture(n_points, 0)
    share = 100.0 * float(np.mean(best_rule(X) == y))
    if not 94.0 < share < 96.0:
        raise ValueError(f"the points shall be right in about 95 %, got {share:.1f} %.")
    return share


def conclusions(sizes, means):
    """Print paired t-tests over repetitions, which have their own points each."""
    last, diverse = len(sizes) - 1, means["diverse roots"]
    rows = [
        [f"diverse roots > {other}", sizes[i], *_test(diverse[:, i], means[other][:, i])]
        for other in ("plain gain", "bagging", "AdaBoost.M1")
        for i in range(1, len(sizes))
    ]
    small = _largest_small(sizes)
    for name, own in means.items():
        label = f"{name}: {sizes[small]} > {sizes[last]} trees"
        rows.append([label, "", *_test(own[:, small], own[:, last])])
    show(
        "Does it hold? Difference, p of a one-sided paired t-test over the repetitions",
        ["", "trees", "difference", "p", ""],
        rows,
    )
    for text, holds in _claims(sizes, means):
        print(f"{text}: {'holds' if holds else 'not shown'}")


def _largest_small(sizes):
    """Return the place of the largest forest that is small."""
    return max(i for i, size in enumerate(sizes) if size <= SMALL)


def _test(ours, others):
    p = chance(ours, others)
    return [f"{np.mean(ours - others):+.2f}", f"{p:.2g}", "*" if p < 0.05 else ""]


def chance(ours, others):
    """Return p of "ours is no greater"."""
    off = ours - others
    if np.ptp(off) == 0.0:
        return 0.0 if off[0] > 0.0 else 1.0
    return float(ttest_rel(ours, others, alternative="greater").pvalue)


def _claims(sizes, means):
    """Yield what the paper concludes, and whether it is so here."""
    last, small = len(sizes) - 1, _largest_small(sizes)
    diverse, boosted = means["diverse roots"], means["AdaBoost.M1"]
    bagged, plain = means["bagging"], means["plain gain"]

    def beats(other, places):
        return all(chance(diverse[:, i], other[:, i]) < 0.05 for i in places)

    few, most = f"{sizes[1]} to {sizes[small]} trees", f"{sizes[last]} trees"
    lead = diverse - bagged
    yield f"Diverse roots beat plain gain at {sizes[1]} to {most}", beats(plain, range(1, last + 1))
    yield f"They beat bagging at {few}", beats(bagged, range(1, small + 1))
    shrinks = chance(lead[:, 1 : small + 1].mean(axis=1), lead[:, last]) < 0.05
    yield f"Their lead over bagging is less at {most} than at {few}", shrinks
    yield f"They beat AdaBoost at {most}", beats(boosted, [last])
    falls = chance(boosted[:, small], boosted[:, last]) < 0.05
    yield f"AdaBoost is worse at {most} than at {sizes[small]}", falls


def draw(sizes, means, attainable, path):
    """Draw the accuracies with their standard errors."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    drawing, axes = pyplot.subplots(figsize=(7, 4.5))
    styles = zip(means.items(), ("s:", "^--", "v-.", "o-"), strict=True)
    for (name, own), style in styles:
        error = own.std(axis=0, ddof=1) / np.sqrt(len(own)) if len(own) > 1 else None
        axes.errorbar(sizes, own.mean(axis=0), error, fmt=style, capsize=2, label=name)
    axes.axhline(attainable, color="grey", linewidth=0.8, label="best rule")
    axes.set_xscale("log")
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.minorticks_off()
    axes.set_xlabel("trees")
    axes.set_ylabel("accuracy in %")
    axes.set_title("Forests of evolved trees, three classes of points")
    axes.legend()
    drawing.savefig(path, dpi=120, bbox_inches="tight", metadata={"Software": None})
    pyplot.close(drawing)
    print(f"drawn to {path.name}")


# -- Speed


def speed(generations=500, n_programs=3000, peer_generations=10, repeat=3):
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


# -- The whole


def gp(n_repeats=6, n_figure_repeats=10, sizes=SIZES, picture=_PICTURE, **parameters):
    speed()
    forest_time()
    table(n_repeats, **parameters)
    figure(sizes, n_figure_repeats, picture, **parameters)


def quick_gp(**parameters):
    small = {"population_size": 100, "generations": 20, **parameters}
    speed(100, 300, 2, 1)
    forest_time(1, **small)
    table(1, 3, **small)
    figure((1, 3, 11), 1, **small)


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gp")
    parser.add_argument("--quick", action="store_true", help="small populations, few folds")
    parser.add_argument("--only", choices=("table", "figure", "speed"), help="one part")
    parser.add_argument("--repeats", type=int, help="repetitions of the cross-validation")
    parser.add_argument("settings", nargs="*", help="parameters of trees: refine_constants=True")
    given = parser.parse_args()
    settings = dict(one.split("=", 1) for one in given.settings)
    parameters = {name: ast.literal_eval(word) for name, word in settings.items()}
    if given.only == "table":
        table(given.repeats or 6, **parameters)
    elif given.only == "figure":
        figure(SIZES, given.repeats or 10, _PICTURE, **parameters)
    elif given.only == "speed":
        speed()
        forest_time()
    else:
        (quick_gp if given.quick else gp)(**parameters)


if __name__ == "__main__":
    main()
