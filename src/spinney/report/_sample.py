"""Rows to show a model on: encoded as the model does, with their target and weights."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from spinney._counts import NO_EXPOSURE, check_counts, check_exposure, is_deviance
from spinney._target import FitTarget, check_numbers, check_weights, class_target
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
        Class codes, or numbers.
    exposure : array
        For which numbers were counted; empty if there is none.
    """

    given: Given
    values: Floats
    weight: Floats
    truth: NDArray[Any]
    exposure: Floats

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
    return str(model._judge_name()) if hasattr(model, "_judge_name") else "squared_error"


def read_sample(model: Any, given: Given, classes: NDArray[Any] | None) -> Sample:
    """Encode and check rows.

    Parameters
    ----------
    model : estimator
        Fitted; its columns are needed.
    given : Given
        The rows.
    classes : array or None
        The labels; None for numbers.

    Returns
    -------
    Sample
    """
    name = type(model).__name__
    values = model._rows(given.X)
    weight = check_weights(given.sample_weight, len(values))
    if classes is not None:
        target = class_target(given.y, weight, estimator_name=name, classes=classes)
        return Sample(given, values, weight, target.truth, NO_EXPOSURE)
    criterion = criterion_of(model)
    numbers = check_numbers(given.y, weight, name)
    exposure = check_exposure(given.exposure, weight, criterion)
    if is_deviance(criterion):
        check_counts(numbers, weight, exposure, criterion)
    return Sample(given, values, weight, numbers, exposure)
