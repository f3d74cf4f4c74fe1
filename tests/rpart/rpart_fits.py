"""Spinney's estimator for each case, fitted once, and the comparison of its tree with rpart's."""

from functools import cache
from typing import Any

import numpy as np
from rpart_compare import Comparison
from rpart_reference import Case

from spinney import CARTClassifier, CARTRegressor


def new_estimator(case: Case) -> Any:
    control = case.raw["control"]
    settings: dict[str, Any] = {
        "min_samples_split": control["minsplit"],
        "min_samples_leaf": control["minbucket"],
        "max_depth": control["maxdepth"],
        "max_surrogates": control["maxsurrogate"],
        "surrogate_style": ["count", "agreement"][control["surrogatestyle"]],
        "min_impurity_decrease": 1e-12,
        "pruning": "cost_complexity",
        "ccp_alpha": 1e-12,  # branches that gain nothing, up to rounding, are collapsed
    }
    if not case.is_classification:
        return CARTRegressor(criterion="squared_error", **settings)
    criterion = {"gini": "gini", "information": "entropy"}[case.raw["split"]]
    if case.raw["loss"]:
        settings["cost_matrix"] = np.array(case.raw["loss"], dtype=float)
        settings["cost_method"] = "altered_priors"
    if case.raw["priors"]:
        settings["priors"] = dict(zip(case.raw["classes"], case.raw["priors"], strict=True))
    return CARTClassifier(criterion=criterion, **settings)


@cache
def fitted(name: str) -> tuple[Case, Any, Comparison]:
    case = Case(name)
    weight = case.weight if case.raw["cycle"] else None
    estimator = new_estimator(case).fit(case.table, case.y, sample_weight=weight)
    return case, estimator, Comparison(case).run(estimator.tree_.root)
