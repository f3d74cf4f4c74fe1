"""Azam, Berzal and Pfeiffer: bagging with the members up to the mode of their errors."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from spinney._reproduce._cells import Cell, Measured
from spinney._reproduce._mode_runs import CRITERIA, DATASETS, METHODS, RULES, STATED, read, work_of
from spinney._reproduce._mode_tests import claims, kept_tests
from spinney._reproduce._parts import Floats, Key, Options, Paper, Part, Results, Table
from spinney._reproduce._published import published

__all__ = ["PAPER"]

_RUNS = 50
_ERRORS = {(row["criterion"], row["dataset"]): row for row in published("mode_tables3to6_errors")}
_KEPT = {row["dataset"]: row for row in published("mode_table2_percent_kept")}


# -- Units


def _facts(options: Options) -> Iterator[Key]:
    yield from ()


def _runs(*criteria: str) -> Callable[[Options], Iterator[Key]]:
    def units(options: Options) -> Iterator[Key]:
        for dataset in DATASETS:
            for criterion in criteria:
                for run in range(options.n_runs(_RUNS)):
                    yield ("runs", dataset, criterion, run)

    return units


def _rules(options: Options) -> Iterator[Key]:
    for rule in _tried(options):
        for dataset in DATASETS:
            for criterion in CRITERIA:
                yield (rule, dataset, criterion, 0)


def _tried(options: Options) -> list[str]:
    return list(RULES)[: 2 if options.quick else None]


# -- Tables


def _table_1(results: Results, options: Options) -> Table:
    cells = []
    for row in published("mode_table1_datasets"):
        rows = read(row["dataset"])
        for column, ours in (
            ("size", len(rows.y)),
            ("predictors", len(rows.X)),
            ("classes", rows.n_classes),
        ):
            measured = Measured(float(ours), 0.0, 1)
            cells.append(Cell(row["dataset"], column, measured, row[column], digits=0, exact=True))
    return Table(tuple(cells))


def _table_2(results: Results, options: Options) -> Table:
    cells = []
    for dataset in DATASETS:
        for criterion in CRITERIA:
            kept = results.values("kept", "runs", dataset, criterion)
            paper = _KEPT[dataset][criterion] if dataset in _KEPT else None
            cells.append(Cell(dataset, criterion, Measured.of(kept), paper, paper_runs=1, digits=0))
    for criterion in CRITERIA:
        means = _mean_over_sets(results, "kept", criterion)
        printed = float(np.mean([row[criterion] for row in _KEPT.values()]))
        cells.append(Cell("mean", criterion, Measured.of(means), printed, paper_runs=1, digits=1))
    return Table(
        (*cells, *kept_tests(results)),
        notes=(
            "Members that stay, in % of 200. One run gives very different shares from the next, "
            "as the deviations show: the mode of 200 whole numbers is a shaky statistic.",
        ),
        claims=claims(results),
    )


def _error_table(criterion: str) -> Callable[[Results, Options], Table]:
    def make(results: Results, options: Options) -> Table:
        cells: list[Cell] = []
        for dataset in DATASETS:
            found = {
                name: results.values(name, "runs", dataset, criterion)
                for name in (*METHODS, *(f"honest_{name}" for name in METHODS))
            }
            cells += _error_cells(dataset, found, _ERRORS.get((criterion, dataset)))
        printed = [row for row in _ERRORS.values() if row["criterion"] == criterion]
        average = {
            name: np.mean([row[name] for row in printed])
            for name in ("mode_bagging", "trimmed_bagging", "bagging")
        }
        found = {
            name: _mean_over_sets(results, name, criterion)
            for name in (*METHODS, *(f"honest_{name}" for name in METHODS))
        }
        return Table((*cells, *_error_cells("average", found, average)))

    return make


def _error_cells(row: str, found: dict[str, Floats], printed: dict[str, Any] | None) -> list[Cell]:
    """Return the differences between methods, the errors, and the errors on rows left out."""
    paper = None
    if printed is not None:
        names = ("mode_bagging", "trimmed_bagging", "bagging")
        paper = dict(zip(METHODS, (printed[name] for name in names), strict=True))
    cells = []
    for method in METHODS[:2]:
        cells.append(
            Cell(
                row,
                f"{method} - bagging",
                Measured.of(found[method] - found["bagging"]),
                paper[method] - paper["bagging"] if paper else None,
                paper_runs=1,
                good="less",
            )
        )
    for method in METHODS:
        level = Measured.of(found[method])
        cells.append(Cell(row, method, level, paper[method] if paper else None, judged=False))
    for method in METHODS:
        cells.append(Cell(row, f"{method}, left out", Measured.of(found[f"honest_{method}"]), None))
    return cells


def _rule_table(results: Results, options: Options) -> Table:
    cells = []
    for rule in _tried(options):
        for column, value in _fit_of(rule, results).items():
            cells.append(Cell(rule, column, Measured(value, float("nan"), 1), None, digits=1))
    return Table(
        tuple(cells),
        notes=(
            "How far the error of bagging is from the printed one, in points: for each criterion "
            "the mean over ten data sets; then housing by itself, with the classes of `rad` and "
            "of `medv` in bins, over all criteria. *kept* is the mean share of members that the "
            "mode keeps over all data sets and criteria, one run each; the paper's is 56.0 %.",
        ),
    )


def _fit_of(rule: str, results: Results) -> dict[str, float]:
    """Return how far a rule is from the printed errors, and the share of members it keeps."""
    away = {
        (dataset, criterion): abs(
            results.values("error", rule, dataset, criterion)[0]
            - _ERRORS[criterion, _printed_name(dataset)]["bagging"]
        )
        for dataset in DATASETS
        for criterion in CRITERIA
    }
    ten = [dataset for dataset in DATASETS if not dataset.startswith("housing")]
    found = {c: float(np.mean([away[dataset, c] for dataset in ten])) for c in CRITERIA}
    for label, dataset in (("housing, rad", "housing"), ("housing, medv", "housing (medv)")):
        found[label] = float(np.mean([away[dataset, c] for c in CRITERIA]))
    kept = [results.values("kept", rule, dataset, c)[0] for dataset in _KEPT for c in CRITERIA]
    return {**found, "kept, %": float(np.mean(kept))}


def _printed_name(dataset: str) -> str:
    return "housing" if dataset.startswith("housing") else dataset


def _mean_over_sets(results: Results, name: str, criterion: str) -> Floats:
    """Return the mean over the eleven data sets, for each run."""
    found = [results.values(name, "runs", dataset, criterion) for dataset in _KEPT]
    return np.asarray(np.mean(found, axis=0))


PAPER = Paper(
    name="mode",
    title="Reducing the number of base classifiers in ensembles",
    source=(
        "M. Azam, F. Berzal and K. P. Pfeiffer: bagging, trimmed bagging, and bagging with the "
        "members that make at most the most common number of errors."
    ),
    setting=(
        "200 bootstrap samples of each data set; the three methods choose among the same trees. "
        "The paper counts errors over the rows of the data set itself, most of which a tree has "
        "seen, so its error rates are far too good. The columns *left out* tell the errors on rows "
        "outside a bootstrap sample on which the whole procedure, choice of members included, is "
        "trained.",
        "The paper does not tell when its trees stop, and no single rule gives all its errors (the "
        "last table). So the tables are judged by the differences between the methods, the shares "
        f"of members and the tests; the rule that comes nearest in these, *{STATED}*, is used. "
        "The paper's figures are of a single run: they are compared with the spread of our single "
        "runs. What its nine classes of housing are is not told either: here they are the values "
        "of `rad`, and, beside the paper's table, `medv` in bins of width 5.",
    ),
    parts=(
        Part("table", "1", "data sets", _facts, _table_1),
        Part("table", "2", "members that stay", _runs(*CRITERIA), _table_2),
        *(
            Part(
                "table",
                str(3 + i),
                f"errors, {criterion}",
                _runs(criterion),
                _error_table(criterion),
            )
            for i, criterion in enumerate(CRITERIA)
        ),
        Part("table", "rules", "when do its trees stop?", _rules, _rule_table),
    ),
    work=work_of,
)
