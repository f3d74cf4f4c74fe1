"""Tests given by hand: CART grows below them, with counts and surrogates of the rows."""

import numpy as np
import pytest
from edited_trees import same_tree
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney import CARTClassifier, CARTRegressor, load, save
from spinney.datasets import load_german_credit, load_heart_disease

CREDIT = load_german_credit()
HEART = load_heart_disease()


@pytest.mark.parametrize("data", [CREDIT, HEART], ids=["credit", "heart"])
@pytest.mark.parametrize("limit", [{"max_depth": 4}, {"max_leaf_nodes": 9}], ids=str)
def test_forcing_the_tests_of_a_tree_gives_that_tree(data, limit):
    from spinney.tree._forced import tests_below, tests_to_dict

    grown = CARTClassifier(**limit).fit(data.X, data.y)
    tests = tests_to_dict(dict(tests_below(grown.tree_.root)), grown.tree_.schema)
    forced = CARTClassifier(**limit, forced_tests=tests).fit(data.X, data.y)
    assert same_tree(grown.tree_, forced.tree_)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_forcing_the_tests_of_a_regression_tree_gives_that_tree(criterion):
    from spinney.tree._forced import tests_below, tests_to_dict

    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 4)).round(1)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.poisson(np.exp(np.nan_to_num(X[:, 0])))
    grown = CARTRegressor(criterion, max_depth=4).fit(X, y)
    tests = tests_to_dict(dict(tests_below(grown.tree_.root)), grown.tree_.schema)
    forced = CARTRegressor(criterion, max_depth=4, forced_tests=tests).fit(X, y)
    assert same_tree(grown.tree_, forced.tree_)


def test_growth_goes_on_below_forced_tests():
    tests = {"root": "age_years <= 30", "root/yes": "duration_months <= 12"}
    tree = CARTClassifier(max_depth=4, forced_tests=tests).fit(CREDIT.X, CREDIT.y).tree_
    assert str(tree.root.test) == "age_years <= 30"
    assert str(tree.root.children[0].test) == "duration_months <= 12"
    assert tree.max_depth == 4
    young = np.asarray(CREDIT.X["age_years"], dtype=float) <= 30
    alone = CARTClassifier(max_depth=3).fit(
        {name: np.asarray(CREDIT.X[name])[~young] for name in CREDIT.X},
        np.asarray(CREDIT.y)[~young],
    )
    assert str(tree.root.children[1].test) == str(alone.tree_.root.test)


def test_a_forced_leaf_stays_one():
    tests = {"root": "age_years <= 30", "root/yes": None}
    tree = CARTClassifier(forced_tests=tests).fit(CREDIT.X, CREDIT.y).tree_
    assert tree.root.children[0].is_leaf
    assert not tree.root.children[1].is_leaf


def test_forced_tests_come_first_among_the_best():
    tests = {"root": "age_years <= 30", "root/no": "age_years <= 50"}
    tree = CARTClassifier(max_leaf_nodes=3, forced_tests=tests).fit(CREDIT.X, CREDIT.y).tree_
    assert [str(node.test) for node in tree if not node.is_leaf] == [
        "age_years <= 30",
        "age_years <= 50",
    ]


def test_forced_tests_have_counts_and_gain_of_the_rows():
    tree = CARTClassifier(forced_tests={"root": "age_years <= 30"}, max_depth=1).fit(
        CREDIT.X, CREDIT.y
    )
    y, young = np.asarray(CREDIT.y), np.asarray(CREDIT.X["age_years"], dtype=float) <= 30
    classes = tree.classes_
    expected = [[np.sum((y == c) & side) for c in classes] for side in (young, ~young)]
    np.testing.assert_array_equal(tree.tree_.value[1:], expected)

    def loss(counts):
        n = np.sum(counts)
        return n - np.sum(np.square(counts)) / n

    drop = loss(np.sum(expected, axis=0)) - loss(expected[0]) - loss(expected[1])
    assert tree.tree_.root.gain == pytest.approx(drop, rel=1e-12)
    assert tree.tree_.root.surrogates


def test_a_category_of_the_node_that_the_test_does_not_name_goes_the_other_way():
    X = {"colour": np.array(["red", "green", "blue", "blue"])}
    test = {"test": "colour in {red}", "branches": [["red"], ["green"]]}
    tree = CARTClassifier(forced_tests={"root": test}).fit(X, [0, 1, 1, 1]).tree_
    assert str(tree.root.test) == "colour in {red}" or "red" not in str(tree.root.test)
    assert (
        tree.apply({"colour": np.array(["blue"])})[0]
        == tree.apply({"colour": np.array(["green"])})[0]
    )


def test_pruning_by_cross_validation_grows_folds_below_the_tests():
    tests = {"root": "age_years <= 30"}
    model = CARTClassifier(
        pruning="cost_complexity", rule="min", random_state=0, forced_tests=tests
    ).fit(CREDIT.X, CREDIT.y)
    assert str(model.pruning_path_.trees[0].root.test) == "age_years <= 30"


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), threads=st.sampled_from([1, 2, 5]))
def test_threads_do_not_matter(seed, threads):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(200, 3)).round(1), rng.integers(0, 3, 200)
    tests = {"root": f"x1 <= {X[:, 1].mean():.3f}"}
    one, many = (
        CARTClassifier(forced_tests=tests, n_jobs=jobs).fit({f"x{i}": X[:, i] for i in range(3)}, y)
        for jobs in (1, threads)
    )
    assert same_tree(one.tree_, many.tree_)


def test_a_model_file_keeps_them(tmp_path):
    tests = {"root": "age_years <= 30", "root/yes": None}
    model = CARTClassifier(max_depth=3, forced_tests=tests).fit(CREDIT.X, CREDIT.y)
    save(model, tmp_path / "m.spinney")
    assert load(tmp_path / "m.spinney").forced_tests == tests


@pytest.mark.parametrize(
    ("tests", "message"),
    [
        (
            {"root": "age_yeers <= 30"},
            r"forced_tests\['root'\].*'age_yeers'.*[Dd]id you mean 'age_years'",
        ),
        ({"rood": "age_years <= 30"}, r"forced_tests\['rood'\].*'root/yes/no'"),
        ({"root/left": "age_years <= 30"}, r"forced_tests\['root/left'\].*'root', 'root/yes'"),
        ({"root/yes": "age_years <= 30"}, r"forced_tests\['root/yes'\] has no test above it"),
        ({"root": None, "root/yes": "age_years <= 30"}, "has no test above it"),
        (
            {"root": "age_years <= 1000"},
            r"forced_tests\['root'\], 'age_years <= 1000', sends all rows",
        ),
        ({"root": "purpose in {A999}"}, "'A999' is not a category of 'purpose'"),
        ({"root": 3}, "forced_tests must be"),
        ("age_years <= 30", "forced_tests must be"),
    ],
)
def test_wrong_tests_are_refused(tests, message):
    with pytest.raises(ValueError, match=message):
        CARTClassifier(forced_tests=tests).fit(CREDIT.X, CREDIT.y)


@pytest.mark.parametrize("other", [{"max_bins": 16}, {"warm_start": True}], ids=str)
def test_what_cannot_go_with_them_is_refused(other):
    with pytest.raises(ValueError, match="forced_tests does not work with"):
        CARTClassifier(forced_tests={"root": "age_years <= 30"}, **other).fit(CREDIT.X, CREDIT.y)
