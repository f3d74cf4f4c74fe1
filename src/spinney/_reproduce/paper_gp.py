"""Suchy and Kubalik: diverse forests of trees whose tests are evolved.

A unit is `(what, dataset, method, run)`: one fold of "table" on a data set, or of "figure" on drawn
points. Run r is fold r % n_folds of repetition r // n_folds, the same for every method.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from spinney import GPForestClassifier, GPTreeClassifier
from spinney._format import plural
from spinney._reproduce.paper import (
    Claim,
    Content,
    Key,
    Options,
    Paper,
    Part,
    Results,
    bundled,
    error_percent,
    no_units,
    published,
    seed_of,
    seeded,
)
from spinney._reproduce.runner import lines
from spinney._reproduce.verdicts import Cell, Measured
from spinney._typing import Floats
from spinney.compare import paired_t
from spinney.datasets import make_gaussian_mixture
from spinney.datasets._generators import best_rule
from spinney.ensemble import AdaBoostClassifier, BaggingClassifier
from spinney.plot._matplotlib import INK, class_colours, mix
from spinney.plot._matplotlib import PAPER as WHITE
from spinney.tree import C45Classifier

DATASETS = {
    "pima": "pima_indians_diabetes",
    "heart": "heart_disease",
    "breast_cancer_wisconsin": "breast_cancer_wisconsin",
}
N_POINTS = 1000
TABLE_FOLDS, FIGURE_FOLDS = 10, 5
SIZES = (1, 3, 5, 11, 21)
_TABLE_REPEATS, _FIGURE_REPEATS = 6, 10
_SMALL = 5  # trees: forests that the paper would call small
_SHOWN = 3  # trees of a forest in Figure 5
_LEVEL = 0.05
_JUDGED = ("GP single tree", "GP forest of 11 trees")
_QUICK = {"population_size": 50, "generations": 5}


def sizes(options: Options) -> tuple[int, ...]:
    """Return the numbers of trees in the figure."""
    return SIZES[:3] if options.quick else SIZES


def table_methods(**parameters: Any) -> dict[str, Any]:
    """Return what Table 3 compares, by the names that it prints."""
    return {
        "GP single tree": GPTreeClassifier(**parameters),
        "GP forest of 11 trees": GPForestClassifier(11, **parameters),
        "C4.5": C45Classifier(),
        "C4.5 + AdaBoost.M2": AdaBoostClassifier(C45Classifier()),
    }


def figure_methods(n_trees: int, **parameters: Any) -> dict[str, Any]:
    """Return the four ways to make a forest, by name."""
    tree = GPTreeClassifier(**parameters)
    return {
        "plain gain": GPForestClassifier(n_trees, diversity=None, **parameters),
        "bagging": BaggingClassifier(tree, n_trees),
        "AdaBoost.M1": AdaBoostClassifier(tree, n_trees, algorithm="M1"),
        "diverse roots": GPForestClassifier(n_trees, diversity="roots", **parameters),
    }


def search(options: Options) -> dict[str, Any]:
    """Return the parameters of the search for tests."""
    return _QUICK if options.quick else {}


def _work_of(options: Options) -> Any:
    return partial(_work, search(options), sizes(options), options.seed)


def _work(
    parameters: dict[str, Any], asked: tuple[int, ...], seed: int, key: Key
) -> dict[str, Any]:
    what, dataset, method, run = str(key[0]), str(key[1]), str(key[2]), int(key[3])
    if what == "table":
        return _table_fold(table_methods(**parameters)[method], dataset, seed, run)
    model = figure_methods(max(asked), **parameters)[method]
    return _figure_fold(model, asked, seed, run)


def _table_fold(model: Any, dataset: str, seed: int, run: int) -> dict[str, float]:
    rows = bundled(DATASETS[dataset])
    number = seed_of(seed, run)
    folds = StratifiedKFold(TABLE_FOLDS, shuffle=True, random_state=number // TABLE_FOLDS)
    train, test = list(folds.split(rows.y, rows.y))[run % TABLE_FOLDS]
    part, other = rows.take(train), rows.take(test)
    guess = seeded(model, number).fit(part.X, part.y).predict(other.X)
    return {"error": error_percent(guess, other.y)}


def _figure_fold(model: Any, asked: tuple[int, ...], seed: int, run: int) -> dict[str, float]:
    """Return the accuracies; each repetition draws its own points."""
    number = seed_of(seed, run)
    repeat = number // FIGURE_FOLDS
    X, y = make_gaussian_mixture(N_POINTS, random_state=repeat)
    folds = StratifiedKFold(FIGURE_FOLDS, shuffle=True, random_state=repeat)
    train, test = list(folds.split(X, y))[run % FIGURE_FOLDS]
    model.set_params(random_state=number).fit(X[train], y[train])
    stages = [float(np.mean(guess == y[test])) for guess in model.staged_predict(X[test])]
    # Boosting may end early: then the larger forests are the last one.
    return {f"accuracy_{n}": 100.0 * stages[min(n, len(stages)) - 1] for n in asked}


# -- Tables


def _folds(options: Options) -> Iterator[Key]:
    n_repeats = options.n_runs(_TABLE_REPEATS, quick=1)
    for dataset in DATASETS:
        for method in table_methods():
            for run in range(3 if options.quick else n_repeats * TABLE_FOLDS):
                yield ("table", dataset, method, run)


def _points(options: Options) -> Iterator[Key]:
    n_repeats = options.n_runs(_FIGURE_REPEATS, quick=2)
    for method in figure_methods(1):
        for run in range(n_repeats * FIGURE_FOLDS):
            yield ("figure", "points", method, run)


def _table_2(results: Results, options: Options) -> Content:
    cells = []
    for row in published("gp_table2_datasets"):
        rows = bundled(DATASETS[row["dataset"]])
        shares = np.unique(rows.y, return_counts=True)[1] / len(rows.y)
        first, second = (float(share) for share in row["class_distribution"].split("/"))
        facts = {
            "examples": (len(rows.y), row["examples"]),
            "attributes": (len(rows.X), row["attributes"]),
            "classes": (len(shares), row["classes"]),
            "first class, %": (100.0 * shares[0], first),
            "second class, %": (100.0 * shares[1], second),
        }
        for column, (ours, printed) in facts.items():
            cells.append(Cell.fact(row["dataset"], column, ours, printed))
    return Content(
        cells,
        notes=(
            "The paper counts the number of the sample as an attribute of breast cancer. Of its "
            "patients 65.5 % are benign, and of those of heart 44.7 % healthy.",
        ),
    )


def _table_3(results: Results, options: Options) -> Content:
    cells = []
    for row in published("gp_table3_errors"):
        method = row["algorithm"]
        if method not in table_methods():
            continue
        for dataset in DATASETS:
            errors = Measured.of(results.values("error", "table", dataset, method))
            judged = method in _JUDGED
            cells.append(
                Cell(method, dataset, errors, row[dataset], good="less", digits=1, judged=judged)
            )
    return Content(
        cells,
        notes=(
            "The paper gives no deviations: the distance is in our standard errors over the folds. "
            "Its figures of C4.5 and of boosted C4.5 (AdaBoost.M2, ours SAMME) are others', of "
            "other partitions; they are shown, not judged.",
        ),
    )


# -- Figures


def _points_figure(results: Results, options: Options) -> Content:
    attainable = _attainable()

    def draw(axes: Any) -> None:
        X, y = make_gaussian_mixture(N_POINTS, random_state=options.seed)
        _scatter(axes, X, y)

    cell = Cell("best rule, accuracy in %", "here", Measured(attainable, 0.0, 1), 95.0, digits=0)
    return Content(draw=draw, size=(4.5, 4.5), cells=(cell,))


def _accuracy_figure(results: Results, options: Options) -> Content:
    asked = sizes(options)
    means = {
        name: np.column_stack([_by_repetition(results, name, size) for size in asked])
        for name in figure_methods(1)
    }

    def draw(axes: Any) -> None:
        lines(axes, asked, means)
        axes.axhline(_attainable(), color="grey", linewidth=0.8, label="best rule")
        axes.set_xscale("log")
        axes.set_xticks(asked, [str(size) for size in asked])
        axes.minorticks_off()
        axes.set_xlabel("trees")
        axes.set_ylabel("accuracy in %")
        axes.legend()

    cells = tuple(
        Cell(name, plural(size, "tree"), Measured.of(own[:, i]), None)
        for name, own in means.items()
        for i, size in enumerate(asked)
    )
    words = (
        "Shades in the picture are standard errors over the repetitions, each with its own points."
    )
    return Content(draw=draw, cells=cells, notes=(words,), claims=_claims(asked, means))


def _forests_figure(results: Results, options: Options) -> Content:
    X, y = make_gaussian_mixture(N_POINTS, random_state=options.seed)
    methods = figure_methods(_SHOWN, **search(options))
    chosen = {name: methods[name] for name in ("diverse roots", "plain gain")}
    for model in chosen.values():
        model.set_params(random_state=options.seed).fit(X, y)

    def draw(axes: Any) -> None:
        for row, (name, model) in zip(axes.T, chosen.items(), strict=True):
            for i, (one, place) in enumerate(zip(model.forest_, row, strict=True)):
                _regions(place, X, y, model.estimators_[i], one)
                place.set_title(f"{name}, tree {i + 1}", fontsize=9)

    words = "Colours are the answers of a tree, the black line is the test of its root."
    return Content(draw=draw, size=(6.0, 9.0), n_axes=2, n_rows=_SHOWN, notes=(words,))


def _attainable(n_points: int = 200_000) -> float:
    """Return the share of points for which the best rule is right, in %."""
    X, y = make_gaussian_mixture(n_points, random_state=0)
    return 100.0 * float(np.mean(best_rule(X) == y))


def _by_repetition(results: Results, name: str, size: int) -> Floats:
    """Return the mean accuracy of each repetition, which has points of its own."""
    folds = results.values(f"accuracy_{size}", "figure", "points", name)
    return np.asarray(folds.reshape(-1, FIGURE_FOLDS).mean(axis=1))


def _claims(asked: tuple[int, ...], means: dict[str, Floats]) -> tuple[Claim, ...]:
    last = len(asked) - 1
    small = max(i for i, size in enumerate(asked) if size <= _SMALL)
    diverse, boosted = means["diverse roots"], means["AdaBoost.M1"]
    bagged, plain = means["bagging"], means["plain gain"]
    few, most = f"{asked[1]} to {asked[small]} trees", f"{asked[last]} trees"
    lead = diverse - bagged
    return (
        _beats(f"Diverse roots beat plain gain at {asked[1]} to {most}", diverse, plain, 1, last),
        _beats(f"They beat bagging at {few}", diverse, bagged, 1, small),
        _greater(
            f"Their lead over bagging is less at {most} than at {few}",
            lead[:, 1 : small + 1].mean(axis=1),
            lead[:, last],
        ),
        _beats(f"They beat AdaBoost at {most}", diverse, boosted, last, last),
        _greater(
            f"AdaBoost is worse at {most} than at {asked[small]}",
            boosted[:, small],
            boosted[:, last],
        ),
    )


def _beats(text: str, ours: Floats, others: Floats, first: int, last: int) -> Claim:
    places = range(first, last + 1)
    p = max(_chance(ours[:, i], others[:, i]) for i in places)
    by = np.mean([ours[:, i] - others[:, i] for i in places])
    return Claim(text, "yes", f"by {by:+.2f}, p <= {p:.2g}", p < _LEVEL)


def _greater(text: str, ours: Floats, others: Floats) -> Claim:
    p = _chance(ours, others)
    return Claim(text, "yes", f"by {np.mean(ours - others):+.2f}, p = {p:.2g}", p < _LEVEL)


def _chance(ours: Floats, others: Floats) -> float:
    """Return the one-sided p value of the paired t-test over repetitions."""
    if len(ours) < 2:
        return 1.0
    test = paired_t(ours, others)
    return test.p_value / 2.0 if test.difference > 0.0 else 1.0 - test.p_value / 2.0


def _scatter(axes: Any, X: Floats, y: Any) -> None:
    for label, (colour, mark) in enumerate(zip(class_colours(3), "o^s", strict=True)):
        own = y == label
        axes.plot(X[own, 0], X[own, 1], mark, color=colour, markersize=2.5, alpha=0.7)
    axes.set_xlabel("x")
    axes.set_ylabel("y")


def _regions(axes: Any, X: Floats, y: Any, member: Any, tree: Any) -> None:
    """Draw what a tree answers, and its root test as a black line."""
    low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
    columns = [np.linspace(low[i], high[i], 150) for i in range(2)]
    across, up = np.meshgrid(*columns)
    points = np.column_stack([across.ravel(), up.ravel()])
    answers = member.predict(points).astype(float).reshape(across.shape)
    extent = (low[0], high[0], low[1], high[1])
    pale = [mix(colour, WHITE, 0.7) for colour in class_colours(3)]
    axes.imshow(_painted(answers, pale), extent=extent, origin="lower", aspect="auto")
    _scatter(axes, X, y)
    root = tree.prune_at([child.id for child in tree.root.children])
    side = np.asarray(root.apply(points)).reshape(across.shape)
    axes.contour(across, up, side == side.min(), [0.5], colors=INK, linewidths=2.0)


def _painted(answers: Floats, colours: list[str]) -> NDArray[np.uint8]:
    """Return a picture with a colour for each answer."""
    shades = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in colours]
    return np.array(shades, dtype=np.uint8)[answers.astype(np.int64)]


PAPER = Paper(
    name="gp",
    title="Inducing diverse decision forests with genetic programming",
    source=(
        "J. Suchy and J. Kubalik: trees whose tests are evolved, typed expressions, and forests in "
        "which each root is to learn what the roots before it left."
    ),
    setting=(
        "As in the paper: 500 expressions of at most 12 symbols, 100 generations a test; a node is "
        "a leaf below 0.65 bits or 5 % of the rows. Table 3 is of six ten-fold cross-validations, "
        "Figure 4 of ten five-fold ones. The points of the figures are drawn from a mixture of "
        "our own, as the paper gives no parameters of its: three classes of two Gaussian parts "
        "each, of which the best rule gets 95 % right.",
    ),
    parts=(
        Part("table", "2", "data sets", no_units, _table_2),
        Part("table", "3", "error in %", _folds, _table_3),
        Part("figure", "3", "points of three classes", no_units, _points_figure),
        Part("figure", "4", "accuracy and number of trees", _points, _accuracy_figure),
        Part("figure", "5", "three trees of two forests", no_units, _forests_figure),
    ),
    work=_work_of,
)
