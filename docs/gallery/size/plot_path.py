"""
Every size the tree could have had
==================================

One fit gives the whole sequence of pruned trees with cross-validated errors. The tree within one
standard error of the best is chosen.
"""

from spinney import CARTClassifier
from spinney.datasets import load_german_credit

credit = load_german_credit()
model = CARTClassifier(pruning="cost_complexity", random_state=0).fit(credit.X, credit.y)
model.pruning_path_.plot(max_leaves=60)

# %%
# The last lines of the table behind it, in the words of rpart:

print(model.pruning_path_.to_frame()[["CP", "nsplit", "rel error", "xerror", "xstd"]].tail(5))
