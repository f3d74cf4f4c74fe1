"""The tables of the paper on IGPA."""

from dataclasses import replace
from typing import Any

import numpy as np

from spinney._reproduce._cells import SAME, Cell, Finding, Measured
from spinney._reproduce._igpa_runs import DATASETS, METHODS, n_trees, table
from spinney._reproduce._parts import Claim, Floats, Options, Results, Table
from spinney._reproduce._published import published
from spinney.compare import paired_t

__all__ = [
    "TRAINING_SIZES",
    "table_1",
    "table_2",
    "table_3",
    "table_4",
    "table_5",
    "table_of_rules",
]

TRAINING_SIZES = [row["train"] for row in published("igpa_table4_training_size")]
_PAPER_RUNS, _PAPER_SIZE_RUNS = 50, 10
_USED = "cart min"  # the rule of pruning in Tables II to IV
_FINE = "breast_cancer_wisconsin"  # printed with two decimals


def table_1(results: Results, options: Options) -> Table:
    """Return the sizes of the data sets."""
    cells = []
    for name, row in DATASETS.items():
        if name == "waveform":  # drawn as needed
            facts = {"train": row["train"], "test": row["test"], "classes": 3, "attributes": 21}
        else:
            X, y = table(name)
            facts = {"train": row["train"], "test": len(y) - row["train"]}
            facts |= {"classes": len(np.unique(y)), "attributes": X.shape[1]}
        for column, ours in facts.items():
            measured = Measured(float(ours), 0.0, 1)
            cells.append(Cell(name, column, measured, row[column], digits=0, exact=True))
    return Table(tuple(cells))


def table_2(results: Results, options: Options) -> Table:
    """Return the errors of single trees."""
    return Table(tuple(_single_trees(results, _USED)))


def table_3(results: Results, options: Options) -> Table:
    """Return the errors of ensembles."""
    return Table(tuple(_ensembles(results, options, _USED)), claims=(_iterations(results),))


def table_4(results: Results, options: Options) -> Table:
    """Return the errors and leaves by the number of training rows."""
    return Table(tuple(_training_sizes(results, options, _USED)))


def table_5(results: Results, options: Options) -> Table:
    """Return the times."""
    printed = {row["method"]: row["seconds"] for row in published("igpa_table5_seconds")}
    times = {name: results.values(f"{name}_seconds", "seconds") for name in printed}
    cells = [
        Cell("seconds", label, Measured.of(times[name]), printed[name], digits=3, judged=False)
        for name, label in (("cart_bagging", "bagging"), ("igpa_ensemble", "IGPA"))
    ]
    ratio = times["cart_bagging"] / times["igpa_ensemble"]
    theirs = printed["cart_bagging"] / printed["igpa_ensemble"]
    claim = Claim(
        "An IGPA ensemble is built faster than bagged CART",
        f"{theirs:.1f} times",
        f"{ratio.mean():.1f} times",
        bool(ratio.min() > 1.0),
    )
    return Table(tuple(cells), claims=(claim,))


def table_of_rules(results: Results, options: Options) -> Table:
    """Return CART, alone and bagged, under both rules."""
    cells = []
    for row in published("igpa_table2_single_trees"):
        for method in METHODS[1:]:
            errors = results.values("error", "tree", row["dataset"], method)
            cells.append(_error(f"{row['dataset']}, tree", method, errors, row, "cart"))
    for row in published("igpa_table3_ensembles"):
        name, size = row["dataset"], row["n_trees"]
        if size > n_trees(options):
            continue
        for method in METHODS[1:]:
            errors = results.values(f"error_{size}", "forest", name, method)
            cells.append(_error(f"{name}, {size}", method, errors, row, "cart_bagging"))
    for row in published("igpa_table4_training_size"):
        for method in METHODS[1:]:
            key = (f"rows {row['train']}", "waveform", method)
            label = f"{row['train']} rows of waveform"
            errors = results.values(f"error_{n_trees(options)}", *key)
            given = _error(label, method, errors, row, "cart_bagging", _PAPER_SIZE_RUNS)
            leaves = Measured.of(results.values("leaves", *key))
            cells += [given, Cell(f"{label}, leaves", method, leaves, row["cart_bagging_leaves"])]
    notes = (_distances(cells), _same_findings(results, options))
    return Table(tuple(replace(cell, judged=False) for cell in cells), notes=notes)


# -- Cells


def _single_trees(results: Results, method: str) -> list[Cell | Finding]:
    cells = []
    for row in published("igpa_table2_single_trees"):
        name = row["dataset"]
        cart, igpa = (results.values("error", "tree", name, m) for m in (method, "igpa"))
        cells += _pair(name, cart, igpa, row, "cart", "CART", _PAPER_RUNS)
    return cells


def _ensembles(results: Results, options: Options, method: str) -> list[Cell | Finding]:
    """Return a row for each size; as in the paper, single IGPA trees are ensembles of one."""
    cells = []
    for row in published("igpa_table3_ensembles"):
        name, size = row["dataset"], row["n_trees"]
        if size > n_trees(options):
            continue
        cart = results.values(f"error_{size}", "forest", name, method)
        igpa = (
            results.values("error", "tree", name, "igpa")
            if size == 1
            else results.values(f"error_{size}", "forest", name, "igpa")
        )
        label = f"{name}, {size}"
        cells += _pair(label, cart, igpa, row, "cart_bagging", "bagging", _PAPER_RUNS)
    return cells


def _training_sizes(results: Results, options: Options, method: str) -> list[Cell | Finding]:
    cells: list[Cell | Finding] = []
    for row in published("igpa_table4_training_size"):
        key, label = (f"rows {row['train']}", "waveform"), str(row["train"])
        last = f"error_{n_trees(options)}"
        cart, igpa = (results.values(last, *key, m) for m in (method, "igpa"))
        cells += _pair(label, cart, igpa, row, "cart_bagging", "bagging", _PAPER_SIZE_RUNS)
        for who, own in (("bagging", method), ("IGPA", "igpa")):
            leaves = Measured.of(results.values("leaves", *key, own))
            printed = row["cart_bagging_leaves" if who == "bagging" else "igpa_leaves"]
            cells.append(Cell(label, f"{who}, leaves", leaves, printed))
    return cells


def _pair(
    label: str,
    cart: Floats,
    igpa: Floats,
    row: dict[str, Any],
    prefix: str,
    head: str,
    paper_runs: int,
) -> list[Cell | Finding]:
    """Return the errors of both methods and the test between them."""
    printed = row[f"{prefix}_error"] - row["igpa_error"]
    return [
        _error(label, head, cart, row, prefix, paper_runs),
        _error(label, "IGPA", igpa, row, "igpa", paper_runs),
        Finding(
            label,
            "paired t, p",
            paired_t(cart, igpa).p_value if len(cart) > 1 else float("nan"),
            row["paired_t_p"],
            float(np.mean(cart - igpa)),
            printed,
        ),
    ]


def _error(
    label: str,
    column: str,
    errors: Floats,
    row: dict[str, Any],
    prefix: str,
    paper_runs: int = _PAPER_RUNS,
) -> Cell:
    return Cell(
        label,
        column,
        Measured.of(errors),
        row[f"{prefix}_error"],
        row[f"{prefix}_sd"],
        paper_runs,
        good="less",
        digits=2 if row.get("dataset") == _FINE else 1,
    )


def _iterations(results: Results) -> Claim:
    def of_all(name: str) -> Floats:
        return np.concatenate([results.values(name, "forest", one, "igpa") for one in DATASETS])

    counts = {i: of_all(f"iterations_{i}").sum() for i in ("2", "3", "4", "5", "more")}
    total = sum(counts.values())
    shares = {i: 100.0 * count / total for i, count in counts.items()}
    few = shares["2"] + shares["3"] + shares["4"]
    return Claim(
        "Trees settle after 2 or 3 iterations, at most 4",
        "all",
        f"{shares['2'] + shares['3']:.1f} % after 2 or 3, {few:.2f} % after at most 4, the rest "
        f"after at most {of_all('most_iterations').max():.0f}",
        bool(counts["5"] + counts["more"] == 0),
    )


def _distances(cells: list[Cell]) -> str:
    words = []
    for method in METHODS[1:]:
        z = [c.z for c in cells if c.column == method and not c.row.endswith("leaves")]
        words.append(f"{np.sqrt(np.mean(np.square(z))):.1f} by *{method}*")
    return f"Root mean square of the distances of errors: {' and '.join(words)}."


def _same_findings(results: Results, options: Options) -> str:
    words = []
    for method in METHODS[1:]:
        cells = _single_trees(results, method) + _ensembles(results, options, method)
        cells += _training_sizes(results, options, method)
        verdicts = [cell.verdict for cell in cells if isinstance(cell, Finding)]
        words.append(f"{verdicts.count(SAME)} of {len(verdicts)} by *{method}*")
    return f"Tests of Tables II to IV with the same finding as the paper's: {', '.join(words)}."
