"""One tree for an ensemble: what it answers, and what is told of it."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import spinney
from spinney import (
    AdaBoostClassifier,
    BaggingRegressor,
    CARTClassifier,
    ExtraTreesClassifier,
    IGPAForestClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from spinney._folds import make_folds
from spinney._table import EncodedTable
from spinney.datasets import load
from spinney.ensemble._distil import draw_near

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
Y = np.where(X[:, 0] + 0.5 * X[:, 1] > 0, "yes", "no")
FOREST = RandomForestClassifier(15, oob_score=False, random_state=0).fit(X, Y)


def test_the_tree_of_a_forest_of_one_tree_is_found_again():
    one = RandomForestClassifier(1, oob_score=False, random_state=1, max_leaf_nodes=5).fit(X, Y)
    tree = one.distil(X, max_leaves=200, new_rows=RNG.normal(size=(3000, 3)), random_state=0)
    rows = np.concatenate([X, RNG.normal(size=(500, 3))])
    assert np.mean(tree.predict(rows) == one.predict(rows)) > 0.99
    assert np.array_equal(tree.predict(X), one.predict(X))


def test_the_tree_has_at_most_as_many_leaves_as_allowed():
    assert FOREST.distil(X, max_leaves=4, random_state=0).get_n_leaves() <= 4


def test_agreement_and_errors_are_those_of_rows_held_out():
    tree = FOREST.distil(X, Y, random_state=0)
    told = tree.distillation_
    assert told.judged_by == "5 folds, the ensemble fitted again in each"
    for share in (told.agreement, told.error, told.ensemble_error):
        assert share * len(X) == pytest.approx(round(share * len(X)))
    # Of both errors, at most the rows that they differ on are the difference.
    assert abs(told.error - told.ensemble_error) <= 1 - told.agreement + 1e-12


def test_agreement_and_errors_are_those_worked_out_by_hand():
    told = FOREST.distil(X, Y, max_leaves=3, n_drawn=0, cv=3, random_state=7).distillation_
    random = np.random.RandomState(7)
    codes = (Y == "yes").astype(int)
    same, wrong, wrong_forest = 0, 0, 0
    for train, test in make_folds(3, X, codes, np.ones(len(X), dtype=bool), random):
        seed = random.randint(2**31 - 1)
        forest = RandomForestClassifier(15, oob_score=False, random_state=seed)
        forest.fit(X[train], Y[train])
        tree = CARTClassifier(max_leaf_nodes=3).fit(X[train], forest.predict(X[train]))
        answers, said = tree.predict(X[test]), forest.predict(X[test])
        same += np.sum(answers == said)
        wrong += np.sum(answers != Y[test])
        wrong_forest += np.sum(said != Y[test])
    counted = (told.agreement, told.error, told.ensemble_error)
    assert counted == pytest.approx((same / 120, wrong / 120, wrong_forest / 120))
    assert told.agreement < 1


def test_noise_is_told_as_noise():
    noise = RNG.integers(2, size=120)
    forest = RandomForestClassifier(15, oob_score=False, random_state=0).fit(X, noise)
    assert forest.score(X, noise) > 0.9
    assert forest.distil(X, noise, random_state=0).distillation_.error > 0.35


def test_agreement_without_a_target_is_told_without_an_error():
    told = FOREST.distil(X, random_state=0).distillation_
    assert 0.5 < told.agreement <= 1
    assert np.isnan(told.error)
    assert "the ensemble the same" in told.judged_by


def test_a_seed_gives_one_tree_whatever_the_threads():
    trees = []
    for n_jobs in (1, 2):
        forest = RandomForestClassifier(15, oob_score=False, random_state=0, n_jobs=n_jobs).fit(
            X, Y
        )
        trees.append(forest.distil(X, Y, random_state=3))
    assert trees[0].tree_ == trees[1].tree_
    assert trees[0].distillation_ == trees[1].distillation_
    assert FOREST.distil(X, random_state=4).tree_ != trees[0].tree_


def test_drawn_rows_hold_values_and_gaps_of_the_data():
    data = load("heart_disease")
    forest = RandomForestClassifier(5, oob_score=False, random_state=0).fit(data.X, data.y)
    values = forest._rows(data.X)
    drawn = draw_near(forest, values, 700, np.random.RandomState(0))
    assert drawn.shape == (700, values.shape[1])
    for own, new in zip(values.T, drawn.T, strict=True):
        assert set(new[~np.isnan(new)]) <= set(own)
    assert np.isnan(values).mean() == pytest.approx(np.isnan(drawn).mean(), rel=0.5)
    assert np.isnan(drawn).any()


def test_encoded_rows_are_answered_as_the_table():
    data = load("heart_disease")
    forest = RandomForestClassifier(5, oob_score=False, random_state=0).fit(data.X, data.y)
    rows = EncodedTable(forest._rows(data.X), forest._schema)
    assert np.array_equal(forest.predict(rows), forest.predict(data.X))


@pytest.mark.parametrize(
    "ensemble",
    [
        ExtraTreesClassifier(5, random_state=0),
        AdaBoostClassifier(n_estimators=5, random_state=0),
        IGPAForestClassifier(n_estimators=3, random_state=0),
        spinney.BaggingClassifier(n_estimators=5, random_state=0),
        spinney.GPForestClassifier(
            n_estimators=2, population_size=10, generations=2, random_state=0
        ),
    ],
    ids=lambda e: type(e).__name__,
)
def test_ensembles_of_trees_are_distilled(ensemble):
    ensemble.fit(X, Y)
    tree = ensemble.distil(X, random_state=0)
    assert isinstance(tree, spinney.CARTClassifier)
    assert np.mean(tree.predict(X) == ensemble.predict(X)) > 0.85


@pytest.mark.parametrize("kind", [RandomForestRegressor, BaggingRegressor])
def test_numbers_are_distilled(kind):
    numbers = X[:, 0] * 3 + X[:, 1]
    forest = kind(n_estimators=10, oob_score=False, random_state=0).fit(X, numbers)
    tree = forest.distil(X, numbers, max_leaves=30, random_state=0)
    told, said = tree.predict(X), forest.predict(X)
    assert isinstance(tree, spinney.CARTRegressor)
    assert 1 - ((told - said) ** 2).mean() / said.var() > 0.9
    assert tree.distillation_.agreement > 0.7
    assert 0 < tree.distillation_.error < numbers.std()


def test_a_saved_tree_keeps_what_is_told_of_it(tmp_path):
    tree = FOREST.distil(X, Y, random_state=0)
    spinney.save(tree, tmp_path / "tree.spinney")
    again = spinney.load(tmp_path / "tree.spinney")
    assert again.distillation_ == tree.distillation_
    assert again.tree_ == tree.tree_
    assert "agreement" in str(again.distillation_)


def test_rules_are_few_ordered_and_agree():
    rules = FOREST.distil_rules(X, random_state=0)
    assert rules.ordered
    assert len(rules) <= 12
    assert np.mean(rules.predict(X) == FOREST.predict(X)) > 0.85


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_leaves": 1}, "max_leaves"),
        ({"cv": 1}, "cv"),
        ({"n_drawn": -1}, "n_drawn"),
        ({"y": Y[:5]}, "y must have one entry"),
        ({"X": X[:, :2]}, "2 features"),
        ({"X": X[:3]}, "a row for each of cv=5 folds"),
    ],
)
def test_wrong_input_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        FOREST.distil(**{"X": X, **options})


def test_one_class_and_unfitted_forests_are_refused():
    with pytest.raises(NotFittedError):
        RandomForestClassifier().distil(X)
    one = RandomForestClassifier(2, oob_score=False, random_state=0).fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="at least two classes"):
        one.distil(X)
