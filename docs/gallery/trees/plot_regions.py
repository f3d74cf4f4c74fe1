"""
Decision regions
================

A tree divides the plane by lines parallel to the axes, shown here for two columns of the iris data.
"""

import matplotlib.pyplot as plt

from spinney import CARTClassifier
from spinney.datasets import load_iris
from spinney.plot import plot_regions

iris = load_iris()
two = iris.X[["petal_length", "petal_width"]]
figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for depth, ax in zip((2, None), axes, strict=True):
    model = CARTClassifier(max_depth=depth).fit(two, iris.y)
    plot_regions(model, two, iris.y, ax=ax)
    ax.set_title(f"{model.tree_.n_leaves} leaves")
