"""Small forests: few trees, close to a large one, with answers that depend on the seed only."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification, make_friedman1

import spinney
from spinney import RandomForestRegressor, SmallForestClassifier, SmallForestRegressor


def _classes() -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(300, 8, n_informative=4, n_classes=3, flip_y=0.1, random_state=0)
    return X, y


def test_probabilities_are_the_mean_of_the_trees() -> None:
    X, y = _classes()
    model = SmallForestClassifier(7, pool=30, random_state=0).fit(X, y)
    assert len(model.estimators_) == len(model.selected_) == 7
    mean = np.mean([tree.predict_proba(X) for tree in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_proba(X), mean, atol=1e-12)
    assert (mean >= 0).all()


@pytest.mark.parametrize("kind", [SmallForestClassifier, SmallForestRegressor])
def test_threads_change_nothing(kind: type) -> None:
    X, y = _classes()
    one, two = (kind(5, pool=20, random_state=1, n_jobs=n).fit(X, y) for n in (1, 2))
    assert one.forest_ == two.forest_
    np.testing.assert_array_equal(one.distances_, two.distances_)


def test_more_trees_are_nearer_to_the_pool() -> None:
    X, y = _classes()
    model = SmallForestClassifier(20, pool=40, random_state=0).fit(X, y)
    assert model.sizes_[0] == 1
    assert model.sizes_[-1] == 20
    assert model.distances_[-1] < 0.5 * model.distances_[0]


def test_chosen_trees_predict_numbers_better_than_as_many_plain_ones() -> None:
    X, y = make_friedman1(700, random_state=0)
    chosen = SmallForestRegressor(11, pool=60, random_state=0).fit(X[:300], y[:300])
    plain = RandomForestRegressor(11, oob_score=False, random_state=0).fit(X[:300], y[:300])
    assert chosen.score(X[300:], y[300:]) > plain.score(X[300:], y[300:])


def test_units_of_the_target_change_nothing() -> None:
    X, y = make_friedman1(100, random_state=0)
    model = SmallForestRegressor(3, pool=10, random_state=0)
    plain = model.fit(X, y).predict(X)
    np.testing.assert_allclose(clone(model).fit(X, y * 2.0**900).predict(X) / 2.0**900, plain)


def test_a_pool_smaller_than_the_forest_is_refused() -> None:
    with pytest.raises(ValueError, match="pool=10 has fewer trees than n_estimators=25"):
        SmallForestClassifier(pool=10).fit([[1.0], [2.0]], [0, 1])


def test_one_class_and_one_row_are_learned() -> None:
    model = SmallForestClassifier(3, pool=5, random_state=0)
    assert clone(model).fit([[1.0]], ["a"]).predict([[2.0]]).tolist() == ["a"]
    assert clone(model).fit([[1.0], [2.0]] * 5, ["a"] * 10).predict([[2.0]]).tolist() == ["a"]


@pytest.mark.parametrize("kind", [SmallForestClassifier, SmallForestRegressor])
def test_a_model_file_answers_alike(kind: type, tmp_path: object) -> None:
    X, y = _classes()
    model = kind(4, pool=8, random_state=0).fit(X, y)
    spinney.save(model, f"{tmp_path}/small.spinney")
    again = spinney.load(f"{tmp_path}/small.spinney")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.selected_.tolist() == model.selected_.tolist()
