"""
Every size the tree could have had
==================================

One fit yields the whole sequence of pruned trees with their cross-validated errors. The smallest
tree within one standard error of the best is selected.
"""

from spinney import CARTClassifier
from spinney.datasets import load_german_credit

credit = load_german_credit()
model = CARTClassifier(pruning="cost_complexity", random_state=0).fit(credit.X, credit.y)
model.pruning_path_.plot(max_leaves=60)

# %%
# The last lines of the underlying table, with rpart's column names:

print(model.pruning_path_.to_frame()[["CP", "nsplit", "rel error", "xerror", "xstd"]].tail(5))
