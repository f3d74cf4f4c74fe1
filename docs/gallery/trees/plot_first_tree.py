"""
A tree to read
==============

920 people, 13 measurements, 1759 of them missing. Ten-fold cross-validation decides how much of
the tree is kept, and a box shows the shares of the classes.
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
