"""The tables of Martinez-Munoz and Suarez (2004), ours beside the published figures.

Using all data to generate decision tree ensembles. IEEE Transactions on Systems, Man, and
Cybernetics C 34(4). Errors are in %, with the standard deviation over the runs in brackets; z is
the difference from the paper in standard errors, with a star where we are worse by more than two.

`python -m benchmarks.igpa --help` lists the choices; `benchmarks._igpa_runs.igpa_runs` gives the
runs of forests with other parameters.
"""

import argparse
import ast
import statistics
import time

import numpy as np
from scipy.stats import ttest_rel

from benchmarks._igpa_runs import (
    DATASETS,
    bagging,
    bagging_runs,
    cart_errors,
    igpa_errors,
    igpa_runs,
    partition,
)
from benchmarks._measure import show
from benchmarks._published import published
from spinney import IGPAForestClassifier

RULES = ("1se", "min")
_PAPER_RUNS, _PAPER_SIZE_RUNS = 50, 10


def single_trees(n_runs, rule, parameters):
    """Print Table II; return the errors of IGPA by data set."""
    rows, found = [], {}
    for theirs in published("igpa_table2_single_trees"):
        name = theirs["dataset"]
        cart = cart_errors(name, n_runs, rule)
        found[name] = igpa_errors(name, n_runs, **parameters)
        rows.append(
            [
                name,
                *_beside(cart, theirs, "cart", _PAPER_RUNS),
                *_beside(found[name], theirs, "igpa", _PAPER_RUNS),
                *_chances(cart, found[name], theirs),
            ]
        )
    show(
        f"Table II: one tree, {n_runs} runs, CART by rule {rule}",
        ["", "CART", "paper", "z", "IGPA", "paper", "z", "p", "paper"],
        rows,
    )
    return found


def forests(n_runs, n_trees, rule, parameters, single):
    """Print Table III, with single trees as the forests of one; return the runs by data set."""
    rows, found, start = [], {}, time.perf_counter()
    for theirs in published("igpa_table3_ensembles"):
        name, size = theirs["dataset"], theirs["n_trees"]
        if size > n_trees:
            continue
        if name not in found:
            found[name] = igpa_runs(name, n_runs, n_trees, **parameters)
        cart = bagging_runs(name, n_runs, n_trees, rule).of(size)
        ours = single[name] if size == 1 else found[name].of(size)
        rows.append(
            [
                name,
                size,
                *_beside(cart, theirs, "cart_bagging", _PAPER_RUNS),
                *_beside(ours, theirs, "igpa", _PAPER_RUNS),
                *_chances(cart, ours, theirs),
            ]
        )
    took = time.perf_counter() - start
    show(
        f"Table III: ensembles, {n_runs} runs, CART by rule {rule}, {took:.0f} s in all",
        ["", "trees", "bagging", "paper", "z", "IGPA", "paper", "z", "p", "paper"],
        rows,
    )
    return found


def training_sizes(n_runs, n_trees, rule, parameters):
    """Print Table IV."""
    rows = []
    for theirs in published("igpa_table4_training_size"):
        size = theirs["train"]
        cart = bagging_runs("waveform", n_runs, n_trees, rule, size)
        ours = igpa_runs("waveform", n_runs, n_trees, size, **parameters)
        row = [size]
        for runs, who in ((cart, "cart_bagging"), (ours, "igpa")):
            row += _beside(runs.errors[:, -1], theirs, who, _PAPER_SIZE_RUNS)
            row += _leaves_beside(runs, theirs[f"{who}_leaves"])
        rows.append([*row, *_chances(cart.errors[:, -1], ours.errors[:, -1], theirs)])
    leaves = ["leaves", "paper", "off"]
    show(
        f"Table IV: rows of waveform, {n_runs} runs of {n_trees} trees, CART by rule {rule}",
        ["", "bagging", "paper", "z", *leaves, "IGPA", "paper", "z", *leaves, "p", "paper"],
        rows,
    )


def fitting_times(n_trees, rule, parameters, repeat):
    """Print Table V: processor time of one thread, the median of fits in turn."""
    models = {
        "cart_bagging": bagging(n_trees, rule, random_state=0),
        "igpa_ensemble": IGPAForestClassifier(n_trees, random_state=0, **parameters),
    }
    X, y, _, _ = partition("waveform", 0)
    times = {name: [] for name in models}
    for _ in range(repeat):
        for name, model in models.items():
            start = time.process_time()
            model.fit(X, y)
            times[name].append(time.process_time() - start)
    ours = [statistics.median(times[name]) for name in models]
    paper = {row["method"]: row["seconds"] for row in published("igpa_table5_seconds")}
    theirs = [paper[name] for name in models]
    show(
        f"Table V: seconds for {n_trees} trees on {len(y)} rows of waveform",
        ["", "bagging", "IGPA", "ratio"],
        [
            ["ours", *[f"{taken:.4f}" for taken in ours], f"{ours[0] / ours[1]:.1f}"],
            ["paper", *theirs, f"{theirs[0] / theirs[1]:.1f}"],
        ],
    )


def iterations(found):
    """Print how many iterations the members of the forests took."""
    rows = []
    for name, runs in found.items():
        numbers = runs.iterations.ravel()
        shares = [np.mean(numbers == k) for k in range(2, 6)] + [np.mean(numbers > 5)]
        cells = [f"{100 * share:.1f}" for share in shares]
        rows.append([name, *cells, f"{numbers.mean():.2f}", numbers.max()])
    show(
        "Iterations until the size stays: % of the members (in the paper 2 or 3, at most 4)",
        ["", "2", "3", "4", "5", "more", "mean", "most"],
        rows,
    )


def rules(n_runs, n_size_runs, n_trees):
    """Print CART under both rules of cost-complexity pruning, and how far it is from the paper."""
    rows, distances = [], []
    for label, theirs, who, ours in _cart_figures(n_runs, n_trees):
        cells = [_beside(errors, theirs, who, _PAPER_RUNS) for errors in ours]
        rows.append([*label, cells[0][1], *[cell for one in cells for cell in (one[0], one[2])]])
        distances.append([_z(errors, theirs, who, _PAPER_RUNS) for errors in ours])
    far = np.sqrt(np.mean(np.square(distances), axis=0))
    rows.append(["root mean square", "", "", "", f"{far[0]:.1f} ", "", f"{far[1]:.1f} "])
    for theirs in published("igpa_table4_training_size"):
        cells = [
            _leaves_beside(
                bagging_runs("waveform", n_size_runs, n_trees, rule, theirs["train"]),
                theirs["cart_bagging_leaves"],
            )
            for rule in RULES
        ]
        label = [f"leaves, {theirs['train']} rows", n_trees, cells[0][1]]
        rows.append([*label, *[cell for ours, _, off in cells for cell in (ours, off)]])
    show(
        f"The rules of cost-complexity pruning: one tree or bagging, {n_runs} runs",
        ["", "trees", "paper", "1se", "z", "min", "z"],
        rows,
    )


def _cart_figures(n_runs, n_trees):
    """Yield labels, a published row, the name of its columns, and our errors under both rules."""
    for row in published("igpa_table2_single_trees"):
        name = row["dataset"]
        yield [name, "-"], row, "cart", [cart_errors(name, n_runs, rule) for rule in RULES]
    for row in published("igpa_table3_ensembles"):
        name, size = row["dataset"], row["n_trees"]
        if size <= n_trees:
            ours = [bagging_runs(name, n_runs, n_trees, rule).of(size) for rule in RULES]
            yield [name, size], row, "cart_bagging", ours


# -- Cells


def _beside(errors, theirs, who, n_theirs):
    """Return three cells: our error, theirs, and the distance."""
    z = _z(errors, theirs, who, n_theirs)
    star = "*" if z > 2 else " "
    paper = _with_sd(theirs[f"{who}_error"], theirs[f"{who}_sd"])
    return [_with_sd(errors.mean(), errors.std(ddof=1)), paper, f"{z:.1f}{star}"]


def _z(errors, theirs, who, n_theirs):
    variance = errors.var(ddof=1) / len(errors) + theirs[f"{who}_sd"] ** 2 / n_theirs
    return (errors.mean() - theirs[f"{who}_error"]) / np.sqrt(variance)


def _leaves_beside(runs, theirs):
    ours = runs.leaves.mean()
    return [f"{ours:.2f}", f"{theirs:.2f}", f"{100 * (ours / theirs - 1):+.0f} %"]


def _with_sd(mean, sd):
    return f"{mean:.2f} ({sd:.1f})"


def _chances(errors, others, theirs):
    """Return our p of a paired t-test, and theirs."""
    return [f"{ttest_rel(errors, others).pvalue:.2g}", f"{theirs['paired_t_p']:.2g}"]


# -- The whole


def igpa(n_runs=50, n_size_runs=10, n_trees=101, repeat=9, rule="min", **parameters):
    start = time.perf_counter()
    single = single_trees(n_runs, rule, parameters)
    found = forests(n_runs, n_trees, rule, parameters, single)
    iterations(found)
    training_sizes(n_size_runs, n_trees, rule, parameters)
    fitting_times(n_trees, rule, parameters, repeat)
    rules(n_runs, n_size_runs, n_trees)
    print(f"\n{time.perf_counter() - start:.0f} s in all, {len(DATASETS)} data sets")


def quick_igpa(**options):
    igpa(3, 3, 11, 3, **options)


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.igpa")
    parser.add_argument("--quick", action="store_true", help="3 runs of 11 trees")
    parser.add_argument("--rule", choices=RULES, default="min", help="how CART is pruned")
    parser.add_argument("settings", nargs="*", help="parameters of IGPA: labels=renewed n_folds=3")
    given = parser.parse_args()
    settings = dict(one.split("=", 1) for one in given.settings)
    parameters = {name: _value(word) for name, word in settings.items()}
    (quick_igpa if given.quick else igpa)(rule=given.rule, **parameters)


def _value(word):
    try:
        return ast.literal_eval(word)
    except (SyntaxError, ValueError):
        return word


if __name__ == "__main__":
    main()
