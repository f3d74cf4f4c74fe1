"""
Permutation importance
======================

The increase of the out-of-bag error when the values of one column are shuffled.
"""

import matplotlib.pyplot as plt

from spinney import RandomForestClassifier
from spinney.datasets import load_german_credit

credit = load_german_credit()
forest = RandomForestClassifier(100, random_state=0).fit(credit.X, credit.y)
importance = forest.oob_permutation_importance(credit.X, credit.y)
best = importance.mean.argsort()[-10:]
figure, ax = plt.subplots(figsize=(7, 4))
ax.barh(credit.X.columns[best], importance.mean[best])
ax.set_xlabel("rise of the error when the column is shuffled")
