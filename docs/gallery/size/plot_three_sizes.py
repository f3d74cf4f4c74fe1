"""
Nested subtrees
===============

The trees of a pruning path are nested: each is the one before with some branches cut.
"""

from spinney import CARTClassifier
from spinney.datasets import load_pima_indians_diabetes
from spinney.plot import plot_tree

pima = load_pima_indians_diabetes()
path = CARTClassifier(pruning="cost_complexity", random_state=0).fit(pima.X, pima.y).pruning_path_
small = next(k for k in range(len(path)) if path.n_leaves[k] <= 7)
plot_tree(path.trees[small], title=f"{path.n_leaves[small]} leaves")

# %%
# One step on:

plot_tree(path.trees[small + 1], title=f"{path.n_leaves[small + 1]} leaves")
