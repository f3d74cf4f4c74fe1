"""Problems of a textbook's chapters on trees and on ensembles, answered by measuring."""

from collections.abc import Callable, Iterator

import numpy as np

from spinney._reproduce._cells import Cell, Measured
from spinney._reproduce._chapters_runs import N_FOLDS, PROBLEMS, work_of
from spinney._reproduce._parts import Floats, Key, Options, Paper, Part, Results, Table
from spinney.compare import corrected_t

__all__ = ["PAPER"]

_REPEATS = 10
_LEVEL = 0.05
DATASETS = {
    "12.5": (
        "party",
        "car_evaluation",
        "lymphography",
        "balance_scale",
        "breast_cancer_wisconsin",
        "mushroom",
    ),
    "12.6": ("cpu_performance",),
    "13.5": ("breast_cancer_wisconsin",),
    "13.8": ("car_evaluation",),
}
_TITLES = {
    "12.5": "naive Bayes beside trees, error in %",
    "12.6": "the CPU data by regression trees",
    "13.5": "breast cancer by stumps, trees, boosted and bagged, error in %",
    "13.8": "cars by boosting and by a random forest, error in %",
}
# What is compared: the first is asked whether it errs less than the second.
_QUESTIONS = {
    "12.5": (("C4.5", "naive Bayes"),),
    "12.6": (
        ("tree, pruned", "linear regression"),
        ("random forest", "tree, pruned"),
        ("bagged trees", "random forest"),
    ),
    "13.5": (
        ("tree, pruned", "stump"),
        ("bagged stumps", "stump"),
        ("boosted stumps", "tree, pruned"),
        ("bagged trees", "tree, pruned"),
        ("boosted trees of depth 3", "bagged trees"),
        ("random forest", "boosted trees of depth 3"),
    ),
    "13.8": (
        ("boosted trees of depth 5, by samples", "tree"),
        ("boosted trees of depth 5, by samples", "random forest"),
        ("boosted trees of depth 5, by samples", "random forest, 4 columns a node"),
    ),
}


def _units(problem: str) -> Callable[[Options], Iterator[Key]]:
    def units(options: Options) -> Iterator[Key]:
        for dataset in DATASETS[problem]:
            for method in PROBLEMS[problem]:
                for repeat in range(options.n_runs(_REPEATS)):
                    yield (problem, dataset, method, repeat)

    return units


def _folds(results: Results, problem: str, dataset: str, method: str) -> Floats:
    """Return the losses, of shape (n_repeats, n_folds)."""
    return np.column_stack(
        [results.values(f"loss_{fold}", problem, dataset, method) for fold in range(N_FOLDS)]
    )


def _make(problem: str) -> Callable[[Results, Options], Table]:
    def make(results: Results, options: Options) -> Table:
        cells: list[Cell] = []
        answers: list[str] = []
        for dataset in DATASETS[problem]:
            found = {m: _folds(results, problem, dataset, m) for m in PROBLEMS[problem]}
            if problem == "12.6":
                cells += _squared(found)
            else:
                cells += [
                    Cell(method, dataset, Measured.of(losses.mean(axis=1)), None)
                    for method, losses in found.items()
                ]
            for first, second in _QUESTIONS[problem]:
                answers.append(_answer(dataset, first, second, found[first], found[second]))
        return Table(tuple(cells), notes=("\n".join(answers),))

    return make


def _squared(found: dict[str, Floats]) -> list[Cell]:
    """Return the root of the mean squared error, and the share of the variance explained."""
    base, cells = found["mean"].mean(axis=1), []
    for method, losses in found.items():
        mean = losses.mean(axis=1)
        cells.append(Cell(method, "root mean squared error", Measured.of(np.sqrt(mean)), None))
        cells.append(Cell(method, "R squared", Measured.of(1.0 - mean / base), None))
    return cells


def _answer(dataset: str, first: str, second: str, ours: Floats, others: Floats) -> str:
    """Tell which of two methods errs less."""
    test = corrected_t(ours.ravel(), others.ravel(), 1.0 / (N_FOLDS - 1))
    p = test.p_value
    if p >= _LEVEL:
        return f"- {dataset}: no difference shown between {first} and {second} (p = {p:.2g})."
    words = "errs less" if test.difference < 0.0 else "errs more"
    return f"- {dataset}: {first} {words} than {second} (p = {p:.2g})."


PAPER = Paper(
    name="chapters",
    title="Problems of two textbook chapters",
    source=(
        "From a textbook's chapters on trees (12.5, 12.6) and on ensembles (13.5, 13.8). They ask "
        "for a comparison and print no figures, so there is nothing to judge ours by."
    ),
    setting=(
        "Ten-fold cross-validation, repeated ten times with the same folds for every method; "
        "deviations are those over the repetitions. Ensembles have 100 members. Differences are "
        "tested by the corrected t-test of Nadeau and Bengio.",
        "For 12.5 all columns are taken as categories, and a gap as one more. For 12.6 the name "
        "of the vendor is left out.",
    ),
    parts=tuple(
        Part("table", problem, _TITLES[problem], _units(problem), _make(problem))
        for problem in PROBLEMS
    ),
    work=work_of,
)
