"""Suchy and Kubalik: diverse forests of trees whose tests are evolved."""

from collections.abc import Iterator

import numpy as np

from spinney._reproduce._cells import Cell, Measured
from spinney._reproduce._gp_figures import accuracy_drawing, forests_drawing, points_drawing
from spinney._reproduce._gp_runs import (
    DATASETS,
    FIGURE_FOLDS,
    TABLE_FOLDS,
    figure_methods,
    table_methods,
    work_of,
)
from spinney._reproduce._parts import Key, Options, Paper, Part, Results, Table
from spinney._reproduce._published import published
from spinney._reproduce._tables import bundled

__all__ = ["PAPER"]

_TABLE_REPEATS, _FIGURE_REPEATS = 6, 10
_JUDGED = ("GP single tree", "GP forest of 11 trees")


def _no_units(options: Options) -> Iterator[Key]:
    yield from ()


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


def _table_2(results: Results, options: Options) -> Table:
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
            measured = Measured(float(ours), 0.0, 1)
            cells.append(Cell(row["dataset"], column, measured, printed, digits=0, exact=True))
    return Table(
        tuple(cells),
        notes=(
            "The paper counts the number of the sample as an attribute of breast cancer. Of its "
            "patients 65.5 % are benign, and of those of heart 44.7 % healthy.",
        ),
    )


def _table_3(results: Results, options: Options) -> Table:
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
    return Table(
        tuple(cells),
        notes=(
            "The paper gives no deviations: the distance is in our standard errors over the folds. "
            "Its figures of C4.5 and of boosted C4.5 (AdaBoost.M2, ours SAMME) are others', of "
            "other partitions; they are shown, not judged.",
        ),
    )


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
        Part("table", "2", "data sets", _no_units, _table_2),
        Part("table", "3", "error in %", _folds, _table_3),
        Part("figure", "3", "points of three classes", _no_units, points_drawing),
        Part("figure", "4", "accuracy and number of trees", _points, accuracy_drawing),
        Part("figure", "5", "three trees of two forests", _no_units, forests_drawing),
    ),
    work=work_of,
)
