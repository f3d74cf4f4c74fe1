"""Small forests: few trees, close to a large one, with answers that depend on the seed only."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification, make_friedman1

import spinney
from spinney import (
    CARTClassifier,
    CARTRegressor,
    RandomForestRegressor,
    SmallForestClassifier,
    SmallForestRegressor,
)
from spinney.ensemble._small_pool import _weighed
from spinney.plot import plot_selection


def _classes() -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(300, 8, n_informative=4, n_classes=3, flip_y=0.1, random_state=0)
    return X, y


def test_probabilities_are_the_mean_of_the_trees() -> None:
    X, y = _classes()
    model = SmallForestClassifier(7, pool=30, random_state=0).fit(X, y)
    assert len(model.estimators_) == len(model.selection_report_.selected) == 7
    assert model.selected_.tolist() == list(range(7))
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
    assert report.members == ("forest", "extra")
    assert report.counts.tolist() == [40, 40]
    assert (report.kinds == 0).all()


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
    assert [line.split()[0] for line in lines[2:5]] == [str(i) for i in report.selected]
    assert lines[-4].startswith(f"the pool: loss {report.pool_loss:.4g} for rows left out")
    assert [line.split()[:2] for line in lines[-2:]] == [["forest", "4"], ["extra", "4"]]
    ax = plot_selection(report)
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), report.sizes)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), report.losses)


def test_the_first_tree_is_the_nearest_to_the_pool_of_those_that_there_are() -> None:
    """Trees that are not chosen cannot be nearer than the one that was taken first."""
    X, y = make_friedman1(200, random_state=0)
    model = SmallForestRegressor(order="pool", stop=None, random_state=0)
    few, all_ = (
        clone(model).set_params(n_estimators=n, pool=4).fit(X, y).selection_report_ for n in (1, 4)
    )
    assert sorted(all_.selected.tolist()) == [0, 1, 2, 3]
    assert few.selected[0] in (0, 2)  # with enough trees of the first kind, others teach only
    assert all_.distances[0] <= few.distances[0]


def test_chosen_trees_of_both_kinds_know_how_they_were_grown() -> None:
    X, y = _classes()
    model = SmallForestClassifier(4, pool=4, stop=None, random_state=0).fit(X, y)
    splitters = [tree.splitter for tree in model.estimators_]
    assert splitters == [("best", "random")[i % 2] for i in model.selection_report_.selected]


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
    with pytest.warns(UserWarning, match="no row of 1 was left out by trees of every kind"):
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


# -- Kinds of trees


@pytest.mark.parametrize("members", [("igpa",), ("oblique", "forest"), ("forest", "boosted")])
@pytest.mark.parametrize("kind", [SmallForestClassifier, SmallForestRegressor])
def test_every_kind_of_tree_may_teach_and_stay(kind: type, members: tuple[str, ...]) -> None:
    X, y = _classes()
    model = kind(6, pool=12, members=members, stop=None, random_state=0).fit(X, y)
    report = model.selection_report_
    assert report.members == members
    assert report.counts.sum() == report.pool == 12
    assert report.shares.sum() == pytest.approx(1.0)
    answers = model.predict_proba(X) if kind is SmallForestClassifier else model.predict(X)
    assert np.isfinite(answers).all()
    assert model.score(X, y) > 0.5
    shown = report.to_text().splitlines()[-len(members) :]
    assert [line.split()[0] for line in shown] == list(members)


def test_evolved_trees_teach_on_request() -> None:
    X, y = _classes()
    X, y = X[:60, :2], y[:60] > 0
    model = SmallForestClassifier(1, pool=2, members=("forest", "evolved"), random_state=0)
    report = model.fit(X, y).selection_report_
    assert report.members == ("forest", "evolved")
    assert report.counts.tolist() == [1, 1]


def test_members_that_stay_are_of_the_kind_that_the_report_tells() -> None:
    X, y = _classes()
    model = SmallForestClassifier(
        8, pool=8, members=("oblique", "igpa", "boosted"), stop=None, random_state=0
    ).fit(X, y)
    kinds = [model.selection_report_.members[i] for i in model.selection_report_.kinds]
    assert sorted(kinds) == ["boosted"] * 2 + ["igpa"] * 3 + ["oblique"] * 3
    for kind, tree in zip(kinds, model.estimators_, strict=True):
        assert (type(tree).__name__ == "IGPAClassifier") == (kind == "igpa")
        assert (getattr(tree, "splitter", "") == "oblique") == (kind == "oblique")


def test_a_kind_alone_is_shared_out_as_its_loss_deserves() -> None:
    """The mix of kinds is at least as good as each of them on rows left out."""
    X, y = _classes()
    kinds = ("forest", "extra", "igpa", "oblique", "boosted")
    for model in (SmallForestClassifier, SmallForestRegressor):
        report = model(5, pool=60, members=kinds, random_state=0).fit(X, y).selection_report_
        if model is SmallForestRegressor:  # else probabilities are sharpened afterwards
            assert report.pool_loss <= report.kind_losses.min() + 1e-12


def test_half_of_the_weight_of_boosted_trees_is_on_wrong_answers() -> None:
    y = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    target = CARTClassifier()._encode_target(y, np.ones(8))
    shares = np.column_stack([y == 0, y == 1]).astype(float)
    shares[[2, 3]] = shares[[2, 3], ::-1]  # two wrong answers
    shares[7] = np.nan  # a row that every tree saw
    weight = _weighed(target, shares).weight
    assert weight.sum() == pytest.approx(8.0)
    assert weight[[2, 3]].sum() == pytest.approx(4.0)
    assert weight[7] == pytest.approx(weight[0])


def test_weights_of_boosted_trees_of_numbers_rise_with_the_distance() -> None:
    y = np.array([1.0, 2.0, 3.0, 4.0]) * 2.0**300  # learned in other units
    target = CARTRegressor()._encode_target(y, np.ones(4))
    assert target.exponent
    off = np.array([0.0, 0.1, 0.0, 0.9]) * 2.0**300
    weight = _weighed(target, (y + off)[:, None]).weight
    assert weight.sum() == pytest.approx(4.0)
    assert weight[0] == weight[2] < weight[1] < weight[3]


def test_without_wrong_answers_boosted_trees_see_rows_as_they_are() -> None:
    y = np.array([0, 1])
    target = CARTClassifier()._encode_target(y, np.ones(2))
    assert _weighed(target, np.eye(2)) is target


@pytest.mark.parametrize("members", [(), ("forest", "forest"), ("tree",), "forest", 3])
def test_kinds_that_are_not_there_are_refused(members: object) -> None:
    with pytest.raises(ValueError, match="members must be None or a list of different kinds"):
        SmallForestClassifier(members=members).fit([[1.0], [2.0]], [0, 1])


def test_fewer_rows_than_folds_cannot_be_distilled() -> None:
    X, y = [[1.0], [2.0], [3.0]], [0, 1, 1]
    model = SmallForestClassifier(2, pool=20, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="distil needs a row for each of cv=5 folds, got 3 rows"):
        model.distil(X)


def test_threads_change_nothing_with_five_kinds() -> None:
    X, y = _classes()
    kinds = ("forest", "extra", "igpa", "oblique", "boosted")
    model = SmallForestClassifier(5, pool=25, members=kinds, random_state=1)
    one, two = (clone(model).set_params(n_jobs=n).fit(X, y) for n in (1, 2))
    assert one.forest_ == two.forest_
