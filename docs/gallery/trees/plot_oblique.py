"""
Oblique splits
==============

A border that is not parallel to an axis takes many axis-parallel steps, or one test on a linear
combination of columns (``splitter="oblique"``).
"""

import matplotlib.pyplot as plt
import numpy as np

from spinney import CARTClassifier
from spinney.plot import plot_regions

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, size=(300, 2))
y = np.where(X[:, 0] + 0.6 * X[:, 1] > 0.1, "above", "below")
figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for splitter, ax in zip(("best", "oblique"), axes, strict=True):
    model = CARTClassifier(splitter=splitter, random_state=0).fit(X, y)
    plot_regions(model, X, y, ax=ax)
    ax.set_title(f"{splitter}: {model.tree_.n_leaves} leaves")
print(model.tree_.root.test)
