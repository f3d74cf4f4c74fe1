"""
Why, and what would change it
=============================

An explanation gives the rule that decided, and the smallest change that leads to another
prediction. The figure shows one borrower's predicted probability over two of the columns.
"""

import matplotlib.pyplot as plt
import numpy as np

from spinney import CARTClassifier
from spinney.datasets import load_german_credit

credit = load_german_credit()
model = CARTClassifier(pruning="cost_complexity", random_state=0).fit(credit.X, credit.y)
borrower = credit.X.iloc[1]
print(model.explain(borrower))

# %%
# The same borrower, with other durations and other savings:

months = np.arange(6, 61)
figure, ax = plt.subplots(figsize=(7, 3.5))
for savings in ("A61", "A65"):
    rows = credit.X.iloc[[1] * len(months)].assign(duration_months=months, savings_status=savings)
    ax.step(months, model.predict_proba(rows)[:, 0], label=f"savings {savings}")
ax.axvline(borrower["duration_months"], color="0.6", linestyle=":")
ax.set(xlabel="duration in months", ylabel="probability of bad", ylim=(0, 1))
ax.legend()
