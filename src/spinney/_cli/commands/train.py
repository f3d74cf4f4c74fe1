"""`spinney train`: a fitted model, its cross-validated error, and the report about both."""

import inspect
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from spinney import Tree
from spinney._cli.counts import Told, deviance_of
from spinney._cli.data.reading import Choices, Reading, read_data
from spinney._cli.decisions import (
    need_two_classes,
    parse_threshold,
    positive_scores,
    two_costs,
    with_threshold,
)
from spinney._cli.errors import Refusal, refusing
from spinney._cli.lifetimes import concordance
from spinney._cli.memory import JUDGE_RULES, choose_positive, difference_words, made_for, remember
from spinney._cli.metrics import (
    Costs,
    Estimate,
    GroupFolds,
    cross_validate,
    of_path,
    of_predictions,
    parse_costs,
)
from spinney._cli.models import (
    MODELS,
    Settings,
    make_model,
    parse_constraints,
    parse_parameters,
    parse_settings,
    save_model,
    trees_of,
)
from spinney._cli.output import (
    Screen,
    check_output,
    check_plot_file,
    fold_progress,
    leaves_text,
    print_result,
    save_plot,
)
from spinney._cli.scores import Scores
from spinney._cli.single_leaf import Remedies, find_remedies, remedies_dict, show_remedies
from spinney._cli.summary import (
    MOST_NAMES,
    estimate_pairs,
    path_dict,
    reading_dict,
    show_path,
    show_reading,
)
from spinney._counts import DEVIANCES
from spinney._expression.expression_test import ExpressionTest
from spinney._format import plural
from spinney.pruning import PruningPath
from spinney.tree._estimator import TreeEstimator

_MOST_CATEGORIES = 12  # of a surrogate
MOST_LEAVES = 60  # of a tree that is shown in full
_BAR = 20  # characters of the largest importance
_ON_TRAINING = "on the training rows"


def run(
    data: str,
    model: str,
    cv: int,
    no_cv: bool,
    rule: str,
    costs: tuple[str, ...],
    positive: str | None,
    threshold: str | None,
    monotone: tuple[str, ...],
    interaction: tuple[str, ...],
    given: tuple[str, ...],
    seed: int,
    jobs: int,
    out: Path | None,
    plot: Path | None,
    as_json: bool,
    batches: bool,
    **options: Any,
) -> None:
    """Train a model; show it and its cross-validated error."""
    check_output("--out", out, data)
    check_plot_file(plot)
    cut = parse_threshold(threshold)
    growth = {"criterion", "max_depth", "min_samples_leaf", "trees"}
    changes = parse_parameters({key: options.pop(key) for key in growth})
    untold = options.get("task") is None and options.get("event") is None
    if changes.get("criterion") in DEVIANCES and untold:
        options["task"] = "regression"  # few counts look like classes
    changes |= {**parse_constraints(monotone, interaction), **parse_settings(given)}
    settings = Settings(model, 0 if no_cv else cv, rule, seed, jobs, changes)
    if batches:
        from spinney._cli.commands import train_batches

        refused = {
            "--cost": costs,
            "--positive": positive,
            "--threshold": threshold,
            "--plot": plot,
            "--group": options.get("group"),
            "--event": options.get("event"),
            "--time": options.get("time"),
        }
        settings = replace(settings, changes={"max_bins": train_batches.MAX_BINS, **changes})
        train_batches.run(data, Choices(**options), settings, refused, out, as_json)
        return
    reading = read_data(data, Choices(**options))
    settings = replace(
        settings,
        changes=_with_own_labels(settings.changes, reading),
        costs=costs_of(costs, reading),
        positive=_positive(positive, reading),
        by_group=reading.group is not None,
    )
    if plot is not None and not isinstance(unfitted(reading.task, settings), TreeEstimator):
        raise Refusal(
            f"--plot draws one tree, and --model {model} is none. Save the model with --out; "
            "`spinney plot` draws its importances, or one of its trees."
        )
    with fold_progress(settings.cv) as on_fold:
        training = train(reading, settings, on_fold)
    remedies = find_remedies(reading, settings, training.model, partial(unfitted, reading.task))
    training = replace(training, remedies=remedies)
    memory = made_for(reading, training.model, settings.costs, settings.positive)
    remember(training.model, memory)
    if memory.rules_differ:
        told = f"{difference_words(memory.rules_differ)}; {JUDGE_RULES}."
        training = replace(training, notes=(*training.notes, told))
    training = with_cut(training, cut)
    save_model(training.model, out)  # files first: they are there even if printing fails
    save_plot(training.draw, plot)
    written = {"The model is in": out, "The tree is drawn in": plot}
    print_result(training, show, as_dict, as_json=as_json, written=written)


# -- Training


def costs_of(given: tuple[str, ...], reading: Reading) -> Costs:
    """Return the costs of mistakes, which numbers have none of."""
    if given and reading.task != "classification":
        raise Refusal(
            f"--cost: {reading.target.name!r} is a number; errors of classes have costs. If its "
            "values are classes, add --task classification."
        )
    return parse_costs(given, reading.classes) if given else {}


def _with_own_labels(changes: Mapping[str, Any], reading: Reading) -> dict[str, Any]:
    """Return parameters whose classes are those of the target: JSON has 1 in quotes only."""
    if reading.task != "classification":
        return dict(changes)
    labels = {str(label): label for label in reading.classes}
    return {
        name: {labels.get(key, key): number for key, number in value.items()}
        if name in ("priors", "class_weight") and isinstance(value, dict)
        else value
        for name, value in changes.items()
    }


def _positive(given: str | None, reading: Reading) -> Any:
    if reading.task != "classification":
        if given is not None:
            raise Refusal(f"--positive: {reading.target.name!r} is a number and has no classes.")
        return None
    labels, counts = reading.class_counts
    return choose_positive(given, labels, counts.tolist())


@dataclass(frozen=True, eq=False)
class Training:
    """A fitted model and its estimated error."""

    reading: Reading
    settings: Settings
    model: Any
    estimate: Estimate | None  # None if there was no cross-validation
    notes: tuple[str, ...] = ()  # warnings of the model
    threshold: tuple[float, str] | None = None  # and how it was chosen
    remedies: Remedies | None = None  # if the tree is a single leaf

    @property
    def trees(self) -> list[Tree]:
        """The tree, or those of the members."""
        return trees_of(self.model)

    @property
    def tree(self) -> Tree | None:
        """The tree, if the model is one."""
        return getattr(self.model, "tree_", None)

    @property
    def path(self) -> PruningPath | None:
        """The pruning path that the tree was selected from, if there is one."""
        path: PruningPath | None = getattr(self.model, "pruning_path_", None)
        return None if path is None or path.selected is None else path

    @property
    def n_folds(self) -> int:
        """The number of folds, no more than there are rows or groups."""
        group = self.reading.group
        n_parts = self.reading.n_rows if group is None else len(np.unique(group))
        return min(self.settings.cv, n_parts)

    def draw(self) -> Any:
        """Draw the tree; return the axes."""
        assert self.tree is not None  # refused before
        return self.tree.plot()

    def importances(self) -> list[tuple[str, float]]:
        """Return the features with positive importance, the most important first."""
        shares = getattr(self.model, "feature_importances_", None)
        if shares is None:
            return []
        names = [column.name for column in self.reading.features]
        pairs = zip(names, np.asarray(shares).tolist(), strict=True)
        return sorted((pair for pair in pairs if pair[1] > 0), key=lambda pair: -pair[1])


def train(
    reading: Reading, settings: Settings, on_fold: Callable[[], None] = lambda: None
) -> Training:
    """Train a model, and estimate its error by cross-validation.

    Parameters
    ----------
    reading : Reading
        The data.
    settings : Settings
        Model and parameters; with `cv` 0 the error is not estimated.
    on_fold : callable
        Called after each fold of the cross-validation.

    Returns
    -------
    Training
    """
    model = unfitted(reading.task, settings)
    with refusing(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _refuse_options(model, reading)
        fitted = clone(model).fit(reading.X, reading.y, **reading.fit_options(model=model))
        if isinstance(getattr(fitted, "cv", None), GroupFolds):
            fitted.set_params(cv=fitted.cv.n_splits)  # the number: model files hold no splitters
        notes = tuple(dict.fromkeys(str(warning.message) for warning in caught))
        path = getattr(fitted, "pruning_path_", None)
        estimate = None
        criterion = deviance_of(fitted)
        told = Told(reading.n_rows, reading.weight, reading.exposure)
        if settings.cv and reading.task == "survival":
            predicted = cross_validate(model, reading, settings.cv, settings.seed, on_fold)
            estimate = concordance(reading.y, predicted, reading.weight)
        elif settings.cv and criterion is not None:
            estimate = _deviance(model, reading, settings, on_fold, path, criterion, told)
        elif settings.cv and path is not None and path.selected is not None:
            estimate = of_path(reading, fitted, settings.costs)
        elif settings.cv:
            predicted = cross_validate(model, reading, settings.cv, settings.seed, on_fold)
            estimate = of_predictions(predicted, reading.y, reading.task, settings.costs)
    return Training(reading, settings, fitted, estimate, notes)


def with_cut(training: Training, cut: float | str | None) -> Training:
    """Return a training whose model decides by a threshold, which may be that of least cost."""
    if cut is None:
        return training
    need_two_classes(training.model)
    settings, reading = training.settings, training.reading
    positive, how = settings.positive, "as given"
    (other,) = [label for label in reading.classes if label != positive]
    answer, found = partial(positive_scores, positive=positive), None
    if settings.cv:
        unfit = unfitted(reading.task, settings)
        found = cross_validate(unfit, reading, settings.cv, settings.seed, _unseen, answer)
    if cut == "cost":
        both = two_costs(settings.costs, positive, other)
        shown = answer(training.model, reading.X) if found is None else found
        cut = Scores(positive, reading.y == positive, shown, *both).least_cost().cut
        rows = f"by {training.n_folds}-fold cross-validation" if settings.cv else _ON_TRAINING
        how = f"of least cost {rows}"
    estimate = training.estimate
    if found is not None:  # what the estimate was before is that of the model without a threshold
        labels = np.array([other, positive], dtype=reading.y.dtype)
        predicted = labels[(found >= float(cut)).astype(int)]
        estimate = of_predictions(predicted, reading.y, reading.task, settings.costs)
    model = with_threshold(training.model, positive, float(cut))
    return replace(training, model=model, estimate=estimate, threshold=(float(cut), how))


def _unseen() -> None:
    """Tell nobody that a fold is done."""


def _refuse_options(model: Any, reading: Reading) -> None:
    """Refuse columns of weights and exposures that the model cannot use."""
    known = inspect.signature(model.fit).parameters
    for option, name in (("--weight", "sample_weight"), ("--exposure", "exposure")):
        if name in reading.fit_options() and name not in known:
            raise Refusal(f"{option}: this model knows none.")


def _deviance(
    model: Any,
    reading: Reading,
    settings: Settings,
    on_fold: Callable[[], None],
    path: PruningPath | None,
    criterion: str,
    told: Told,
) -> Estimate:
    """Return the cross-validated deviance of rates."""
    if path is not None and path.selected is not None:
        return told.of_path(path)
    predicted = cross_validate(model, reading, settings.cv, settings.seed, on_fold)
    return told.estimate(criterion, np.asarray(reading.y, dtype=np.float64), predicted)


def unfitted(task: str, settings: Settings) -> Any:
    """Return the unfitted model that the settings describe."""
    changes = dict(settings.changes)
    if settings.costs:
        changes["cost_matrix"] = dict(settings.costs)
    with refusing():
        model = make_model(settings.model, task, changes)
    shared: dict[str, Any] = {"random_state": settings.seed, "n_jobs": settings.jobs}
    if getattr(model, "pruning", None) == "cost_complexity":
        folds = settings.cv or 10
        by_group = GroupFolds(folds, settings.seed)
        shared |= {"cv": by_group if settings.by_group else folds, "rule": settings.rule}
    known = model.get_params(deep=False)
    return model.set_params(
        **{key: value for key, value in shared.items() if key in known and key not in changes}
    )


# -- As text


def show(training: Training, screen: Screen) -> None:
    """Print the data, the model, its error, the pruning path, surrogates and importances."""
    show_reading(training.reading, screen)
    if training.tree is not None:
        _show_tree(training, training.tree, screen)
    else:
        _show_members(training, screen)
    for constraint in _constraints(training):
        screen.wrapped(constraint)
    if training.threshold is not None:
        cut, how = training.threshold
        positive = training.settings.positive
        screen.wrapped(f"Threshold {cut:g}, {how}: {positive} from this probability on.")
    for note in training.notes:
        screen.wrapped(f"Note: {note}")
    if training.estimate is not None:
        _show_error(training, training.estimate, screen)
    if training.remedies is not None:
        show_remedies(training.remedies, screen)
    if training.path is not None:
        show_path(training.path, screen)
    if training.tree is not None and training.tree.root.surrogates:
        _show_surrogates(training, training.tree, screen)
    if training.importances():
        _show_importances(training, screen)


def _show_tree(training: Training, tree: Tree, screen: Screen) -> None:
    screen.head(f"Tree: {leaves_text(tree.n_leaves)}, depth {tree.max_depth}")
    screen.wrapped(how(training))
    depth = None if tree.n_leaves <= MOST_LEAVES else fitting_depth(tree)
    screen.tree(tree.to_text(max_depth=depth))


def _constraints(training: Training) -> list[str]:
    """Say which directions hold, in words."""
    signs = training.settings.changes.get("monotonic_cst") or {}
    classes = getattr(training.model, "classes_", None)
    number = "The risk" if training.reading.task == "survival" else "The prediction"
    what = number if classes is None else f"The probability of {classes[-1]}"
    words = {1: "never falls", -1: "never rises"}
    return [f"{what} {words[sign]} as {name} rises." for name, sign in signs.items()]


def how(training: Any) -> str:
    """Say how the tree of a training was made."""
    path = getattr(training.model, "pruning_path_", None)
    if path is None or path.selected is None:
        return MODELS[training.settings.model].words
    criterion, grown = training.model.criterion, int(path.n_leaves[0])
    return f"CART by {criterion}, grown to {leaves_text(grown)}, then pruned"


def fitting_depth(tree: Tree) -> int:
    """Return the number of levels of a large tree to show."""
    counts = np.cumsum(np.bincount(tree.depth))
    return max(1, int(np.searchsorted(counts, 2 * MOST_LEAVES)) - 1)


def _show_members(training: Training, screen: Screen) -> None:
    trees = training.trees
    if not trees:
        screen.head(f"Model: {MODELS[training.settings.model].words}")
        screen.pairs([("experts", str(len(training.model.experts_)))])
        return
    screen.head(f"Model: {plural(len(trees), 'tree')}")
    leaves = np.array([tree.n_leaves for tree in trees])
    depths = [tree.max_depth for tree in trees]
    spread = f"{leaves.mean():.1f} on average, {leaves.min()} to {leaves.max()}"
    pairs = [("kind", MODELS[training.settings.model].words), ("leaves", spread)]
    pairs.append(("depth", f"{min(depths)} to {max(depths)}"))
    kept = getattr(training.model, "selected_", None)
    if kept is not None and len(kept) < len(trees):
        pairs.append(("voting", f"{len(kept)} of {len(trees)}"))
    oob = getattr(training.model, "oob_score_", None)
    if oob is not None and training.reading.task == "classification":
        pairs.append(("out of bag", f"{100 * (1 - oob):.1f} % of rows wrong"))
    elif oob is not None and training.reading.task == "survival":
        pairs.append(("out of bag", f"concordance {oob:.3f}"))
    screen.pairs(pairs)


def _show_error(training: Training, found: Estimate, screen: Screen) -> None:
    names = {"cost per row": "Cost", "cost by weight": "Cost", "deviance": "Deviance"}
    names["concordance"] = "Concordance"
    what = names.get(found.measure, "Error")
    screen.head(f"{what} by {training.n_folds}-fold cross-validation")
    pairs = estimate_pairs(found, "this tree" if training.tree is not None else "this model")
    if found.relative is not None:
        squared = "squared error" if found.measure == "RMSE" else what.lower()
        always = f"always {found.baseline_name}"
        pairs.append(("relative", f"{found.relative:.3f} of the {squared} of {always}"))
    screen.pairs(pairs)
    chosen = "size of the tree" if training.path is not None else None
    if training.threshold is not None:
        chosen = "threshold" if training.threshold[1] != "as given" else None
    if chosen is not None and found.measure != "concordance":
        screen.wrapped(f"The same folds chose the {chosen}: expect slightly more on new rows.")


def _show_surrogates(training: Training, tree: Tree, screen: Screen) -> None:
    root = tree.root
    assert root.test is not None
    if isinstance(root.test, ExpressionTest):
        asked = [root.test.columns[feature].name for feature in root.test.features]
    else:
        asked = [root.test.feature_name]
    missing = " or ".join(f"{name} ({training.reading.gaps.get(name, 0)} here)" for name in asked)
    screen.head(f"Surrogates at the root, for rows without {missing}")
    for surrogate in root.surrogates:
        turned = "not " if surrogate.reversed else ""
        test = surrogate.test.branch_text(0, max_categories=_MOST_CATEGORIES)
        line = f"{turned}{test}: agrees in {100 * surrogate.agreement:.1f} % of rows"
        screen.wrapped(line, carried="    ")


def _show_importances(training: Training, screen: Screen) -> None:
    ranked = training.importances()
    used = plural(len(ranked), "feature")
    screen.head(f"Importances: {used} used of {len(training.reading.features)}")
    screen.pairs(
        [
            (name, f"{share:.3f}  {'#' * max(1, round(_BAR * share))}")
            for name, share in ranked[:MOST_NAMES]
        ],
    )
    if len(ranked) > MOST_NAMES:
        screen.wrapped(f"and {plural(len(ranked) - MOST_NAMES, 'feature')} more")


# -- As JSON


def as_dict(training: Training) -> dict[str, Any]:
    """Return all that is shown, and the tree as `Tree.from_dict` reads it."""
    found = training.estimate
    result: dict[str, Any] = {
        "data": reading_dict(training.reading),
        "settings": _settings(training),
        "notes": list(training.notes),
        "threshold": None if training.threshold is None else training.threshold[0],
        "positive": training.settings.positive,
        "error": None,
        "trees": [tree.n_leaves for tree in training.trees],
        "importances": dict(training.importances()),
    }
    if training.remedies is not None:
        result["single_leaf"] = remedies_dict(training.remedies)
    if found is not None:
        result["error"] = {
            "measure": found.measure,
            "folds": training.n_folds,
            "value": found.value,
            "interval": [found.low, found.high],
            "baseline": found.baseline,
            "baseline_prediction": found.baseline_name,
            "relative": found.relative,
        }
    if training.path is not None:
        result["pruning"] = path_dict(training.path)
    if training.tree is not None:
        result["surrogates_at_root"] = [
            {"test": str(s.test), "reversed": s.reversed, "agreement": s.agreement}
            for s in training.tree.root.surrogates
        ]
        result["tree"] = training.tree.to_dict()
    return result


def _settings(training: Training) -> dict[str, Any]:
    settings = training.settings
    params = training.model.get_params(deep=False)
    costs = [{"true": a, "predicted": b, "cost": c} for (a, b), c in settings.costs.items()]
    plain = (str, int, float, bool, list, type(None))
    return {
        "model": settings.model,
        "seed": settings.seed,
        "costs": costs,
        **{key: value for key, value in params.items() if isinstance(value, plain)},
    }
