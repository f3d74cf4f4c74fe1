"""Small forests: few trees, close to a large one, with answers that depend on the seed only."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification, make_friedman1

import spinney
from spinney import RandomForestRegressor, SmallForestClassifier, SmallForestRegressor
from spinney.plot import plot_selection


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
    for field in ("distances", "refitted", "strengths", "sizes"):
        np.testing.assert_array_equal(*(getattr(m.selection_report_, field) for m in (one, two)))


def test_more_trees_are_nearer_to_the_pool() -> None:
    X, y = _classes()
    report = (
        SmallForestClassifier(20, pool=80, stop=None, random_state=0).fit(X, y).selection_report_
    )
    assert report.sizes.tolist() == [1, 2, 3, 4, 6, 9, 13, 19, 20]
    assert report.refitted[-1] < 0.5 * report.refitted[0]
    assert report.distances[-1] < 0.5 * report.distances[0]
    np.testing.assert_allclose(report.losses - report.pool_loss, report.refitted)
    assert (report.selected % 2 == 0).all()


def test_trees_end_where_more_do_not_help() -> None:
    X, y = _classes()
    model = SmallForestClassifier(20, pool=80, random_state=0)
    kept = {stop: len(clone(model).set_params(stop=stop).fit(X, y)) for stop in (None, 0.05, 10.0)}
    assert kept[None] == 20 > kept[0.05] > kept[10.0] == 1
    report = clone(model).set_params(stop=0.05).fit(X, y).selection_report_
    enough = report.losses <= 1.05 * report.losses[-1]
    assert len(report.selected) == report.sizes[enough][0]


def test_the_report_tells_what_was_chosen_and_why() -> None:
    X, y = _classes()
    model = SmallForestClassifier(3, pool=8, stop=None, random_state=0).fit(X, y)
    report = model.selection_report_
    lines = str(report).splitlines()
    assert lines[0] == "3 of 8 trees stay"
    assert [line.split()[0] for line in lines[2:5]] == [str(i) for i in model.selected_]
    assert lines[-1].startswith(f"the pool: loss {report.pool_loss:.4g} for rows left out")
    ax = plot_selection(report)
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), report.sizes)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), report.losses)


def test_the_first_tree_is_the_nearest_to_the_pool_of_those_that_there_are() -> None:
    """Trees that are not chosen cannot be nearer than the one that was taken first."""
    X, y = make_friedman1(200, random_state=0)
    few = SmallForestRegressor(1, pool=4, random_state=0).fit(X, y).selection_report_
    all_ = SmallForestRegressor(4, pool=4, stop=None, random_state=0).fit(X, y).selection_report_
    assert sorted(all_.selected.tolist()) == [0, 1, 2, 3]
    assert few.selected[0] in (0, 2)  # with enough trees of the first kind, others teach only
    assert all_.distances[0] <= few.distances[0]


def test_chosen_trees_of_both_kinds_know_how_they_were_grown() -> None:
    X, y = _classes()
    model = SmallForestClassifier(4, pool=4, stop=None, random_state=0).fit(X, y)
    splitters = [tree.splitter for tree in model.estimators_]
    assert splitters == [("best", "random")[i % 2] for i in model.selected_]


def test_chosen_trees_predict_numbers_better_than_as_many_plain_ones() -> None:
    X, y = make_friedman1(700, random_state=0)
    chosen = SmallForestRegressor(11, pool=120, random_state=0).fit(X[:300], y[:300])
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


def test_one_class_needs_one_tree() -> None:
    model = SmallForestClassifier(3, pool=6, random_state=0).fit([[1.0], [2.0]] * 5, ["a"] * 10)
    assert model.predict([[2.0]]).tolist() == ["a"]
    assert len(model.estimators_) == 1


def test_rows_that_no_tree_leaves_out_are_told() -> None:
    model = SmallForestClassifier(3, pool=6, random_state=0)
    with pytest.warns(UserWarning, match="no row of 1 was left out by trees of both kinds"):
        model.fit([[1.0]], ["a"])
    assert model.predict([[2.0]]).tolist() == ["a"]
    assert "nothing judged it" in str(model.selection_report_)


def test_numbers_far_from_zero_are_told_apart() -> None:
    X, y = make_friedman1(150, random_state=0)
    model = SmallForestRegressor(5, pool=20, random_state=0)
    y = np.round(y)  # so that nothing is lost by adding
    near = clone(model).fit(X, y).predict(X)
    far = clone(model).fit(X, y + 2.0**30).predict(X) - 2.0**30
    np.testing.assert_allclose(far, near, atol=1e-4)


@pytest.mark.parametrize("kind", [SmallForestClassifier, SmallForestRegressor])
def test_a_model_file_answers_alike(kind: type, tmp_path: object) -> None:
    X, y = _classes()
    model = kind(4, pool=8, random_state=0).fit(X, y)
    spinney.save(model, f"{tmp_path}/small.spinney")
    again = spinney.load(f"{tmp_path}/small.spinney")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert str(again.selection_report_) == str(model.selection_report_)
