"""
Hierarchical shrinkage
======================

A small leaf predicts 0 or 1 from a few rows. With ``shrinkage="auto"`` every node is shrunk towards
its ancestors, with a strength chosen by cross-validation.
"""

import matplotlib.pyplot as plt
import numpy as np

from spinney import CARTClassifier
from spinney.datasets import load_haberman

data = load_haberman()
figure, ax = plt.subplots(figsize=(7, 4))
bins = np.linspace(0, 1, 21)
for shrinkage in (0.0, "auto"):
    model = CARTClassifier(shrinkage=shrinkage, random_state=0).fit(data.X, data.y)
    ax.hist(model.predict_proba(data.X)[:, 1], bins, alpha=0.6, label=f"shrinkage={shrinkage!r}")
ax.set(xlabel=f"predicted probability of {model.classes_[1]}", ylabel="patients")
ax.legend()
