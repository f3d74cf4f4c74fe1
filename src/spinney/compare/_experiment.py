"""An experiment: data sets x methods x resampling, with the same partitions for every method."""

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import get_scorer

import spinney
from spinney._checks import Integer
from spinney._counts import NO_EXPOSURE
from spinney._warnings import quiet_about_unseen
from spinney.compare._folder import Key
from spinney.compare._inputs import (
    Problem,
    check_methods,
    check_problems,
    described,
    take_rows,
    task_of,
)
from spinney.compare._metrics import MAIN, MEASURES, Costs, Judged, check_measures
from spinney.compare._resampling import GrowingTrainingSet, RepeatedKFold, Resampling
from spinney.compare._results import Results
from spinney.compare._units import run_units
from spinney.datasets._registry import Task

KEY_NAMES = ("dataset", "method", "repeat", "part")


class Experiment:
    """Comparison of methods on data sets, with the same partitions for all methods.

    A unit is one fit: a data set, a method, a repeat and a part of the resampling. Its rows and
    seed are derived from `random_state`, the name of the data set, the repeat and the part, so
    adding a data set or a method does not affect the others. A method with a `random_state` of its
    own keeps it; otherwise all methods get the seed of the unit.

    Parameters
    ----------
    datasets : str, Dataset, list of these, or dict
        Names of bundled sets, `Dataset` objects, or a dict of name to (X, y). A third item may be a
        dict of arrays: `sample_weight`, `exposure`, or `groups`, whose rows stay together.
    methods : dict of str to estimator
        Classifiers or regressors of spinney or scikit-learn, or pipelines; or estimators of
        lifetimes, of spinney or scikit-survival, whose discordance (one less the concordance) is
        compared.
    resampling : Resampling, default=RepeatedKFold(n_splits=10)
        The resampling scheme.
    random_state : int, default=0
        Random seed of all partitions and methods.
    stages : sequence of int, default=()
        Numbers of members at which ensembles with `staged_predict` are evaluated as well.
    scoring : sequence of str, default=()
        Further measures, as scorer names of scikit-learn such as "roc_auc"; higher is better.
    measures : sequence of str, default=()
        Measures to show, the main one first. Classification: "error", "cost", "auc", "logloss",
        "brier". Regression: "rmse", "r2", "deviance" (of the criterion), "concordance". Lifetimes:
        "discordance", "concordance". The first of each is the default. Rows count by weight.
    cost_matrix : dict of (true, predicted) to cost, default=None
        For "cost": other mistakes cost 1. It judges predictions; methods that learn by costs have
        parameters of their own.

    Examples
    --------
    >>> from spinney import CARTClassifier
    >>> from spinney.compare import Experiment, RepeatedHoldout
    >>> trees = {"stump": CARTClassifier(max_depth=1), "tree": CARTClassifier()}
    >>> results = Experiment("iris", trees, RepeatedHoldout(n_repeats=3)).run(progress=False)
    >>> bool(results.mean()[0, 1] < results.mean()[0, 0])
    True
    """

    def __init__(
        self,
        datasets: Any,
        methods: Mapping[str, Any],
        resampling: Resampling | None = None,
        *,
        random_state: int = 0,
        stages: Sequence[int] = (),
        scoring: Sequence[str] = (),
        measures: Sequence[str] = (),
        cost_matrix: Mapping[tuple[Any, Any], float] | None = None,
    ) -> None:
        self.methods = check_methods(methods)
        self.task = task_of(next(iter(self.methods.values())))
        self.problems = check_problems(datasets, self.task)
        self.resampling = RepeatedKFold() if resampling is None else resampling
        if not isinstance(self.resampling, Resampling):
            raise ValueError(
                "resampling must be RepeatedHoldout, RepeatedKFold, OutOfBag, Resubstitution or "
                f"GrowingTrainingSet, got {resampling!r}."
            )
        self.random_state = Integer(0).check("random_state", random_state)
        self.stages = tuple(Integer(1).check("stages", stage) for stage in stages)
        self.scoring = tuple(scoring)
        for name in self.scoring:
            get_scorer(name)  # refuses unknown names
        self.measures = check_measures(measures, self.task, self.methods) or (MAIN[self.task],)
        self.cost_matrix = dict(cost_matrix or {})
        self._check_classes()

    def _check_classes(self) -> None:
        """Refuse costs of unknown classes, and AUC of more than two."""
        for name, problem in self.problems.items():
            if "auc" in self.measures and len(problem.classes) != 2:
                raise ValueError(
                    f"the measure 'auc' is for two classes, and data set {name!r} has "
                    f"{len(problem.classes)}. Use 'logloss' or 'brier'."
                )
            for label in (label for pair in self.cost_matrix for label in pair):
                if label not in problem.classes:
                    raise ValueError(f"cost_matrix: data set {name!r} has no class {label!r}.")

    def units(self) -> list[Key]:
        """Return the keys of all units: data set, method, repeat and part.

        Returns
        -------
        list of tuple
        """
        return [
            (dataset, method, repeat, part)
            for dataset in self.problems
            for method in self.methods
            for repeat in range(self.resampling.n_repeats)
            for part in range(self.resampling.n_parts)
        ]

    def run(
        self,
        folder: Any = None,
        *,
        n_jobs: int | None = None,
        progress: bool | Callable[[int, int, float], object] = True,
    ) -> Results:
        """Run all units that are not finished yet.

        Parameters
        ----------
        folder : path, default=None
            Folder in which finished units are recorded. The same call resumes a killed run and
            produces the same `results.csv`. None keeps everything in memory.
        n_jobs : int, default=None
            Number of processes; None is 1, -1 one per core. Does not affect the results. Inside
            `joblib.parallel_config("dask")`, or that of another cluster, the units run there.
        progress : bool or callable, default=True
            Whether to show the remaining time on standard error; or a function of the number of
            finished units, the number of units, and the seconds left.

        Returns
        -------
        Results
        """
        for problem in self.problems.values():  # sizes that do not fit are found before any work
            problem.parts(self.resampling, np.random.default_rng(0))
        units = self.units()
        settings = self.random_state, self.stages, self.scoring, self.measures, self.cost_matrix
        trial = _Trial(self.problems, self.methods, self.resampling, *settings)
        found = run_units(
            units,
            trial,
            folder=folder,
            fingerprint=self.fingerprint(),
            key_names=KEY_NAMES,
            n_jobs=n_jobs,
            progress=progress,
        )
        records = [
            {**dict(zip(KEY_NAMES, key, strict=True)), **result}
            for key, result in zip(units, found, strict=True)
        ]
        return Results(
            records,
            measure=self.measures[0],
            shown=self.measures,
            higher_is_better=[
                *self.scoring,
                *(name for name in self.measures if MEASURES[name].higher_is_better),
            ],
            is_honest=self.resampling.is_honest,
            has_sizes=isinstance(self.resampling, GrowingTrainingSet),
        )

    def fingerprint(self) -> dict[str, str]:
        """Return everything that the results depend on, as strings.

        Returns
        -------
        dict of str to str
        """
        return {
            "version": spinney.__version__,
            "random_state": str(self.random_state),
            "resampling": repr(self.resampling),
            "stages": repr(self.stages),
            "scoring": repr(self.scoring),
            "measures": repr(self.measures),
            "cost_matrix": described(self.cost_matrix),
            **{f"data set {name!r}": each.digest() for name, each in self.problems.items()},
            **{f"method {name!r}": described(each) for name, each in self.methods.items()},
        }


@dataclass(frozen=True)
class _Trial:
    """Fits and evaluates one method on one part: the work of a unit."""

    problems: dict[str, Problem]
    methods: dict[str, Any]
    resampling: Resampling
    random_state: int
    stages: tuple[int, ...] = ()
    scoring: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    costs: Costs = field(default_factory=dict)

    def __call__(self, key: tuple[str, str, int, int]) -> dict[str, Any]:
        with quiet_about_unseen():
            return self._run(*key)

    def _run(self, dataset: str, method: str, repeat: int, part: int) -> dict[str, Any]:
        problem = self.problems[dataset]
        random = np.random.default_rng(seed_of(self.random_state, dataset, repeat))
        train, test = problem.parts(self.resampling, random)[part]
        model = _seeded(self.methods[method], seed_of(self.random_state, dataset, repeat, part))
        X_train, X_test = take_rows(problem.X, train), take_rows(problem.X, test)
        options = problem.fit_options(model, train)
        began = time.perf_counter()
        model.fit(X_train, problem.y[train], **options)
        fitted = time.perf_counter()
        guess = model.predict(X_test)
        predicted = time.perf_counter()
        y_test = problem.y[test]
        found: dict[str, Any] = {"n_train": len(np.unique(train)), "n_test": len(test)}
        found.update(self._measured(problem, model, test, X_test, guess))
        found.update({name: get_scorer(name)(model, X_test, y_test) for name in self.scoring})
        found.update(model_size(model))
        found.update(self._staged(model, X_test, y_test, problem.task))
        return {**found, "fit_seconds": fitted - began, "predict_seconds": predicted - fitted}

    def _measured(
        self, problem: Problem, model: Any, test: NDArray[np.intp], X: Any, guess: Any
    ) -> dict[str, float]:
        """Return the measures of predicted test rows."""
        exposure = problem.facts.get("exposure")
        rows = Judged(
            model,
            X,
            problem.y[test],
            np.asarray(guess),
            problem.facts["sample_weight"][test] if "sample_weight" in problem.facts else None,
            NO_EXPOSURE if exposure is None else np.asarray(exposure, dtype=np.float64)[test],
            self.costs,
            problem.classes,
        )
        names = dict.fromkeys([MAIN[problem.task], *self.measures])
        found = {name: MEASURES[name].of(rows) for name in names}
        return found | ({"mse": found["rmse"] ** 2} if "rmse" in found else {})

    def _staged(
        self, model: Any, X: Any, y: NDArray[Any], task: Task
    ) -> Iterable[tuple[str, float]]:
        """Yield the error of the first members, at the requested stages."""
        if not self.stages or not hasattr(model, "staged_predict"):
            return
        measure = MAIN[task]
        for n_members, guess in enumerate(model.staged_predict(X), start=1):
            if n_members in self.stages:
                yield f"{measure}_at_{n_members}", MEASURES[measure].of(Judged(model, X, y, guess))
            if n_members >= max(self.stages):
                return


def seed_of(random_state: int, *parts: str | int) -> int:
    """Derive a seed of 32 bits from names and numbers."""
    digest = hashlib.sha256(repr((random_state, *parts)).encode()).digest()
    return int.from_bytes(digest[:4], "little")


def _seeded(method: Any, seed: int) -> Any:
    """Return a single-threaded clone of a method with a random seed, unless it has one.

    Nested estimators are left to the one that holds them, if that has a `random_state`.
    """
    model = clone(method)
    params = model.get_params(deep=True)
    changed: dict[str, Any] = {}
    for name, value in sorted(params.items()):
        owner, _, word = name.rpartition("__")
        if word == "n_jobs" and value is not None:
            changed[name] = 1
        if word == "random_state" and value is None and not _has_seeded_owner(owner, params):
            changed[name] = seed_of(seed, name)
    return model.set_params(**changed)


def _has_seeded_owner(owner: str, params: Mapping[str, Any]) -> bool:
    while owner:
        owner, _, _ = owner.rpartition("__")
        if (f"{owner}__random_state" if owner else "random_state") in params:
            return True
    return False


def model_size(model: Any) -> dict[str, int]:
    """Return `n_leaves`, `n_nodes` and `n_members`, if the model has them.

    Parameters
    ----------
    model : estimator
        Fitted, of spinney or scikit-learn; of a pipeline the last step is used.

    Returns
    -------
    dict of str to int
    """
    while hasattr(model, "steps"):
        model = model.steps[-1][1]
    if hasattr(model, "tree_"):
        return _size_of_trees([model.tree_])
    members = getattr(model, "forest_", None)
    if members is None:
        members = getattr(model, "estimators_", None)
    if members is None:
        return {}
    chosen = getattr(model, "selected_", None)
    if isinstance(members, np.ndarray):  # scikit-learn's gradient boosting: a row for each round
        members = list(members.ravel())
    voting = [members[int(i)] for i in (range(len(members)) if chosen is None else chosen)]
    trees = [getattr(member, "tree_", member) for member in voting]
    if trees and all(_is_tree(tree) for tree in trees):
        return {**_size_of_trees(trees), "n_members": len(trees)}
    return {"n_members": len(trees)}


def _is_tree(tree: Any) -> bool:
    return hasattr(tree, "n_leaves") and (hasattr(tree, "n_nodes") or hasattr(tree, "node_count"))


def _size_of_trees(trees: list[Any]) -> dict[str, int]:
    nodes = [tree.n_nodes if hasattr(tree, "n_nodes") else tree.node_count for tree in trees]
    return {"n_leaves": int(sum(tree.n_leaves for tree in trees)), "n_nodes": int(sum(nodes))}
