"""The tables of an experiment. Errors of classifiers are shown in percent."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spinney.compare._tables import Cell, Spread, Table

if TYPE_CHECKING:
    from spinney.compare._results import Results

__all__ = [
    "dataset_table",
    "pair_table",
    "rank_table",
    "score_table",
    "size_table",
    "time_table",
]

Floats = NDArray[np.float64]


def score_table(results: "Results", measure: str) -> Table:
    """Mean and standard deviation of each method on each data set, and the mean over sets."""
    unit = _unit(measure)
    means, spreads = unit * results.mean(measure), unit * results.sd(measure)
    rows: list[list[Cell]] = [
        [
            name,
            *(Spread(*pair) for pair in zip(means[d].tolist(), spreads[d].tolist(), strict=True)),
        ]
        for d, name in enumerate(results.datasets)
    ]
    best = {(d, 1 + m) for d, m in _best(results, measure)}
    if len(rows) > 1:
        rows.append(["mean", *means.mean(axis=0).tolist()])
    columns = ["data set", *results.methods]
    title = f"Mean {_label(measure)} ± standard deviation over {_partitions(results)}"
    return Table(title, columns, rows, _digits(measure, results.methods), best)


def rank_table(results: "Results", measure: str) -> Table:
    """Rank of each method on each data set, and the mean over sets."""
    rows: list[list[Cell]] = [
        [name, *ranks.tolist()]
        for name, ranks in zip(results.datasets, results.ranks(measure), strict=True)
    ]
    mean_ranks = results.mean_ranks(measure)
    rows.append(["mean rank", *mean_ranks.tolist()])
    best = {(len(rows) - 1, 1 + m) for m in np.flatnonzero(mean_ranks == mean_ranks.min()).tolist()}
    columns = ["data set", *results.methods]
    digits = dict.fromkeys(results.methods, 2)
    return Table(f"Ranks by mean {_label(measure)}: 1 is the best", columns, rows, digits, best)


def size_table(results: "Results", measure: str) -> Table:
    """Mean leaves, nodes and members of each method on each data set."""
    return _facts_table(
        results,
        "Sizes: means of all trees that vote",
        {"leaves": "n_leaves", "nodes": "n_nodes", "members": "n_members"},
        1,
    )


def time_table(results: "Results", measure: str) -> Table:
    """Mean seconds to fit and to predict."""
    return _facts_table(
        results,
        "Seconds: means of one fit, and of one prediction of all test rows",
        {"fit": "fit_seconds", "predict": "predict_seconds"},
        4,
    )


def _facts_table(results: "Results", title: str, facts: dict[str, str], digits: int) -> Table:
    means = {word: results.mean(name) for word, name in facts.items() if name in results.measures}
    rows: list[list[Cell]] = [
        [dataset, method, *(float(each[d, m]) for each in means.values())]
        for d, dataset in enumerate(results.datasets)
        for m, method in enumerate(results.methods)
    ]
    return Table(title, ["data set", "method", *means], rows, dict.fromkeys(means, digits))


def pair_table(results: "Results", measure: str) -> Table:
    """Wins, draws and losses of each pair of methods, and Wilcoxon's test over the data sets."""
    counts = results.win_draw_loss(measure)
    columns = ["method", "against", "wins", "draws", "losses"]
    many = len(results.datasets) > 1
    rows: list[list[Cell]] = []
    for i, a in enumerate(results.methods):
        for j, b in enumerate(results.methods[i + 1 :], start=i + 1):
            row: list[Cell] = [a, b, *counts[i, j].tolist()]
            if many:
                row.append(results.compare(a, b, test="wilcoxon", measure=measure).p_value)
            rows.append(row)
    columns += ["Wilcoxon p"] if many else []
    title = f"Pairs of methods by mean {_label(measure)} on {len(results.datasets)} data sets"
    return Table(title, columns, rows, {"Wilcoxon p": 4})


def dataset_table(results: "Results", dataset: str, measure: str) -> Table:
    """Methods on one data set, the best first, each tested against the best."""
    d = results.datasets.index(dataset)
    unit = _unit(measure)
    means, spreads = results.mean(measure)[d], results.sd(measure)[d]
    sign = -1.0 if measure in results.higher_is_better else 1.0
    order = np.argsort(sign * means, kind="stable").tolist()
    facts = {
        "leaves": "n_leaves",
        "members": "n_members",
        "fit s": "fit_seconds",
        "predict s": "predict_seconds",
    }
    kept = {word: results.mean(name)[d] for word, name in facts.items() if name in results.measures}
    tested = results.is_honest and results.values(measure).shape[2] > 1
    name = _label(measure)
    rows: list[list[Cell]] = []
    for m in order:
        row: list[Cell] = [results.methods[m], Spread(unit * means[m], unit * spreads[m])]
        if tested:
            row.append(_p_against(results, results.methods[order[0]], m, dataset, measure))
        rows.append([*row, *(float(each[m]) for each in kept.values())])
    columns = ["method", name, *(["p"] if tested else []), *kept]
    digits = {**_digits(measure, [name]), "p": 4, "leaves": 1, "members": 1}
    digits |= {"fit s": 3, "predict s": 4}
    title = f"{dataset}: {_partitions(results)}"
    if tested:
        title += "; p is of the corrected t-test against the first"
    best = {(i, 1) for i, m in enumerate(order) if means[m] == means[order[0]]}
    return Table(title, columns, rows, digits, best)


def _p_against(results: "Results", best: str, m: int, dataset: str, measure: str) -> float | None:
    method = results.methods[m]
    if method == best:
        return None
    return results.compare(best, method, dataset, measure=measure).p_value


def _best(results: "Results", measure: str) -> list[tuple[int, int]]:
    means = results.mean(measure)
    least = (-means if measure in results.higher_is_better else means).copy()
    least[np.isnan(least)] = np.inf
    found: list[tuple[int, int]] = []
    for d in range(len(least)):
        found += [(d, m) for m in np.flatnonzero(least[d] == least[d].min()).tolist()]
    return found


def _unit(measure: str) -> float:
    return 100.0 if _is_share(measure) else 1.0


def _is_share(measure: str) -> bool:
    return measure == "error" or measure.startswith("error_at_")


def _label(measure: str) -> str:
    return f"{measure} in %" if _is_share(measure) else measure


def _digits(measure: str, columns: list[str]) -> dict[str, int]:
    return dict.fromkeys(columns, 2) if _is_share(measure) else {}


def _partitions(results: "Results") -> str:
    n = results.values().shape[2]
    return f"{n} partition{'' if n == 1 else 's'}"
