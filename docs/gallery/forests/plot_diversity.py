"""
Members that disagree
=====================

A vote improves on its members where they err on different rows. Each point is a pair of members:
their agreement, and their mean error.
"""

import matplotlib.pyplot as plt

from spinney import BaggingClassifier, RandomForestClassifier
from spinney.datasets import load_heart_disease
from spinney.ensemble import diversity
from spinney.plot import plot_kappa_error

heart = load_heart_disease()
X, y, X_new, y_new = heart.X[::2], heart.y[::2], heart.X[1::2], heart.y[1::2]
figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharex=True, sharey=True)
for kind, ax in zip((BaggingClassifier, RandomForestClassifier), axes, strict=True):
    model = kind(n_estimators=30, random_state=0).fit(X, y)
    plot_kappa_error(diversity(model, X_new, y_new), ax)
    ax.set_title(f"{kind.__name__}: {model.score(X_new, y_new):.1%} right")
