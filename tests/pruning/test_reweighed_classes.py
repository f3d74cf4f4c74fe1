"""Risks, errors and standard errors of a path are in one unit, whatever the classes weigh."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from spinney import CARTClassifier
from spinney.pruning import PruningPath


def chosen_path(**reweighed: Any) -> PruningPath:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 3))
    y = np.where(X[:, 0] + rng.normal(size=240) > 0.6, "rare", "usual")
    fold = np.arange(240) % 5
    cv = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(5)]
    model = CARTClassifier(min_samples_leaf=8, pruning="cost_complexity", cv=cv, **reweighed)
    return model.fit(X, y).pruning_path_


@pytest.mark.parametrize(
    "reweighed",
    [
        {"class_weight": {"rare": 5, "usual": 1}},
        {"class_weight": {"rare": 0.5, "usual": 20}},
        {"class_weight": "balanced", "cost_matrix": [[0, 3], [1, 0]]},
        {"priors": {"rare": 0.1, "usual": 0.9}},
    ],
    ids=str,
)
def test_the_root_errs_on_rows_left_out_as_on_its_own(reweighed: dict[str, Any]) -> None:
    """It says the same in every fold, and every row is left out once."""
    path = chosen_path(**reweighed)
    assert path.errors is not None
    assert len(path) > 1
    assert path.errors[-1] == pytest.approx(path.risks[-1], rel=1e-12)


def test_the_unit_of_class_weights_does_not_matter() -> None:
    path, tenfold = (
        chosen_path(class_weight={"rare": rare, "usual": usual})
        for rare, usual in ((3, 1), (30, 10))
    )
    for name in ("alphas", "n_leaves", "risks", "errors", "standard_errors"):
        np.testing.assert_allclose(getattr(tenfold, name), getattr(path, name), rtol=1e-12)


def test_balanced_classes_have_the_errors_of_equal_priors() -> None:
    balanced = chosen_path(class_weight="balanced")
    equal = chosen_path(priors={"rare": 0.5, "usual": 0.5})
    for name in ("alphas", "n_leaves", "risks", "errors", "standard_errors"):
        np.testing.assert_allclose(getattr(balanced, name), getattr(equal, name), rtol=1e-12)
