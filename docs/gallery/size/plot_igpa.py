"""
Iterative growing and pruning
=============================

IGPA divides the rows into halves: one grows the tree, the other prunes it, and then they swap until
the size no longer changes.
"""

import matplotlib.pyplot as plt
import numpy as np

from spinney import IGPAClassifier
from spinney.datasets import load_german_credit

credit = load_german_credit()
steps = IGPAClassifier(random_state=0).fit(credit.X, credit.y).history_
at = np.arange(len(steps))
figure, ax = plt.subplots(figsize=(7, 3.5))
ax.bar(at - 0.2, [step.n_leaves_grown for step in steps], 0.4, label="grown on one half")
ax.bar(at + 0.2, [step.n_leaves for step in steps], 0.4, label="left by the other")
ax.set(xlabel="iteration", ylabel="leaves", xticks=at)
ax.legend()
