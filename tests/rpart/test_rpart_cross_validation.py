"""Cross-validated errors against rpart 4.1.19: its xerror and xstd, for folds that are given.

The expected tables are in `cross_validated/`, written by `make_cross_validated.R`.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spinney import CARTClassifier, CARTRegressor, datasets

FOLDER = Path(__file__).parent / "cross_validated"
PRIORS = {
    "balance_scale__priors": [0.25, 0.5, 0.25],
    "breast_cancer_wdbc__priors": [0.25, 0.75],
    "bupa_liver__priors": [0.75, 0.25],
    "iris__priors": [0.2, 0.5, 0.3],
}
NAMES = ["boston_housing", "wine", *PRIORS]


def rpart_table(name: str) -> Any:
    """Return CP, splits, relative error, xerror and xstd."""
    return np.loadtxt(FOLDER / f"{name}.csv", delimiter=",", skiprows=1)


def folds(n_rows: int) -> list[tuple[Any, Any]]:
    i = np.arange(1, n_rows + 1)
    group = (7 * i + 31 * i // 13) % 5
    return [(np.flatnonzero(group != k), np.flatnonzero(group == k)) for k in range(5)]


def our_table(name: str) -> Any:
    data = datasets.load(name.split("__")[0], as_="pandas")
    settings: dict[str, Any] = {
        "min_samples_split": 20,
        "min_samples_leaf": 7,
        "max_depth": 30,
        "min_impurity_decrease": 1e-12,
        "pruning": "cost_complexity",
        "cv": folds(len(data.y)),
    }
    if name == "boston_housing":
        model: Any = CARTRegressor(**settings)
    else:
        model = CARTClassifier(priors=PRIORS.get(name), **settings)
    path = model.fit(data.X, data.y).pruning_path_
    costs = np.array([path.alphas, path.risks, path.errors, path.standard_errors])
    alpha, risk, error, standard_error = costs / path.risks[-1]
    return np.column_stack([alpha, path.n_leaves - 1, risk, error, standard_error])[::-1]


def test_every_file_is_read():
    assert sorted(path.stem for path in FOLDER.iterdir()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_errors_of_given_folds_are_those_of_rpart(name):
    np.testing.assert_allclose(our_table(name), rpart_table(name), 1e-9, 1e-11)
