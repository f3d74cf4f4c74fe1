"""Ensembles of numbers that know no exposure say so."""

import numpy as np
import pytest

from spinney import AdaBoostRegressor, CARTRegressor, GPForestRegressor

X = np.arange(20.0)[:, None]
y = np.arange(20.0)


def test_boosting_takes_no_exposure() -> None:
    model = AdaBoostRegressor(CARTRegressor(criterion="poisson"), n_estimators=2)
    with pytest.raises(ValueError, match="takes no exposure"):
        model.fit(X, y, exposure=np.ones(20))
    model.fit(X, y)
    with pytest.raises(ValueError, match="knows none"):
        model.score(X, y, exposure=np.ones(20))


def test_evolved_forests_know_no_exposure() -> None:
    with pytest.raises(ValueError, match="knows none"):
        GPForestRegressor(n_estimators=2).fit(X, y, exposure=np.ones(20))
