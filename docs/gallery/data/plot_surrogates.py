"""
Which column replaces which
===========================

A surrogate sends the rows the same way as the test that it replaces. Its agreement shows how much
of a column can be predicted from another.
"""

import matplotlib.pyplot as plt

from spinney import CARTClassifier
from spinney.datasets import load_heart_disease

heart = load_heart_disease()
root = CARTClassifier(max_depth=1).fit(heart.X, heart.y).tree_.root
names = [str(surrogate.test) for surrogate in root.surrogates][::-1]
figure, ax = plt.subplots(figsize=(8, 3.5))
ax.barh(names, [100 * surrogate.agreement for surrogate in root.surrogates][::-1])
ax.set(xlim=(50, 100), xlabel="% of rows sent the same way", title=f"In place of {root.test}")
