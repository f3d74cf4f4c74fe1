"""
Priors for a sample that is not the population
==============================================

A third of the people in the table are bad borrowers, because the sample was drawn so. Priors give
the proportions of the population, and change the predictions of the leaves.
"""

import matplotlib.pyplot as plt

from spinney import CARTClassifier
from spinney.datasets import load_german_credit

credit = load_german_credit()
shares = (0.05, 0.1, 0.2, 0.3)
figure, ax = plt.subplots(figsize=(7, 4))
for share in shares:
    model = CARTClassifier(max_leaf_nodes=8, priors={"bad": share, "good": 1 - share})
    chances = model.fit(credit.X, credit.y).predict_proba(credit.X)[:, 0]
    ax.plot(sorted(chances), label=f"{share:.0%} bad outside")
ax.set(xlabel="borrowers, by their chance", ylabel="predicted chance to be bad")
ax.legend()
