"""
Evolved tests
=============

Expressions over several columns, found by genetic programming: here the product of two columns
determines the class.
"""

import matplotlib.pyplot as plt
import numpy as np

from spinney import CARTClassifier, GPTreeClassifier
from spinney.plot import plot_regions

rng = np.random.default_rng(0)
X = rng.uniform(0, 2, size=(300, 2))
y = np.where(X[:, 0] * X[:, 1] > 0.8, "large", "small")
models = {
    "thresholds": CARTClassifier(),
    "evolved": GPTreeClassifier(100, generations=20, max_depth=1, random_state=0),
}
figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for (name, model), ax in zip(models.items(), axes, strict=True):
    plot_regions(model.fit(X, y), X, y, ax=ax)
    ax.set_title(f"{name}: {model.tree_.n_leaves} leaves")
print(model.tree_)
