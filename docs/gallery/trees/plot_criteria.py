"""
Splitting criteria
==================

Gini, entropy and twoing mostly agree. Where they do not, the size of the pruned tree shows it.
"""

import matplotlib.pyplot as plt

from spinney import CARTClassifier
from spinney.datasets import load_glass

glass = load_glass()
leaves, errors = {}, {}
for criterion in ("gini", "entropy", "twoing", "misclassification"):
    model = CARTClassifier(criterion, pruning="cost_complexity", random_state=0)
    path = model.fit(glass.X, glass.y).pruning_path_
    leaves[criterion] = path.n_leaves[path.selected]
    errors[criterion] = path.errors[path.selected]

figure, ax = plt.subplots(figsize=(7, 3.5))
ax.scatter(list(leaves.values()), list(errors.values()))
for criterion in leaves:
    place = leaves[criterion], errors[criterion]
    ax.annotate(criterion, place, (6, 4), textcoords="offset points")
ax.set(xlabel="leaves after pruning", ylabel="cross-validated error", title="214 pieces of glass")
ax.margins(x=0.25, y=0.2)
