"""
A score that never falls
========================

A higher income must not lower the score. A monotonic constraint keeps noise in the data from
violating that.
"""

import matplotlib.pyplot as plt
import numpy as np

from spinney import CARTRegressor

rng = np.random.default_rng(3)
income = np.sort(rng.uniform(10, 90, 200))
chance = 1 / (1 + np.exp((35 - income) / 12)) + rng.normal(0, 0.2, 200)
figure, ax = plt.subplots(figsize=(7, 4))
ax.scatter(income, chance, s=8, color="0.7")
for constraint, style in ((None, "--"), ([1], "-")):
    model = CARTRegressor(min_samples_leaf=8, monotonic_cst=constraint)
    model.fit(income[:, None], chance)
    label = "unconstrained" if constraint is None else "monotonic"
    ax.step(income, model.predict(income[:, None]), style, label=label)
ax.set(xlabel="income in thousands", ylabel="score")
ax.legend()
