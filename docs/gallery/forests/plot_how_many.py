"""
How many trees are enough
=========================

The out-of-bag error estimates the test error. Early stopping adds trees until it no longer falls.
"""

import matplotlib.pyplot as plt

from spinney import RandomForestClassifier
from spinney.datasets import load_german_credit

credit = load_german_credit()
forest = RandomForestClassifier(300, random_state=0).fit(credit.X, credit.y)
stopped = RandomForestClassifier(300, early_stopping=True, random_state=0).fit(credit.X, credit.y)
figure, ax = plt.subplots(figsize=(7, 4))
ax.plot(range(1, 301), forest.oob_error_curve_)
ax.axvline(len(stopped.estimators_), color="C1", linestyle="--", label="early stopping")
ax.set(xlabel="trees", ylabel="out-of-bag error")
ax.legend()
