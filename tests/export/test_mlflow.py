"""Models in MLflow, and the types that skops may trust."""

import numpy as np
import pytest
from handover_models import handed

import spinney.mlflow
from spinney._state._recipes import estimators


@pytest.mark.filterwarnings("ignore")  # of mlflow itself
@pytest.mark.slow
@pytest.mark.parametrize("name", ["grown out, costs", "forest 1", "regression", "rules by hand"])
def test_a_saved_model_predicts_as_before(name, tmp_path):
    mlflow = pytest.importorskip("mlflow")
    case = handed(name)
    spinney.mlflow.save_model(case.model, str(tmp_path / "model"))
    assert not list((tmp_path / "model").rglob("*.pkl"))
    again = mlflow.pyfunc.load_model(str(tmp_path / "model"))
    assert np.asarray(again.predict(case.X)).tolist() == list(case.said)


def test_probabilities_are_returned_if_asked_for(tmp_path):
    case = handed("truths")
    spinney.save(case.model, tmp_path / "model.spinney")
    again = spinney.mlflow._load_pyfunc(str(tmp_path))
    found = again.predict(case.X, {"probabilities": True})
    np.testing.assert_array_equal(found, case.shares)
    assert again.predict(case.X).tolist() == case.said


@pytest.mark.parametrize("name", ["forest 0", "AdaBoost 0", "votes 1", "rules 0", "survival tree"])
def test_skops_needs_no_other_types(name):
    skops = pytest.importorskip("skops.io")
    case = handed(name)
    stored = skops.dumps(case.model)
    trusted = spinney.mlflow.trusted_types()
    assert set(skops.get_untrusted_types(data=stored)) <= set(trusted)
    again = skops.loads(stored, trusted=trusted)
    assert again.predict(case.X[:500]).tolist() == list(case.said[:500])


def test_every_estimator_is_trusted_and_nothing_of_others():
    trusted = spinney.mlflow.trusted_types()
    assert {f"{cls.__module__}.{cls.__qualname__}" for cls in estimators()} <= set(trusted)
    assert all(name.startswith("spinney.") for name in trusted)
