"""
Categories without encoding
===========================

No encoder is needed: a test names the best set of categories, found among all subsets.
"""

from spinney import CARTClassifier
from spinney.datasets import load_lymphography
from spinney.plot import plot_tree

nodes = load_lymphography()
model = CARTClassifier(max_depth=3).fit(nodes.X, nodes.y)
plot_tree(model, title="What the lymph nodes show")
