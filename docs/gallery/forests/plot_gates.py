"""
Experts and the gates between them
==================================

A mixture of experts learns in which region each of its models is best.
"""

import numpy as np

from spinney import MixtureOfExpertsClassifier
from spinney.plot import plot_gates

rng = np.random.default_rng(0)
X = rng.normal(size=(400, 2))
y = np.where(X[:, 0] > 0, X[:, 1] > 0.3, X[:, 1] + 0.8 * X[:, 0] < -0.5).astype(int)
model = MixtureOfExpertsClassifier(branching=2, random_state=0).fit(X, y)
plot_gates(model, X, y)
print(f"{model.score(X, y):.1%} right")
