"""Mixtures of experts, trained by the EM algorithm."""

from spinney import _libraries  # noqa: F401  (first: see there)
from spinney.mixture._gates import Gate, LinearPart
from spinney.mixture._mixtures import MixtureOfExpertsClassifier, MixtureOfExpertsRegressor

__all__ = ["Gate", "LinearPart", "MixtureOfExpertsClassifier", "MixtureOfExpertsRegressor"]
