"""
Prediction intervals
====================

A forest that keeps its targets predicts quantiles: half of the houses, and nine of ten, lie within
the bands.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from spinney import RandomForestRegressor
from spinney.datasets import load_boston_housing

data = load_boston_housing()
X, X_new, y, y_new = train_test_split(data.X, data.y, test_size=0.3, random_state=0)
forest = RandomForestRegressor(100, min_samples_leaf=5, keep_targets=True, random_state=0)
bounds = forest.fit(X, y).predict_quantiles(X_new, (0.05, 0.25, 0.5, 0.75, 0.95))
order = np.argsort(bounds[:, 2])
at = np.arange(len(order))
figure, ax = plt.subplots(figsize=(8, 4))
ax.fill_between(at, bounds[order, 0], bounds[order, 4], alpha=0.25, label="90 %")
ax.fill_between(at, bounds[order, 1], bounds[order, 3], alpha=0.45, label="50 %")
ax.scatter(at, np.asarray(y_new)[order], s=8, color="k", label="true value")
ax.set(xlabel="houses, by their predicted median", ylabel="value in 1000 dollars")
ax.legend()
