"""
Experts and their gates
=======================

A mixture of experts learns where each of its models can be trusted.
"""

import numpy as np

from spinney import MixtureOfExpertsClassifier
from spinney.plot import plot_gates

rng = np.random.default_rng(0)
X = rng.normal(size=(400, 2))
y = np.where(X[:, 0] > 0, X[:, 1] > 0.3, X[:, 1] + 0.8 * X[:, 0] < -0.5).astype(int)
model = MixtureOfExpertsClassifier(branching=2, random_state=0).fit(X, y)
plot_gates(model, X, y)
print(f"accuracy {model.score(X, y):.1%}")
