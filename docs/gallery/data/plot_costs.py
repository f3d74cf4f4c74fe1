"""
Unequal misclassification costs
===============================

Accepting a bad borrower costs several times as much as refusing a good one. As the cost rises, the
tree refuses more applicants.
"""

import matplotlib.pyplot as plt
import numpy as np

from spinney import CARTClassifier
from spinney.datasets import load_german_credit

credit = load_german_credit()
bad = np.asarray(credit.y) == "bad"
costs = (1, 1.5, 2, 3, 5, 8)
refused, missed = [], []
for cost in costs:
    model = CARTClassifier(
        pruning="cost_complexity", cost_matrix={("bad", "good"): cost}, random_state=0
    )
    said = model.fit(credit.X, credit.y).predict(credit.X) == "bad"
    refused.append(100 * said.mean())
    missed.append(100 * (~said[bad]).mean())

figure, ax = plt.subplots(figsize=(7, 4))
ax.plot(costs, refused, marker="o", label="of all people refused")
ax.plot(costs, missed, marker="s", label="of bad borrowers accepted")
ax.set(xlabel="cost of accepting a bad borrower", ylabel="%", ylim=(0, 105))
ax.legend()
