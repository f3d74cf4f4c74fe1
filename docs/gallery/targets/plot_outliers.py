"""
Medians for targets with outliers
=================================

Outliers pull means, and with them the steps of a tree. With ``"absolute_error"`` leaves predict
medians.
"""

import matplotlib.pyplot as plt
import numpy as np

from spinney import CARTRegressor

rng = np.random.default_rng(1)
x = np.sort(rng.uniform(0, 6, 200))
y = np.where(x < 2, 1.0, np.where(x < 4, 2.0, 1.5)) + rng.normal(0, 0.1, 200)
y[rng.choice(200, 12, replace=False)] += 8
figure, ax = plt.subplots(figsize=(7, 4))
ax.scatter(x, y, s=6, color="0.7")
for criterion, style in (("squared_error", "--"), ("absolute_error", "-")):
    model = CARTRegressor(criterion, max_leaf_nodes=4, min_samples_leaf=15).fit(x[:, None], y)
    ax.plot(x, model.predict(x[:, None]), style, drawstyle="steps-mid", label=criterion)
ax.set(xlabel="x", ylabel="y", ylim=(0, 5))
ax.legend()
