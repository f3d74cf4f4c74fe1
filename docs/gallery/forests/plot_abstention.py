"""
A vote that may abstain
=======================

Models of any kind vote. The more of them have to agree, the fewer rows are decided, and the more
accurate those decisions are.
"""

import matplotlib.pyplot as plt

from spinney import C45Classifier, CARTClassifier, VotingCombiner
from spinney.datasets import load_german_credit

credit = load_german_credit()
X, y = credit.X[::2], credit.y[::2]
X_new, y_new = credit.X[1::2], credit.y[1::2]
models = {
    f"cart {leaves}": CARTClassifier(max_leaf_nodes=leaves, max_features=6, random_state=leaves)
    for leaves in (5, 8, 12, 16, 20, 24)
} | {"c45": C45Classifier(min_samples_leaf=5)}
members = [(name, model.fit(X, y)) for name, model in models.items()]
table = VotingCombiner(members).fit(X, y).coverage_table(X_new, y_new)
figure, ax = plt.subplots(figsize=(7, 4))
ax.plot(table.coverage, table.accuracy, marker="o")
for quorum, *place in zip(table.quorum, table.coverage, table.accuracy, strict=True):
    ax.annotate(f"{quorum:.0%} agree", place, (6, 4), textcoords="offset points")
ax.set(xlabel="share of rows decided", ylabel="accuracy on those rows")
ax.margins(x=0.15, y=0.15)
