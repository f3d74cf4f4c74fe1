"""
A regression tree is a step function
====================================

A regression tree predicts the mean of a leaf. Pruning keeps the steps that generalize to new rows.
"""

import matplotlib.pyplot as plt
import numpy as np

from spinney import CARTRegressor

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 6, 300))
y = np.sin(x) + rng.normal(0, 0.25, 300)
figure, ax = plt.subplots(figsize=(7, 4))
ax.scatter(x, y, s=6, color="0.75")
for pruning, style in ((None, ":"), ("cost_complexity", "-")):
    model = CARTRegressor(pruning=pruning, random_state=0).fit(x[:, None], y)
    label = f"pruning={pruning!r}: {model.tree_.n_leaves} leaves"
    ax.plot(x, model.predict(x[:, None]), style, drawstyle="steps-mid", label=label)
ax.set(xlabel="x", ylabel="y")
ax.legend()
