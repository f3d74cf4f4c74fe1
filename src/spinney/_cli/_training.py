"""A fitted model and how well it does on rows that did not train it."""

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spinney import Tree
from spinney._cli._estimate import Costs, Estimate, cross_validate, of_path, of_predictions
from spinney._cli._model_files import trees_of
from spinney._cli._models import make_model
from spinney._cli._reading import Reading
from spinney._cli._refusal import Refusal
from spinney.pruning import PruningPath


@dataclass(frozen=True)
class Settings:
    """Which model, and how it is trained and judged."""

    model: str = "cart"
    cv: int = 10
    rule: str = "1se"
    seed: int = 0
    jobs: int = -1
    changes: Mapping[str, Any] = field(default_factory=dict)  # parameters that the user gave
    costs: Costs = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Training:
    """The result of `train`."""

    reading: Reading
    settings: Settings
    model: Any
    estimate: Estimate | None  # None if there was no cross-validation
    notes: tuple[str, ...] = ()  # what the model warned of

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
        """The sizes the tree was chosen from, if it was."""
        path: PruningPath | None = getattr(self.model, "pruning_path_", None)
        return None if path is None or path.selected is None else path

    @property
    def n_folds(self) -> int:
        """The number of folds that were made; no more than there are rows."""
        return min(self.settings.cv, self.reading.n_rows)

    def importances(self) -> list[tuple[str, float]]:
        """Return the features that the model uses, the most important first."""
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
        How. With `cv` 0 nothing is estimated.
    on_fold : callable
        Called when a fold of the cross-validation is done.

    Returns
    -------
    Training
    """
    model = unfitted(reading, settings)
    with refusing(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted = model.fit(reading.X, reading.y)
        notes = tuple(dict.fromkeys(str(warning.message) for warning in caught))
        path = getattr(fitted, "pruning_path_", None)
        estimate = None
        if settings.cv and path is not None and path.selected is not None:
            estimate = of_path(reading, path, settings.costs)
        elif settings.cv:
            predicted = cross_validate(model, reading, settings.cv, settings.seed, on_fold)
            estimate = of_predictions(predicted, reading.y, reading.task, settings.costs)
    return Training(reading, settings, fitted, estimate, notes)


def unfitted(reading: Reading, settings: Settings) -> Any:
    """Return the model that the settings describe, before it is fitted."""
    changes = dict(settings.changes)
    if settings.costs:
        changes["cost_matrix"] = dict(settings.costs)
    with refusing():
        model = make_model(settings.model, reading.task, changes)
    shared: dict[str, Any] = {"random_state": settings.seed, "n_jobs": settings.jobs}
    if getattr(model, "pruning", None) == "cost_complexity":
        shared |= {"cv": settings.cv or 10, "rule": settings.rule}
    known = model.get_params(deep=False)
    return model.set_params(
        **{key: value for key, value in shared.items() if key in known and key not in changes}
    )


@contextmanager
def refusing() -> Iterator[None]:
    """Turn what estimators refuse into a refusal of the command."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise Refusal(str(error)) from error
    except MemoryError as error:
        raise Refusal("there is not enough memory for this. Try a sample of the rows.") from error
