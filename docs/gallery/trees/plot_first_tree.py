"""
A tree to read
==============

920 people, 13 columns, 1759 missing values. Ten-fold cross-validation decides how much of the
tree is kept; each box shows the class proportions.
"""

from spinney import CARTClassifier
from spinney.datasets import load_heart_disease
from spinney.plot import plot_tree

heart = load_heart_disease()
model = CARTClassifier(pruning="cost_complexity", random_state=0).fit(heart.X, heart.y)
plot_tree(model, title="Who has heart disease? 920 people")

# %%
# The same tree as text:

print(model.tree_)
