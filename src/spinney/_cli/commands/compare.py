"""`spinney compare`: models on the same partitions, and the smallest one that keeps up."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sklearn.base import clone

from spinney import Tree
from spinney._cli.cluster import on_cluster
from spinney._cli.commands.train import costs_of
from spinney._cli.data.reading import Choices, Reading, read_data
from spinney._cli.errors import Refusal, refusing, refusing_folder
from spinney._cli.metrics import Costs, GroupFolds
from spinney._cli.models import METRICS, knows, make_model
from spinney._cli.output import Screen, leaves_text, print_result
from spinney._cli.summary import reading_dict, show_reading
from spinney._counts import DEVIANCES
from spinney.compare import Experiment, RepeatedHoldout, RepeatedKFold, Results, Table
from spinney.compare._metrics import MAIN, MEASURES, has_deviance
from spinney.compare._tables import rank_tests

USUAL = {
    "classification": ("cart", "c45", "igpa", "adaboost", "forest", "igpa_forest", "small_forest"),
    "regression": ("cart", "igpa", "adaboost", "forest", "igpa_forest", "small_forest"),
    "survival": ("cart", "cart_full", "forest"),
}
BASELINE = "no model"
_LEVEL = 0.05


def run(
    data: tuple[str, ...],
    models: tuple[str, ...],
    folds: int,
    repeats: int,
    holdout: float | None,
    seed: int,
    jobs: int,
    dask: str | None,
    costs: tuple[str, ...],
    metrics: tuple[str, ...],
    criterion: str | None,
    out: Path | None,
    format_: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Compare models on the same partitions, with statistical tests."""
    from spinney._cli.commands.compare_report import write_report

    untold = options.get("task") is None and options.get("event") is None
    if criterion in DEVIANCES and untold:
        options["task"] = "regression"  # few counts look like classes
    readings = [read_data(name, Choices(**options)) for name in data]
    plan = Plan(
        models,
        folds=folds,
        repeats=repeats,
        holdout=holdout,
        seed=seed,
        jobs=jobs,
        costs=costs,
        metrics=metrics,
        criterion=criterion,
    )
    with on_cluster(dask):
        found = compare(readings, plan, out)
    report = None if out is None else write_report(found, out, format_)  # files first
    print_result(found, show, as_dict, as_json=as_json, written={"The report is in": report})


@dataclass(frozen=True)
class Plan:
    """The models, the resampling, and the measures."""

    models: Sequence[str] = ()
    folds: int = 10
    repeats: int = 2
    holdout: float | None = None
    seed: int = 0
    jobs: int = -1
    costs: Sequence[str] = ()
    metrics: Sequence[str] = ()
    criterion: str | None = None

    def measures(self, task: str) -> tuple[str, ...]:
        """Return the measures, the main one first; costs and deviances that matter come first."""
        given = tuple(self.metrics)
        if not given and self.costs:
            given = ("cost", "error")
        if not given and self.criterion in DEVIANCES:
            given = ("deviance",)
        fitting = [name for name in METRICS if task in MEASURES[_measure(name, task)].tasks]
        for name in given:
            if name not in fitting:
                what = {"classification": "classes", "survival": "lifetimes"}.get(task, "numbers")
                hint = " If it is a number, add --task regression." if what == "classes" else ""
                raise Refusal(
                    f"--metric {name} does not fit a target of {what}. For them there are: "
                    f"{', '.join(fitting)}.{hint}"
                )
        if "cost" in given and not self.costs:
            raise Refusal("--metric cost: say what mistakes cost with --cost TRUE:PREDICTED=COST.")
        if "deviance" in given and self.criterion not in DEVIANCES:
            raise Refusal(
                "--metric deviance is that of counts or amounts: add --criterion poisson, gamma or "
                "tweedie."
            )
        return tuple(dict.fromkeys(_measure(name, task) for name in given))

    @property
    def resampling(self) -> Any:
        """The resampling method."""
        if self.holdout is not None:
            return RepeatedHoldout(self.repeats, test_size=self.holdout)
        return RepeatedKFold(self.folds, self.repeats)

    @property
    def words(self) -> str:
        """The resampling method in words."""
        if self.holdout is not None:
            return f"{self.repeats} times {100 * self.holdout:g} % of the rows held out"
        times = {1: "", 2: ", twice"}.get(self.repeats, f", {self.repeats} times")
        return f"{self.folds}-fold cross-validation{times}"


def _measure(metric: str, task: str) -> str:
    """Return the measure of an experiment that a metric is: error is the main one of a task."""
    return MAIN[task] if metric == "error" else metric


@dataclass(frozen=True, eq=False)
class Comparison:
    """The data, the models, and the results."""

    readings: tuple[Reading, ...]
    plan: Plan
    methods: dict[str, Any]
    results: Results
    notes: tuple[str, ...] = ()

    @property
    def tables(self) -> list[Table]:
        """The tables to show."""
        found = [self.results.table(name) for name in self.results.datasets]
        if len(self.results.datasets) > 1:
            found += [self.results.table(what) for what in ("ranks", "pairs")]
        return found

    def findings(self, place: int) -> list[str]:
        """Return conclusions from the table of a data set, as sentences."""
        results = self.results
        if "n_leaves" not in results.measures or results.values().shape[2] < 2:
            return []
        found = []
        small, tree = self._smallest_that_keeps_up(place), self.readable_tree(place)
        if small is not None:
            found.append(small)
        if tree is not None and not (small or "").startswith(f"{tree},"):
            found.append(self._tree_words(place, tree))
        if tree is not None and self._p(place, tree, BASELINE) >= _LEVEL:
            found.append(f"{tree} is not clearly better than {BASELINE}.")
        return found

    def _smallest_that_keeps_up(self, place: int) -> str | None:
        """Return a sentence on the smallest model that is not significantly worse than the best."""
        results = self.results
        losses, leaves = results.losses()[place], results.mean("n_leaves")[place]
        best = results.methods[int(losses.argmin())]
        keeping_up = [
            (float(leaves[m]), method)
            for m, method in enumerate(results.methods)
            if method != BASELINE and leaves[m] == leaves[m] and not self._is_worse(place, method)
        ]
        if best == BASELINE or not keeping_up:
            return None
        size, small = min(keeping_up)
        if small == best:
            return f"{small}, with {size:.1f} leaves on average, has {self._best_words}."
        return (
            f"{small}, with {size:.1f} leaves on average, is the smallest that is not clearly "
            f"worse than {best} (p = {self._p(place, best, small):.2f})."
        )

    def _is_worse(self, place: int, method: str) -> bool:
        best = self.results.methods[int(self.results.losses()[place].argmin())]
        return method != best and self._p(place, best, method) < _LEVEL

    def _p(self, place: int, a: str, b: str) -> float:
        return self.results.compare(a, b, self.results.datasets[place]).p_value

    def readable_tree(self, place: int) -> str | None:
        """Return the smallest single tree that is not significantly worse than the best of them."""
        results = self.results
        losses, leaves = results.losses()[place], results.mean("n_leaves")[place]
        single = [
            (m, name)
            for m, name in enumerate(results.methods)
            if name != BASELINE and hasattr(self.methods[name], "get_n_leaves")
        ]
        if not single:
            return None
        _, best = min(single, key=lambda pair: losses[pair[0]])
        if results.values().shape[2] > 1:
            single = [
                (m, name)
                for m, name in single
                if name == best or self._p(place, best, name) >= _LEVEL
            ]
        return min(single, key=lambda pair: leaves[pair[0]])[1]

    def _tree_words(self, place: int, tree: str) -> str:
        results = self.results
        losses, leaves = results.losses()[place], results.mean("n_leaves")[place]
        m, best = results.methods.index(tree), int(losses.argmin())
        size = f"{leaves[m]:.1f} leaves on average"
        if m == best:
            return f"{tree} has {self._best_words}, with {size}."
        gap, measure = losses[m] - losses[best], MEASURES[results.measure]
        shown = f"{100 * gap:.1f} points" if results.measure == "error" else f"{gap:.3g}"
        more = f"{'less' if measure.higher_is_better else 'more'} {measure.words}"
        return f"The tree to read is {tree}: {size}, {shown} {more} than {results.methods[best]}."

    @property
    def _best_words(self) -> str:
        measure = MEASURES[self.results.measure]
        return f"the {'highest' if measure.higher_is_better else 'least'} {measure.words} of all"

    @cached_property
    def trees(self) -> dict[str, Tree]:
        """The tree to read of each data set, trained on all rows."""
        found = {}
        for place, (name, reading) in enumerate(
            zip(self.results.datasets, self.readings, strict=True)
        ):
            method = self.readable_tree(place)
            if method is None:
                continue
            model = clone(self.methods[method])
            seeded = {"random_state": self.plan.seed, "n_jobs": self.plan.jobs}
            known = model.get_params(deep=False)
            model.set_params(**{key: seeded[key] for key in seeded if key in known})
            with refusing():
                model.fit(reading.X, reading.y, **reading.fit_options(model=model))
            found[name] = model.tree_
        return found


def compare(readings: Sequence[Reading], plan: Plan, folder: Path | None = None) -> Comparison:
    """Train and test models on the same partitions.

    Parameters
    ----------
    readings : sequence of Reading
        The data sets, all for the same task.
    plan : Plan
        The models, and the resampling.
    folder : Path, optional
        Folder for results, from which an interrupted run is resumed.

    Returns
    -------
    Comparison
    """
    tasks = {reading.task for reading in readings}
    if len(tasks) > 1:
        raise Refusal("targets are classes, numbers or lifetimes, not mixed. Compare them apart.")
    (task,) = tasks
    costs = _costs(readings, plan)
    measures = plan.measures(task)
    methods, notes = _methods(readings, plan, task, costs)
    problems = {
        name: (reading.X, reading.y, _facts(reading))
        for name, reading in zip(_names(readings), readings, strict=True)
    }
    with refusing_folder(folder), refusing():
        experiment = Experiment(
            problems,
            methods,
            plan.resampling,
            random_state=plan.seed,
            measures=measures,
            cost_matrix=costs,
        )
        results = experiment.run(folder, n_jobs=plan.jobs, progress=sys.stderr.isatty())
    return Comparison(tuple(readings), plan, methods, results, notes)


def _costs(readings: Sequence[Reading], plan: Plan) -> Costs:
    """Return the costs of mistakes, which must fit every data set."""
    if not plan.costs:
        return {}
    found, *_ = [costs_of(tuple(plan.costs), reading) for reading in readings]
    return found


def _methods(
    readings: Sequence[Reading], plan: Plan, task: str, costs: Costs
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the models to compare and the constant, and notes on what some cannot do."""
    if plan.criterion not in DEVIANCES and any(r.exposure is not None for r in readings):
        raise Refusal("--exposure: add --criterion poisson, gamma or tweedie, which use it.")
    growth = {} if plan.criterion is None else {"criterion": plan.criterion}
    usual = [name for name in USUAL[task] if all(knows(name, task, key) for key in growth)]
    if plan.criterion in DEVIANCES:
        usual = [name for name in usual if has_deviance(make_model(name, task, growth))]
    chosen = list(dict.fromkeys(plan.models or usual))
    methods, blind = {}, []
    for name in chosen:
        learned = {"cost_matrix": dict(costs)} if costs and knows(name, task, "cost_matrix") else {}
        blind += [name] if costs and not learned else []
        methods[name] = make_model(name, task, growth | learned)
    if any(reading.group is not None for reading in readings):
        for model in methods.values():
            if getattr(model, "pruning", None) == "cost_complexity":
                model.set_params(cv=GroupFolds(10, plan.seed))
    # A tree that may not split its root predicts a constant.
    constant = growth | ({"cost_matrix": dict(costs)} if costs else {})
    methods[BASELINE] = make_model("cart_full", task, {"min_samples_split": 2**31 - 1, **constant})
    notes = [f"{', '.join(blind)}: trained without the costs, judged by them"] if blind else []
    return methods, tuple(notes)


def _facts(reading: Reading) -> dict[str, Any]:
    """Return weights, exposures and groups of a data set, as an experiment takes them."""
    groups = {} if reading.group is None else {"groups": reading.group}
    return reading.fit_options() | groups


def _names(readings: Sequence[Reading]) -> list[str]:
    """Return short names of data sets; the source where these are not unique."""
    sources = [reading.source.removesuffix(" (bundled)") for reading in readings]
    if len(set(sources)) < len(sources):
        twice = next(source for source in sources if sources.count(source) > 1)
        raise Refusal(f"{twice!r} is given twice. Compare each data set once.")
    stems = [Path(source).stem for source in sources]
    return [s if stems.count(s) == 1 else source for s, source in zip(stems, sources, strict=True)]


def show(found: Comparison, screen: Screen) -> None:
    """Print the tables, the conclusions, and the tree to read."""
    for reading in found.readings:
        show_reading(reading, screen, columns=False)
    screen.head(f"Compared by {found.plan.words} (± standard deviation, * the best)")
    for table in found.tables:
        for line in table.to_text().splitlines():
            screen.line(f"  {line}" if line else "")
        screen.line()
    for sentence in (*found.notes, *rank_tests(found.results)):
        screen.wrapped(sentence)
    for place, name in enumerate(found.results.datasets):
        lead = "" if len(found.readings) == 1 else f"{name}: "
        for sentence in found.findings(place):
            screen.wrapped(f"{lead}{sentence}")
    if len(found.readings) == 1:
        _show_tree(found, screen)


def _show_tree(found: Comparison, screen: Screen) -> None:
    """Print the tree to read, and the command that trains it."""
    method, reading = found.readable_tree(0), found.readings[0]
    if method is None:
        return
    (tree,) = found.trees.values()
    screen.head(f"{method} on all rows: {leaves_text(tree.n_leaves)}")
    screen.tree(tree.to_text(max_depth=None if tree.n_leaves <= 20 else 3))
    name = shlex.quote(reading.source.removesuffix(" (bundled)"))
    chosen = [f"--cost {shlex.quote(cost)}" for cost in found.plan.costs]
    chosen += [] if found.plan.criterion is None else [f"--criterion {found.plan.criterion}"]
    chosen.append(f"--model {method} --out model.spinney")
    words = ["spinney train", name, *reading.options, *chosen]
    screen.head("Next")
    screen.line("  " + " ".join(words))  # not wrapped, to be copied


def as_dict(found: Comparison) -> dict[str, Any]:
    """Return all results."""
    results, places = found.results, range(len(found.results.datasets))
    return {
        "data": [reading_dict(reading) for reading in found.readings],
        "resampling": found.plan.words,
        "measure": results.measure,
        "measures": {
            name: {
                "means": results.mean(name).tolist(),
                "standard_deviations": results.sd(name).tolist(),
            }
            for name in results.shown
        },
        "notes": list(found.notes),
        "methods": results.methods,
        "datasets": results.datasets,
        "means": results.mean().tolist(),
        "standard_deviations": results.sd().tolist(),
        "leaves": results.mean("n_leaves").tolist(),
        "tests": rank_tests(results),
        "findings": [found.findings(place) for place in places],
        "readable_tree": [found.readable_tree(place) for place in places],
    }
