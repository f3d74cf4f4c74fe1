"""
Rules and their coverage
========================

Rules of C4.5 stand alone: each has its coverage, the number of rows for which it holds, and its
confidence, the share of them for which it is right.
"""

import matplotlib.pyplot as plt

from spinney import C45Classifier
from spinney.datasets import load_heart_disease

heart = load_heart_disease()
rules = C45Classifier(min_samples_leaf=20).fit(heart.X, heart.y).rules_
print(rules)

figure, ax = plt.subplots(figsize=(7, 4))
for number, rule in enumerate(rules, start=1):
    ax.scatter(rule.coverage, rule.confidence, color="C0" if rule.prediction == "absent" else "C1")
    ax.annotate(str(number), (rule.coverage, rule.confidence), (6, 4), textcoords="offset points")
ax.set(xlabel="rows covered", ylabel="confidence", title="absent in blue, present in orange")
