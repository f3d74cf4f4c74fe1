"""
A branch for each category
==========================

C4.5 asks once what a column holds, and goes on in as many branches as there are answers. The ten
applicants are an example to work through by hand.
"""

from spinney import C45Classifier
from spinney.datasets import load_credit_example
from spinney.plot import plot_tree

credit = load_credit_example()
model = C45Classifier(min_samples_leaf=1, pruning=None).fit(credit.X, credit.y)
plot_tree(model, title="Ten applicants")

# %%
# The rules that it stands for:

print(model.tree_.rules())
