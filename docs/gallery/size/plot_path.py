"""
The sequence of pruned trees
============================

One fit returns the whole sequence of pruned trees with cross-validated errors. The smallest tree
within one standard error of the best is selected.
"""

from spinney import CARTClassifier
from spinney.datasets import load_german_credit

credit = load_german_credit()
model = CARTClassifier(pruning="cost_complexity", random_state=0).fit(credit.X, credit.y)
model.pruning_path_.plot(max_leaves=60)

# %%
# The last lines of its table, with the columns of rpart:

print(model.pruning_path_.to_frame()[["CP", "nsplit", "rel error", "xerror", "xstd"]].tail(5))
