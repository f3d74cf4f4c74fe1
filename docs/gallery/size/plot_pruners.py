"""
Four pruning methods
====================

Cost complexity with cross-validation, validation rows, C4.5's confidence limits, and minimum
description length: the size of the pruned tree and its error on test rows.
"""

import matplotlib.pyplot as plt
from sklearn.model_selection import train_test_split

from spinney import CARTClassifier
from spinney.datasets import load_pima_indians_diabetes

pima = load_pima_indians_diabetes()
X, X_new, y, y_new = train_test_split(
    pima.X, pima.y, test_size=0.4, stratify=pima.y, random_state=0
)
figure, ax = plt.subplots(figsize=(7, 4))
for pruning in (None, "cost_complexity", "reduced_error", "error_based", "mdl"):
    model = CARTClassifier(pruning=pruning, random_state=0).fit(X, y)
    ax.scatter(model.tree_.n_leaves, 1 - model.score(X_new, y_new), label=f"{pruning}")
ax.set(xscale="log", xlabel="leaves", ylabel="error on other rows", title="Who has diabetes?")
ax.legend(title="pruning")
