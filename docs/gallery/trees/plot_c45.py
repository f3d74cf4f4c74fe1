"""
A branch for each category
==========================

C4.5 splits a nominal column into one branch per category. The ten applicants are few enough to
check the tree by hand.
"""

from spinney import C45Classifier
from spinney.datasets import load_credit_example
from spinney.plot import plot_tree

credit = load_credit_example()
model = C45Classifier(min_samples_leaf=1, pruning=None).fit(credit.X, credit.y)
plot_tree(model, title="Ten applicants")

# %%
# The same tree as rules:

print(model.tree_.rules())
