"""Mixtures of experts: gates that learn whom to trust where."""

from spinney import _libraries  # noqa: F401  (first: see there)
from spinney.mixture._classifier import MixtureOfExpertsClassifier
from spinney.mixture._regressor import MixtureOfExpertsRegressor
from spinney.mixture._views import Gate, LinearPart

__all__ = ["Gate", "LinearPart", "MixtureOfExpertsClassifier", "MixtureOfExpertsRegressor"]
