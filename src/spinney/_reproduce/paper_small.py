"""Small forests beside large ones: error by number of trees and of leaves, and tests over sets."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from spinney._reproduce.paper import Content, Key, Options, Paper, Part, Results
from spinney._reproduce.small_runs import (
    FOLDS,
    FOREST,
    IGPA,
    LARGER,
    LIGHTGBM,
    MODE,
    NUMBERS,
    SETS,
    SIZES,
    has_lightgbm,
    methods_of,
    small,
    work_of,
)
from spinney._reproduce.verdicts import Cell, Measured
from spinney._typing import Floats
from spinney.compare import friedman, nemenyi, wilcoxon
from spinney.compare._plots import plot_critical_difference
from spinney.compare._statistics import p_text
from spinney.plot._matplotlib import class_colours

_RUNS = 2 * FOLDS
_SHOWN = (FOREST, LIGHTGBM, IGPA, MODE, small(25), small(11))
_NAMES = {FOREST: "500 trees", LIGHTGBM: "LightGBM", IGPA: "IGPA", MODE: "mode"}
_STAGED = {FOREST: "random forest", IGPA: "IGPA forest"}
_NO_LIGHTGBM = "LightGBM is not installed, so it is left out. Install it: `pip install lightgbm`."


def _units(what: str, methods: Sequence[str]) -> Any:
    """Return what lists the units of some methods, of those that can be run."""

    def keys(options: Options) -> Iterator[Key]:
        n_runs, runnable = options.n_runs(_RUNS), set(methods_of(what))
        for dataset in SETS if what == "classes" else NUMBERS:
            for method in methods:
                if method in runnable:
                    yield from ((what, dataset, method, run) for run in range(n_runs))

    return keys


def _methods() -> list[str]:
    """Return the methods of the tables, of those that can be run."""
    return [one for one in _SHOWN if one != LIGHTGBM or has_lightgbm()]


def _label(method: str) -> str:
    return _NAMES.get(method, method)


def _means(results: Results, measure: str, methods: Iterable[str]) -> Floats:
    """Return means over the runs, of shape (n_sets, n_methods)."""
    return np.array(
        [
            [results.values(measure, "classes", name, method).mean() for method in methods]
            for name in SETS
        ]
    )


def _per_set(results: Results, measure: str, digits: int) -> list[Cell]:
    """Return the means of each set, and their means."""
    methods = _methods()
    table = _means(results, measure, methods)
    rows = [*zip(SETS, table, strict=True), ("mean", table.mean(axis=0))]
    return [
        _plain(name, _label(method), value, digits)
        for name, row in rows
        for method, value in zip(methods, row, strict=True)
    ]


def _plain(row: str, column: str, value: float, digits: int) -> Cell:
    measured = Measured(float(value), float("nan"), 1)
    return Cell(row, column, measured, None, digits=digits, judged=False)


def _notes() -> tuple[str, ...]:
    return () if has_lightgbm() else (_NO_LIGHTGBM,)


def _errors(results: Results, options: Options) -> Content:
    return Content(_per_set(results, "error", 2), notes=_notes())


def _log_losses(results: Results, options: Options) -> Content:
    return Content(_per_set(results, "log_loss", 4), notes=_notes())


def _sizes(results: Results, options: Options) -> Content:
    """Return trees, leaves and time of each method, on the mean of the sets."""
    methods, cells = _methods(), []
    trees, leaves, seconds = (
        _means(results, name, methods) for name in ("trees", "leaves", "fit_seconds")
    )
    for i, method in enumerate(methods):
        label = _label(method)
        cells += [
            _plain(label, "trees", trees[:, i].mean(), 1),
            _plain(label, "leaves", leaves[:, i].mean(), 0),
            _plain(label, "leaves, % of 500 trees'", 100 * _ratio(leaves, i).mean(), 1),
            _plain(label, "time of the fit, of 500 trees'", _ratio(seconds, i).mean(), 2),
            _plain(label, "at most", _ratio(seconds, i).max(), 2),
        ]
    note = (
        "Shares are means over the sets. Times are of one thread, processor time; they differ from "
        "run to run, and a little with what else the machine does."
    )
    return Content(cells, notes=(note, *_notes()))


def _ratio(table: Floats, place: int) -> Floats:
    ratios: Floats = table[:, place] / table[:, 0]
    return ratios


def _staged_sizes(results: Results, method: str) -> list[int]:
    """Return the numbers of trees after which a forest was asked."""
    most = int(results.values("trees", "classes", SETS[0], method)[0])
    return [size for size in (*SIZES, *LARGER) if size <= most]


def _curve(results: Results, options: Options) -> Content:
    """Return error and log loss by the number of trees, on the mean of the sets."""
    cells = []
    for method, label in _STAGED.items():
        for size in _staged_sizes(results, method):
            for measure, digits in (("error", 2), ("log_loss", 4)):
                value = _means(results, f"{measure}_{size}", [method]).mean()
                cells.append(_plain(str(size), f"{label}, {_words(measure)}", value, digits))
    for size in SIZES:
        for measure, digits in (("error", 2), ("log_loss", 4), ("leaves", 0)):
            value = _means(results, measure, [small(size)]).mean()
            cells.append(_plain(str(size), f"chosen, {_words(measure)}", value, digits))
    cells.sort(key=lambda cell: int(cell.row))
    return Content(cells)


def _words(measure: str) -> str:
    return measure.replace("_", " ")


def _tests(results: Results, options: Options) -> Content:
    """Return the tests over data sets: all methods at once, then small forests beside each."""
    methods, cells, notes = _methods(), [], []
    for measure in ("error", "log_loss"):
        table = _means(results, measure, methods)
        every, after = friedman(table), nemenyi(table)
        for method, rank in zip(methods, every.mean_ranks, strict=True):
            cells.append(_plain(_label(method), f"mean rank, {_words(measure)}", rank, 2))
        for own in (25, 11):
            place = methods.index(small(own))
            for i, method in enumerate(methods):
                if i == place:
                    continue
                p = wilcoxon(table[:, place], table[:, i]).p_value
                cells.append(_plain(_label(method), f"p beside {own}, {_words(measure)}", p, 4))
        notes.append(
            f"{_words(measure).capitalize()}: Friedman's p {p_text(every.p_value)}, "
            f"Iman-Davenport's {p_text(every.iman_davenport_p)}; mean ranks differ at 5 % if they "
            f"are more than {after.critical_difference:.2f} apart (Nemenyi)."
        )
    notes.append(f"p beside a small forest: Wilcoxon's signed ranks over {len(SETS)} sets.")
    return Content(cells, notes=(*notes, *_notes()))


def _of_numbers(results: Results, options: Options) -> Content:
    """Return R squared of each set."""
    methods = (FOREST, small(25), small(11))
    table = np.array(
        [
            [results.values("r2", "numbers", name, method).mean() for method in methods]
            for name in NUMBERS
        ]
    )
    rows = [*zip(NUMBERS, table, strict=True), ("mean", table.mean(axis=0))]
    return Content(
        [
            _plain(name, _label(method), value, 3)
            for name, row in rows
            for method, value in zip(methods, row, strict=True)
        ]
    )


def _size_figure(results: Results, options: Options) -> Content:
    """Return the figures of error by number of trees, and by number of leaves."""

    def draw(axes: Any) -> None:
        curves = dict(_curves(results))
        styles = ["o-"] * (len(_STAGED) + 1) + ["*", "D"]
        for place, (one, name) in enumerate(zip(axes, ("trees", "leaves"), strict=True)):
            for (label, (errors, *sizes)), style, colour in zip(
                curves.items(), styles, class_colours(len(styles)), strict=False
            ):
                one.plot(sizes[place], errors, style, color=colour, label=label, markersize=5)
            one.set(xscale="log", xlabel=name, ylabel=f"mean error of {len(SETS)} sets in %")
            one.legend(frameon=False)
            for side in ("top", "right"):
                one.spines[side].set_visible(False)

    return Content(draw=draw, size=(9.0, 3.8), n_axes=2)


def _curves(results: Results) -> Iterator[tuple[str, tuple[list[float], ...]]]:
    """Yield labels, and mean errors with the numbers of trees and of leaves."""
    for method, label in _STAGED.items():
        sizes = _staged_sizes(results, method)
        errors = [_means(results, f"error_{size}", [method]).mean() for size in sizes]
        share = _means(results, "leaves", [method]) / _means(results, "trees", [method])
        leaves = [size * share.mean() for size in sizes]
        yield label, (errors, [float(size) for size in sizes], leaves)
    others = [LIGHTGBM] * has_lightgbm() + [MODE]
    for label, methods in (("chosen", _CHOSEN), *((_label(one), (one,)) for one in others)):
        columns = ("error", "trees", "leaves")
        means = [[_means(results, what, [one]).mean() for one in methods] for what in columns]
        yield label, tuple(means)


def _rank_figure(results: Results, options: Options) -> Content:
    """Return the figure of mean ranks with the critical difference."""

    def draw(axes: Any) -> None:
        methods = _methods()
        after = nemenyi(_means(results, "error", methods))
        names = [_label(method) for method in methods]
        plot_critical_difference(after.mean_ranks, after.critical_difference, names, axes)

    return Content(draw=draw, size=(7.5, 2.6))


_CHOSEN = tuple(map(small, SIZES))

PAPER = Paper(
    name="small",
    title="Small forests beside large ones",
    source=(
        "`SmallForestClassifier` and `SmallForestRegressor` beside random forests of 500 trees, "
        "LightGBM, IGPA forests of 100 trees and mode-based bagging of 200."
    ),
    setting=(
        f"{len(SETS)} bundled data sets with classes, and {len(NUMBERS)} sets and functions with "
        "numbers; five folds twice, the same for every method. Errors in %. In log losses a "
        "probability below 0.001 counts as 0.001. All methods have their default settings, except "
        "that probabilities of trees are averaged.",
    ),
    parts=(
        Part("table", "1", "errors", _units("classes", _SHOWN), _errors),
        Part("table", "2", "log losses", _units("classes", _SHOWN), _log_losses),
        Part("table", "3", "sizes and times", _units("classes", _SHOWN), _sizes),
        Part(
            "table",
            "4",
            "error and number of trees",
            _units("classes", (*_STAGED, *_CHOSEN)),
            _curve,
        ),
        Part("table", "5", "tests over data sets", _units("classes", _SHOWN), _tests),
        Part(
            "table",
            "6",
            "R squared of numbers",
            _units("numbers", (FOREST, small(25), small(11))),
            _of_numbers,
        ),
        Part(
            "figure",
            "1",
            "error, trees and leaves",
            _units("classes", (*_STAGED, LIGHTGBM, MODE, *_CHOSEN)),
            _size_figure,
        ),
        Part("figure", "2", "mean ranks by error", _units("classes", _SHOWN), _rank_figure),
    ),
    work=work_of,
)
