"""Cases of rpart's method "poisson": their data, their fits, and the comparison of the trees.

`make_counts.R` describes the files.
"""

import json
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rpart_compare import Comparison
from rpart_reference import LEFT, NOWHERE, RIGHT, Case, delete_cells

from spinney import CARTRegressor

FOLDER = Path(__file__).parent / "counts"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))


class CountCase(Case):
    """One file of results, and the data it came from."""

    folder = FOLDER

    def __init__(self, name: str) -> None:
        self.raw = json.loads((self.folder / f"{name}.json").read_text())
        self.nodes = {node["id"]: node for node in self.raw["nodes"]}
        self.levels = {c["name"]: c.get("levels", []) for c in self.raw["columns"]}

    @cached_property
    def data(self) -> pd.DataFrame:
        return pd.read_csv(self.folder / "data" / f"{self.raw['set']}.csv", dtype=str)

    @cached_property
    def table(self) -> pd.DataFrame:
        columns = {}
        for column in self.raw["columns"]:
            name, kind = column["name"], column["kind"]
            if kind == "numeric":
                columns[name] = self.data[name].astype(float)
            else:
                dtype = pd.CategoricalDtype(column["levels"], ordered=kind == "ordered")
                columns[name] = self.data[name].astype(dtype)
        X = pd.DataFrame(columns)
        return delete_cells(X, self.raw["train_gaps"]) if self.raw["train_gaps"] else X

    @cached_property
    def y(self) -> Any:
        return self.data[".count"].to_numpy(dtype=float)

    @cached_property
    def exposure(self) -> Any:
        return self.data[".exposure"].to_numpy(dtype=float) if self.raw["exposure"] else None

    def improve(self, rows: Any, sides: Any) -> float:
        """Compute rpart's `improve`: what the deviance under raw rates loses."""
        parts = [rows[sides == LEFT], rows[sides == RIGHT]]
        return 2.0 * (sum(map(self.log_rate, parts)) - self.log_rate(rows[sides != NOWHERE]))

    def log_rate(self, rows: Any) -> float:
        count = float(self.weight[rows] @ self.y[rows])
        time = (
            self.weight[rows] if self.exposure is None else self.weight[rows] * self.exposure[rows]
        )
        return count * float(np.log(count / time.sum())) if count > 0 else 0.0


def new_estimator(case: CountCase, **settings: Any) -> CARTRegressor:
    control = case.raw["control"]
    return CARTRegressor(
        criterion="poisson",
        prior_cv=case.raw["shrink"],
        min_samples_split=control["minsplit"],
        min_samples_leaf=control["minbucket"],
        max_depth=control["maxdepth"],
        max_surrogates=control["maxsurrogate"],
        min_impurity_decrease=1e-12,
        pruning="cost_complexity",
        **settings,
    )


def fit(case: CountCase, estimator: CARTRegressor, X: pd.DataFrame) -> CARTRegressor:
    weight = case.weight if case.raw["cycle"] else None
    return estimator.fit(X, case.y, sample_weight=weight, exposure=case.exposure)


@cache
def fitted_counts(name: str) -> tuple[CountCase, CARTRegressor, Comparison]:
    case = CountCase(name)
    estimator = fit(case, new_estimator(case, ccp_alpha=1e-12), case.table)
    return case, estimator, Comparison(case).run(estimator.tree_.root)
