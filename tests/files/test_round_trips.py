"""Every model is the same after it was saved and loaded, and saves to the same bytes again."""

import pickle

import numpy as np
import pytest
from contracts.estimators import every, same_model, settings_of
from contracts.tables import codes_for, mixed_table

from files.comparing import difference
from files.kit import through_file


def skip_adapters(listed):
    if not type(listed.estimator).__module__.startswith("spinney"):
        pytest.skip("an adapter of the tests; golden files hold what it adapts")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(7)
    X = mixed_table(rng)
    return X, codes_for(X, rng), rng.integers(1, 4, len(X)).astype(float)


@pytest.fixture(scope="module")
def new_rows():
    return mixed_table(np.random.default_rng(8))


@every
def test_a_fitted_model_is_the_same_after_loading(listed, table, new_rows, tmp_path):
    skip_adapters(listed)
    X, codes, weight = table
    fitted = listed.new().fit(X, listed.target(codes), sample_weight=weight)
    loaded = through_file(fitted, tmp_path / "model.spinney")
    assert set(vars(loaded)) == set(vars(fitted))
    assert settings_of(loaded) == settings_of(fitted)
    assert difference(fitted, loaded) is None
    assert same_model(fitted, loaded, new_rows)
    pickled = pickle.loads(pickle.dumps(fitted))
    assert difference(pickled, loaded) is None


@every
def test_an_unfitted_model_is_the_same_after_loading(listed, tmp_path):
    skip_adapters(listed)
    model = listed.new()
    loaded = through_file(model, tmp_path / "model.spinney")
    assert vars(loaded).keys() == vars(model).keys()
    assert difference(model, loaded) is None
