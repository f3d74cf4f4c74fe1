"""Rows to show a model on: encoded as the model does, with their target and weights."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._counts import NO_EXPOSURE, check_counts, check_exposure, is_deviance
from spinney._lifetimes import Lifetimes, SurvivalMixin
from spinney._target import (
    FitTarget,
    check_numbers,
    check_weights,
    class_target,
    lifetime_target,
)
from spinney._typing import Floats
from spinney.tree._tree import Tree


@dataclass(frozen=True, eq=False)
class Given:
    """Rows as the user gave them."""

    X: Any
    y: Any
    sample_weight: Any = None
    exposure: Any = None


@dataclass(frozen=True, eq=False)
class Sample:
    """Encoded rows with a checked target.

    Parameters
    ----------
    given : Given
        The user's table and target.
    values : array of shape (n_rows, n_features)
        Numbers and category codes; NaN is missing.
    weight : array of shape (n_rows,)
        Weights of the rows.
    truth : array of shape (n_rows,)
        Class codes, or numbers; of lifetimes 1 where the event was seen.
    exposure : array
        For which numbers were counted; empty if there is none. Of lifetimes the hazard of all rows
        up to their end.
    lifetimes : Lifetimes or None
        Events and times.
    """

    given: Given
    values: Floats
    weight: Floats
    truth: NDArray[Any]
    exposure: Floats
    lifetimes: Lifetimes | None = None

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.weight)

    @property
    def time(self) -> Floats:
        """Weight of each row times its exposure."""
        return self.weight * self.exposure if len(self.exposure) else self.weight

    @property
    def rates(self) -> Floats:
        """The numbers, per unit of exposure."""
        found: Floats = self.truth / self.exposure if len(self.exposure) else self.truth
        return found

    def target(self, tree: Tree) -> Any:
        """Return the target as the core judges a tree by it."""
        if tree.classes is None:
            return FitTarget(self.weight, y=self.truth, exposure=self.exposure).core()
        return class_target(
            tree.classes[self.truth], self.weight, estimator_name="Report", classes=tree.classes
        ).core()


def criterion_of(model: Any) -> str:
    """Return the criterion by which a regressor is judged, with its parameter."""
    if isinstance(model, SurvivalMixin):
        return "poisson"  # events in time on the scale of the hazard
    return str(model._judge_name()) if hasattr(model, "_judge_name") else "squared_error"


def read_sample(
    model: Any, given: Given, classes: NDArray[Any] | None, first: Sample | None = None
) -> Sample:
    """Encode and check rows.

    Parameters
    ----------
    model : estimator
        Fitted; its columns are needed.
    given : Given
        The rows.
    classes : array or None
        The labels; None for numbers.
    first : Sample or None
        The data, if these rows are the hold-out: lifetimes are measured on its scale.

    Returns
    -------
    Sample
    """
    name = type(model).__name__
    values = model._rows(given.X)
    weight = check_weights(given.sample_weight, len(values))
    if isinstance(model, SurvivalMixin):
        if given.exposure is not None:
            raise ValueError("exposure is given, but the target are lifetimes. Leave it out.")
        ends = lifetime_target(given.y, weight, estimator_name=name, criterion="poisson")
        assert ends.y is not None
        hazard = ends.exposure if first is None else _hazard_at(first, ends.lifetimes)
        return Sample(given, values, weight, ends.y, hazard, ends.lifetimes)
    if classes is not None:
        target = class_target(given.y, weight, estimator_name=name, classes=classes)
        return Sample(given, values, weight, target.truth, NO_EXPOSURE)
    criterion = criterion_of(model)
    numbers = check_numbers(given.y, weight, name)
    exposure = check_exposure(given.exposure, weight, criterion)
    if is_deviance(criterion):
        check_counts(numbers, weight, exposure, criterion)
    return Sample(given, values, weight, numbers, exposure)


def _hazard_at(first: Sample, lifetimes: Lifetimes | None) -> Floats:
    """Return the hazard of other rows up to the ends of these."""
    assert first.lifetimes is not None
    assert lifetimes is not None
    used = first.weight > 0
    time, place = np.unique(np.append(0.0, first.lifetimes.time[used]), return_index=True)
    hazard = np.append(0.0, first.exposure[used])[place]
    found: Floats = np.interp(lifetimes.time, time, hazard)
    return found


def some_rows(n_rows: int, most: int) -> NDArray[np.intp]:
    """Return the places of all rows, or of so many drawn at random, in their order."""
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(0).choice(n_rows, most, replace=False))


def some_target(data: Sample, places: NDArray[np.intp]) -> Any:
    """Return the target of some rows as `fit` takes it."""
    if data.lifetimes is None:
        return np.asarray(data.given.y)[places]
    return {"event": data.lifetimes.event[places], "time": data.lifetimes.time[places]}
