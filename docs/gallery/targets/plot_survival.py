"""
Survival curves
===============

A survival tree has a curve in every leaf. Censored lifetimes, of people who left the study before
the event, count for as long as they were observed.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from spinney import SurvivalTree

rng = np.random.default_rng(0)
n = 600
X = pd.DataFrame({"age": rng.integers(30, 85, n), "stage": rng.choice(["I", "II", "III"], n)})
hazard = 0.1 * np.exp(0.9 * (X["stage"] == "III") + 0.03 * (X["age"] - 60))
end, stop = rng.exponential(1 / hazard), rng.uniform(1, 20, n)
y = pd.DataFrame({"event": end <= stop, "time": np.minimum(end, stop).round(2) + 0.01})
model = SurvivalTree(max_leaf_nodes=4, min_samples_leaf=30).fit(X, y)
leaves, first = np.unique(model.apply(X), return_index=True)
times = np.linspace(0.1, 18, 100)
curves = model.predict_survival_function(X.iloc[first], times=times)
figure, ax = plt.subplots(figsize=(7, 4))
for leaf, curve in zip(leaves, curves, strict=True):
    ax.step(times, curve, label=f"leaf {leaf}")
ax.set(xlabel="years", ylabel="share without the event", ylim=(0, 1))
ax.legend()
print(model.tree_)
