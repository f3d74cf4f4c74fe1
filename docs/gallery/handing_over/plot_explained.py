"""
An explanation and a counterfactual
===================================

An explanation names the rule that decided and the nearest change with another prediction. The
picture shows the probabilities for one borrower over two of the columns.
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
# The same borrower with other terms and other savings:

months = np.arange(6, 61)
figure, ax = plt.subplots(figsize=(7, 3.5))
for savings in ("A61", "A65"):
    rows = credit.X.iloc[[1] * len(months)].assign(duration_months=months, savings_status=savings)
    ax.step(months, model.predict_proba(rows)[:, 0], label=f"savings {savings}")
ax.axvline(borrower["duration_months"], color="0.6", linestyle=":")
ax.set(xlabel="duration in months", ylabel="chance to be bad", ylim=(0, 1))
ax.legend()
