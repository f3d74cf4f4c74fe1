"""
A first tree
============

920 people, 13 measurements, 1759 missing values. Ten-fold cross-validation chooses the size of the
tree; each box shows the class proportions.
"""

from spinney import CARTClassifier
from spinney.datasets import load_heart_disease
from spinney.plot import plot_tree

heart = load_heart_disease()
model = CARTClassifier(pruning="cost_complexity", random_state=0).fit(heart.X, heart.y)
plot_tree(model, title="Who has a heart disease? 920 people")

# %%
# The same as text:

print(model.tree_)
