"""The inheritance of estimators stays short enough to read."""

import pytest
from sklearn.base import BaseEstimator

import spinney

LONGEST = 11  # without object: as long as that of scikit-learn's RandomForestClassifier
ESTIMATORS = [
    one
    for one in (getattr(spinney, name) for name in spinney.__all__)
    if isinstance(one, type) and issubclass(one, BaseEstimator)
]


def test_all_estimators_are_looked_at() -> None:
    assert {spinney.CARTClassifier, spinney.VotingCombiner, spinney.RandomSurvivalForest} <= set(
        ESTIMATORS
    )


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_no_estimator_has_a_long_inheritance(estimator: type) -> None:
    ancestors = [one.__name__ for one in estimator.__mro__[:-1]]
    assert len(ancestors) <= LONGEST, ancestors
