"""
Boosted stumps
==============

Each stump puts more weight on the rows that earlier ones got wrong. On the glass data deeper trees
are needed: trees of two levels reach in 50 rounds what stumps never do.
"""

import matplotlib.pyplot as plt
from sklearn.model_selection import train_test_split

from spinney import AdaBoostClassifier, CARTClassifier
from spinney.datasets import load_glass

glass = load_glass()
X, X_new, y, y_new = train_test_split(
    glass.X, glass.y, test_size=0.4, stratify=glass.y, random_state=0
)
figure, ax = plt.subplots(figsize=(7, 4))
for depth in (1, 2, 4):
    model = AdaBoostClassifier(CARTClassifier(max_depth=depth), 100).fit(X, y)
    errors = [1 - score for score in model.staged_score(X_new, y_new)]
    ax.plot(range(1, len(errors) + 1), errors, label=f"depth {depth}")
ax.set(xlabel="round", ylabel="error on other rows")
ax.legend()
