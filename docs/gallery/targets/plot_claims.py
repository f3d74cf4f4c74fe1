"""
Claims per year
===============

Counts with exposure, by Poisson deviance: policies that were in force for a month and for a year
carry different amounts of information about the same rate.
"""

import numpy as np
import pandas as pd

from spinney import CARTRegressor
from spinney.plot import plot_tree

rng = np.random.default_rng(0)
n = 6_000
X = pd.DataFrame(
    {"age": rng.integers(18, 90, n), "region": rng.choice(["north", "south", "isles"], n)}
)
years = rng.uniform(0.05, 1.0, n)
rate = 0.12 * np.exp(0.9 * (X["age"] < 26) + 0.6 * (X["region"] == "isles"))
model = CARTRegressor("poisson", min_samples_leaf=150, pruning="cost_complexity", random_state=0)
model.fit(X, rng.poisson(years * rate), exposure=years)
plot_tree(model, title="Claims per year")
