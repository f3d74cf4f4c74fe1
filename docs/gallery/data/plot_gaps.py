"""
Missing values at prediction
============================

A tree with surrogate splits predicts rows with more and more missing values. It was trained on
complete rows, so no side for missing values could be learned.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from spinney import CARTClassifier
from spinney.datasets import load_breast_cancer_wdbc

data = load_breast_cancer_wdbc()
X, X_new, y, y_new = train_test_split(data.X, data.y, test_size=0.5, random_state=0)
shares = np.linspace(0, 0.6, 7)
figure, ax = plt.subplots(figsize=(7, 4))
for n_surrogates in (0, 5):
    model = CARTClassifier(max_depth=4, max_surrogates=n_surrogates).fit(X, y)
    rng = np.random.default_rng(0)
    scores = [model.score(X_new.mask(rng.random(X_new.shape) < share), y_new) for share in shares]
    ax.plot(shares, scores, marker="o", label=f"{n_surrogates} surrogates")
ax.set(xlabel="share of values removed", ylabel="accuracy", title="Benign or malignant?")
ax.legend()
