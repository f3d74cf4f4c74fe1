"""
A branch for each category
==========================

C4.5 has one branch for each category of a column. The ten applicants are an example to work through
by hand.
"""

from spinney import C45Classifier
from spinney.datasets import load_credit_example
from spinney.plot import plot_tree

credit = load_credit_example()
model = C45Classifier(min_samples_leaf=1, pruning=None).fit(credit.X, credit.y)
plot_tree(model, title="Ten applicants")

# %%
# Its rules:

print(model.tree_.rules())
