"""A tree of one leaf: why nothing is divided, and which options would change that.

Where one class is much rarer than the other, no leaf may hold more of it than of the other, and the
tree of least error is a single leaf. Costs, priors and weights say that the rare class matters
more; each is tried by cross-validation, so that people see what they would get.
"""

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spinney._cli.data.reading import Reading
from spinney._cli.metrics import cross_validate
from spinney._cli.models import Settings, knows
from spinney._cli.output import Screen
from spinney._format import plural

_FOLDS = 5
_MOST_ROWS = 20_000  # by which remedies are tried
_MORE = 0.02  # of recall, by chance
_UNBALANCED = 0.6  # share of the most frequent class


@dataclass(frozen=True)
class Remedy:
    """An option, and what the model then does on rows that did not train it."""

    option: str
    leaves: float  # on average over the folds
    recall: float  # share of the rare class that is found; of more classes, the mean of all
    precision: float  # NaN if nothing is predicted as the rare class, or with more classes
    auc: float  # NaN with more classes


@dataclass(frozen=True)
class Remedies:
    """Why a tree is one leaf, and what was tried."""

    reasons: tuple[str, ...]
    tried: tuple[Remedy, ...] = ()
    untried: tuple[str, ...] = ()  # options, if there is no cross-validation
    n_rows: int = 0  # by which they were tried
    rare: Any = None  # the positive class; None with more than two classes

    @property
    def helps(self) -> bool:
        """Whether something that was tried finds more than the model as it is."""
        before, *after = self.tried
        return any(each.recall > before.recall + _MORE for each in after)


def find_remedies(
    reading: Reading, settings: Settings, model: Any, unfitted: Callable[[Settings], Any]
) -> Remedies | None:
    """Return what would help against a single leaf; None if there are more.

    Parameters
    ----------
    reading : Reading
        The training data.
    settings : Settings
        As the model was trained.
    model : estimator
        Fitted.
    unfitted : callable
        From settings to an unfitted model.

    Returns
    -------
    Remedies or None
    """
    tree = getattr(model, "tree_", None)
    if tree is None or tree.n_leaves > 1:
        return None
    is_class = reading.task == "classification"
    always = f"always {tree.root.prediction}" if is_class else "one value for all rows"
    labels, counts = reading.class_counts
    told = {"priors", "class_weight"} & set(settings.changes) or settings.costs
    if not is_class or told or counts.max() < _UNBALANCED * len(reading.y):
        return Remedies((f"No test was found that predicts better than {always}.", _columns(model)))
    options = _options(settings, labels, counts.tolist())
    share = 100 * counts.min() / counts.sum()
    rare = labels[int(counts.argmin())]
    reasons = (
        f"{rare} is {share:.1f} % of the rows. A leaf predicts {rare} only if most of its rows are "
        f"{rare}, and no tests lead to such leaves reliably, so {always} has the least error. If "
        f"it matters more to find {rare} than the error rate says, let the tree know:",
    )
    positive = settings.positive
    if not settings.cv:
        return Remedies(reasons, untried=tuple(options), rare=positive)
    sample = _sample(reading, settings.seed)
    tried = [_try("as it is", settings, sample, unfitted)]
    tried += [_try(option, each, sample, unfitted) for option, each in options.items()]
    return Remedies(reasons, tuple(tried), n_rows=sample.n_rows, rare=positive)


def _columns(model: Any) -> str:
    if getattr(model, "pruning", None) == "cost_complexity":
        return "See what the tree looks like before it is pruned: --model cart_full."
    return "The columns may tell nothing about it."


def _options(settings: Settings, labels: list[Any], counts: list[int]) -> dict[str, Settings]:
    """Return options that make the rare class count more, with the settings that they mean."""
    found = {}
    if len(labels) == 2 and knows(settings.model, "classification", "cost_matrix"):
        rare, other = (labels[k] for k in np.argsort(counts).tolist())
        price = float(f"{max(counts) / min(counts):.2g}")
        option = f"--cost {shlex.quote(f'{rare}:{other}={price:g}')}"
        found[option] = replace(settings, costs={(rare, other): price})
    if knows(settings.model, "classification", "priors"):
        priors = dict.fromkeys(labels, 1.0 / len(labels))
        shown = {label: float(f"{share:.3g}") for label, share in priors.items()}
        text = json.dumps(shown) if all(isinstance(key, str) for key in shown) else str(shown)
        if abs(sum(shown.values()) - 1.0) < 1e-9:
            found[f"--set {shlex.quote(f'priors={text}')}"] = _changed(settings, priors=priors)
    if knows(settings.model, "classification", "class_weight"):
        found["--set class_weight=balanced"] = _changed(settings, class_weight="balanced")
    return found


def _changed(settings: Settings, **changes: Any) -> Settings:
    return replace(settings, changes={**settings.changes, **changes})


def _sample(reading: Reading, seed: int) -> Reading:
    """Return some rows of a long table, with the shares of its classes."""
    if reading.n_rows <= _MOST_ROWS:
        return reading
    from spinney._folds import hold_out

    strata = np.unique(reading.y, return_inverse=True)[1]
    every = np.ones(reading.n_rows, dtype=bool)
    rows = hold_out(_MOST_ROWS / reading.n_rows, strata, every, seed)
    return replace(
        reading,
        features=tuple(column.take(rows) for column in reading.features),
        target=reading.target.take(rows),
        weight=None if reading.weight is None else reading.weight[rows],
        group=None if reading.group is None else reading.group[rows],
    )


def _try(
    option: str, settings: Settings, reading: Reading, unfitted: Callable[[Settings], Any]
) -> Remedy:
    """Return what a model does on rows that did not train it."""
    labels, codes = np.unique(reading.y, return_inverse=True)
    leaves = []

    def answer(fitted: Any, rows: Any) -> Any:
        leaves.append(fitted.tree_.n_leaves)
        guess = np.searchsorted(labels, fitted.predict(rows))
        return np.column_stack([guess, fitted.predict_proba(rows)[:, -1]])

    from sklearn.metrics import roc_auc_score  # here: seldom needed

    found = cross_validate(unfitted(settings), reading, _FOLDS, settings.seed, lambda: None, answer)
    guess, score = found[:, 0].astype(np.intp), found[:, 1]
    hits = np.array([np.mean(guess[codes == k] == k) for k in range(len(labels))])
    if len(labels) > 2:
        return Remedy(option, float(np.mean(leaves)), float(hits.mean()), np.nan, np.nan)
    place = labels.tolist().index(settings.positive)
    chosen = guess == place
    precision = float(np.mean(codes[chosen] == place)) if chosen.any() else np.nan
    auc = float(roc_auc_score(codes, score))
    return Remedy(option, float(np.mean(leaves)), float(hits[place]), precision, auc)


# -- As text and as JSON


def show_remedies(found: Remedies, screen: Screen) -> None:
    """Print the reasons, and a table of options with their effects."""
    screen.head("One leaf: why, and what would help" if found.tried else "One leaf: why")
    for reason in found.reasons:
        screen.wrapped(reason)
    for option in found.untried:
        screen.line(f"    {option}")
    if not found.tried:
        return
    two = found.rare is not None
    rows = [["option", "leaves", *(["recall", "precision", "AUC"] if two else ["mean recall"])]]
    for each in found.tried:
        numbers = [each.recall, each.precision, each.auc] if two else [each.recall]
        shown = ["-" if number != number else f"{number:.3f}" for number in numbers]
        rows.append([each.option, f"{each.leaves:.1f}", *shown])
    screen.table(rows, left=(0,))
    words = f"By {_FOLDS}-fold cross-validation on {plural(found.n_rows, 'row')}."
    if two:
        words += (
            f" Recall: share of {found.rare} that is found; precision: share of {found.rare} among "
            f"the rows predicted so; AUC: how well probabilities rank them, 0.5 by chance."
        )
    screen.wrapped(words)
    if not found.helps:
        screen.wrapped("None of them finds more: the columns tell little about it.")


def remedies_dict(found: Remedies) -> dict[str, Any]:
    """Return the reasons and the options, for JSON."""
    return {
        "reasons": list(found.reasons),
        "options": [vars(each) for each in found.tried],
        "untried": list(found.untried),
        "rows": found.n_rows,
    }
