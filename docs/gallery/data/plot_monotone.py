"""
Monotone constraints
====================

No applicant should be refused for a higher income. A monotone constraint keeps noise from making it
so.
"""

import matplotlib.pyplot as plt
import numpy as np

from spinney import CARTRegressor

rng = np.random.default_rng(3)
income = np.sort(rng.uniform(10, 90, 200))
chance = 1 / (1 + np.exp((35 - income) / 12)) + rng.normal(0, 0.2, 200)
figure, ax = plt.subplots(figsize=(7, 4))
ax.scatter(income, chance, s=8, color="0.7")
for constraint, style in ((None, "--"), ([1], "-")):
    model = CARTRegressor(min_samples_leaf=8, monotonic_cst=constraint)
    model.fit(income[:, None], chance)
    label = "free" if constraint is None else "never falls"
    ax.step(income, model.predict(income[:, None]), style, label=label)
ax.set(xlabel="income in thousands", ylabel="score")
ax.legend()
