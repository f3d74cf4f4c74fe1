"""Counts and amounts on the command line: their weights, exposures and deviances."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._cli.metrics import Estimate, Z
from spinney._counts import NO_EXPOSURE, is_deviance
from spinney.pruning import PruningPath

Floats = NDArray[np.float64]


def deviance_of(model: Any) -> str | None:
    """Return the criterion of a model if it is a deviance, with its parameter."""
    criterion = model._judge_name() if hasattr(model, "_judge_name") else ""
    return criterion if is_deviance(criterion) else None


class Told:
    """What rows weigh, and for which exposure they were counted.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    weight, exposure : array of shape (n_rows,) or None
        As columns of the data say.
    """

    def __init__(self, n_rows: int, weight: Floats | None, exposure: Floats | None) -> None:
        self.weight = np.ones(n_rows) if weight is None else weight
        self.exposure = NO_EXPOSURE if exposure is None else exposure

    @property
    def time(self) -> Floats:
        """Weight times exposure."""
        return self.weight * self.exposure if len(self.exposure) else self.weight

    def estimate(self, criterion: str, y: Floats, predicted: Floats) -> Estimate:
        """Return the deviance per unit of exposure of predicted rates."""
        rate = np.full(len(y), (self.weight @ y) / self.time.sum())
        each = 2.0 * _core.number_costs(criterion, predicted, y, self.exposure)
        alone = 2.0 * _core.number_costs(criterion, rate, y, self.exposure)
        mean = np.average(each, weights=self.weight)
        spread = math.sqrt(np.average((each - mean) ** 2, weights=self.weight) / len(y))
        unit = self.weight.sum() / self.time.sum()
        numbers = (mean, spread, np.average(alone, weights=self.weight))
        return _estimate(*(float(unit * number) for number in numbers))

    def of_path(self, path: PruningPath) -> Estimate:
        """Return the cross-validated deviance of the tree that was selected from a path."""
        assert path.errors is not None
        assert path.standard_errors is not None
        assert path.selected is not None
        unit = 2.0 * float(self.weight.sum() / self.time.sum())
        error, spread = path.errors[path.selected], path.standard_errors[path.selected]
        return _estimate(unit * float(error), unit * float(spread), unit * float(path.errors[-1]))


def _estimate(value: float, spread: float, alone: float) -> Estimate:
    low, high = max(0.0, value - Z * spread), value + Z * spread
    relative = value / alone if alone > 0 else None
    return Estimate("deviance", value, low, high, alone, "the mean rate", relative)
