"""
A sample is not the population
==============================

Bad borrowers make up 30 % of this table only because it was sampled that way. Priors state their
share in the population, and change the predicted probabilities.
"""

import matplotlib.pyplot as plt

from spinney import CARTClassifier
from spinney.datasets import load_german_credit

credit = load_german_credit()
shares = (0.05, 0.1, 0.2, 0.3)
figure, ax = plt.subplots(figsize=(7, 4))
for share in shares:
    model = CARTClassifier(max_leaf_nodes=8, priors={"bad": share, "good": 1 - share})
    risks = model.fit(credit.X, credit.y).predict_proba(credit.X)[:, 0]
    ax.plot(sorted(risks), label=f"{share:.0%} bad in the population")
ax.set(xlabel="borrowers, by predicted probability", ylabel="predicted probability of bad")
ax.legend()
