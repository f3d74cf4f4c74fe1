"""The list of estimators. One that is listed here is tested by all of `contracts` and `faults`."""

import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone, is_classifier

from spinney import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier


@dataclass(frozen=True)
class Listed:
    """An estimator and the facts about it that tests need.

    `learns_all`: after fit, every training row is predicted right if rows that differ in y differ
    in a column. `draws_rows`: rows are divided at random into those that grow and those that judge,
    so their order matters, and a row of weight 2 is not two rows. `holds_out`: some rows do not
    count in the fitted tree. `counts_rows`: something is decided by the number of rows rather than
    by their weight. `counts_weight`: something is decided by the size of the weights, so scaling
    all of them matters. `centre`: what a regression leaf predicts.
    """

    estimator: BaseEstimator
    learns_all: bool = True
    draws_rows: bool = False
    holds_out: bool = False
    counts_rows: bool = False
    counts_weight: bool = False
    centre: Any = np.mean

    @property
    def is_classifier(self) -> bool:
        return bool(is_classifier(self.estimator))

    @property
    def ignores_row_order(self) -> bool:
        """Whether sums over rows are sums of integers, so that their order cannot matter."""
        return self.is_classifier and not self.draws_rows and not self.is_fractional

    @property
    def is_fractional(self) -> bool:
        """Whether rows with gaps go every way in part."""
        return bool(self.estimator.get_params().get("missing", "fractional") == "fractional")

    def has(self, *names: str) -> bool:
        """Tell whether the estimator has these parameters."""
        return set(names) <= set(self.estimator.get_params())

    def new(self, **changes: Any) -> Any:
        """Return an unfitted copy."""
        return clone(self.estimator).set_params(**changes)

    def target(self, codes: Any) -> np.ndarray:
        """Turn small integers into a target: names of classes, or numbers."""
        codes = np.asarray(codes)
        if self.is_classifier:
            return np.array([f"class {code}" for code in codes.tolist()], dtype=object)
        return codes.astype(float)

    def prior(self, y: Any) -> Any:
        """Return what is predicted without X: the first of the most frequent, or the centre."""
        if not self.is_classifier:
            return self.centre(y)
        labels, counts = np.unique(y, return_counts=True)
        return labels[counts.argmax()]


def _pruned(**settings: Any) -> dict[str, Any]:
    return {"pruning": "cost_complexity", "cv": 3, "random_state": 0} | settings


LISTED = [
    Listed(CARTClassifier()),
    Listed(CARTRegressor()),
    Listed(CARTClassifier(criterion="entropy")),
    Listed(CARTClassifier(criterion="twoing")),
    Listed(CARTRegressor(criterion="absolute_error"), centre=np.median),
    Listed(CARTClassifier(missing="majority")),
    Listed(CARTRegressor(missing="majority")),
    Listed(CARTClassifier(missing="fractional")),
    Listed(CARTRegressor(missing="fractional")),
    Listed(CARTClassifier(max_features="sqrt", random_state=0)),
    Listed(CARTRegressor(max_features="sqrt", random_state=0)),
    Listed(CARTClassifier(max_leaf_nodes=8), learns_all=False),
    Listed(CARTRegressor(max_leaf_nodes=8), learns_all=False),
    Listed(CARTClassifier(ccp_alpha=0.01), learns_all=False),
    Listed(CARTRegressor(ccp_alpha=0.01), learns_all=False),
    Listed(CARTClassifier(max_bins=16), learns_all=False, counts_rows=True),
    Listed(CARTRegressor(max_bins=16), learns_all=False, counts_rows=True),
    Listed(CARTClassifier(**_pruned()), learns_all=False, draws_rows=True),
    Listed(CARTRegressor(**_pruned()), learns_all=False, draws_rows=True),
    Listed(
        CARTClassifier(pruning="reduced_error", random_state=0),
        learns_all=False,
        draws_rows=True,
        holds_out=True,
    ),
    Listed(
        CARTRegressor(pruning="reduced_error", random_state=0),
        learns_all=False,
        draws_rows=True,
        holds_out=True,
    ),
    Listed(
        CARTClassifier(early_stopping=True, random_state=0),
        learns_all=False,
        draws_rows=True,
        holds_out=True,
    ),
    Listed(
        CARTRegressor(early_stopping=True, random_state=0),
        learns_all=False,
        draws_rows=True,
        holds_out=True,
    ),
    Listed(CARTClassifier(pruning="error_based"), learns_all=False, counts_weight=True),
    Listed(CARTClassifier(pruning="mdl"), learns_all=False, counts_weight=True),
    Listed(ID3Classifier(), learns_all=False, counts_weight=True),
    Listed(
        ID3Classifier(discretize="quantile", n_intervals=12, pruning="error_based"),
        learns_all=False,
        counts_weight=True,
    ),
    Listed(C45Classifier(), learns_all=False, counts_weight=True),
    Listed(C45Classifier(nominal="grouped", max_intervals=4), learns_all=False, counts_weight=True),
    Listed(C45Classifier("entropy", pruning=None), learns_all=False, counts_weight=True),
]

CLASSES = list({type(listed.estimator): None for listed in LISTED})


def _over(listed: list[Listed]) -> Any:
    return pytest.mark.parametrize("listed", listed, ids=lambda one: repr(one.estimator))


every = _over(LISTED)
every_classifier = _over([one for one in LISTED if one.is_classifier])
every_regressor = _over([one for one in LISTED if not one.is_classifier])
every_learner = _over([one for one in LISTED if one.learns_all])
every_scale_free = _over([one for one in LISTED if not one.counts_weight])
every_weigher = _over([one for one in LISTED if one.counts_weight])
every_class = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)


def answers(fitted: Any, X: Any) -> list[bytes]:
    """Return everything that is predicted for some rows, as bytes."""
    names = [name for name in ("predict", "predict_proba", "apply") if hasattr(fitted, name)]
    arrays = [getattr(fitted, name)(X) for name in names]
    return [pickle.dumps(a.tolist()) if a.dtype == object else a.tobytes() for a in arrays]


def same_model(one: Any, other: Any, X: Any) -> bool:
    """Say whether two fitted estimators are equal in every bit and answer alike."""
    model = "tree_" if hasattr(one, "tree_") else "forest_"
    return getattr(one, model) == getattr(other, model) and answers(one, X) == answers(other, X)
