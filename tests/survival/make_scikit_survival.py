"""Write what scikit-survival finds on four data sets: trees, curves, concordance and forests.

    python tests/survival/make_scikit_survival.py

Run it from the root of the repository, where scikit-survival is installed. The file here comes from
version 0.28.0. Columns are the numeric ones without gaps, as its trees take no others.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sksurv
from sksurv.ensemble import RandomSurvivalForest
from sksurv.metrics import concordance_index_censored
from sksurv.tree import SurvivalTree

HERE = Path(__file__).parent
SETS = ("lung", "pbc", "stagec", "veteran")
LIMITS: dict[str, Any] = {"max_depth": 3, "min_samples_split": 20, "min_samples_leaf": 10}
N_SEEDS = 5
EVERY = 9  # rows whose curves are kept


def found(name: str) -> dict[str, Any]:
    table = pd.read_csv(HERE.parent / "rpart" / "lifetimes" / "data" / f"{name}.csv")
    y = np.empty(len(table), dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = table.pop(".event") > 0, table.pop(".time")
    X = table.select_dtypes("number").dropna(axis=1).to_numpy(dtype=float)
    times = np.quantile(y["time"], np.arange(1, 10) / 10)
    tree = SurvivalTree(**LIMITS).fit(X, y)
    test = np.arange(len(X)) % 3 == 0
    scores = [
        RandomSurvivalForest(100, random_state=seed).fit(X[~test], y[~test]).score(X[test], y[test])
        for seed in range(N_SEEDS)
    ]
    rows = X[::EVERY]
    return {
        "set": name,
        "times": times.tolist(),
        "hazard": [step(times).tolist() for step in tree.predict_cumulative_hazard_function(rows)],
        "survival": [step(times).tolist() for step in tree.predict_survival_function(rows)],
        "concordance": concordance_index_censored(y["event"], y["time"], X[:, 0])[0],
        "forest_scores": scores,
    }


if __name__ == "__main__":
    told = {"version": sksurv.__version__, "limits": LIMITS, "sets": [found(name) for name in SETS]}
    text = json.dumps(told, separators=(",", ":"))
    (HERE / "scikit_survival.json").write_text(text.replace('{"set"', '\n{"set"') + "\n")
