"""The worked numbers of the lecture notes on classification trees, from the credit example on."""

import numpy as np
import pytest

from spinney import CARTClassifier, Tree
from spinney.datasets import load_credit_example
from spinney.pruning import cost_complexity_path, link_strengths
from spinney.tree import segment_borders


@pytest.fixture(scope="module")
def credit():
    return load_credit_example(as_="pandas")


def test_the_credit_tree_asks_for_income_then_age_then_marriage(credit):
    tree = CARTClassifier().fit(credit.X, credit.y).tree_
    assert str(tree.root.test) == "income <= 36"
    poor, rich = tree.root.children
    assert rich.is_leaf
    assert rich.prediction == "good"
    assert str(poor.test) == "age <= 37"
    young, old = poor.children
    assert young.is_leaf
    assert young.prediction == "bad"
    assert old.test.feature_name == "married"
    assert old.children[1].prediction == "good"  # married in {yes}
    assert tree.n_leaves == 4


@pytest.mark.parametrize(
    ("threshold", "reduction"),
    [
        (25.5, 0.0278),
        (27.5, 0.0625),
        (29, 0.0417),
        (31, 0.0100),
        (36, 0.1071),
        (46, 0.0625),
        (55, 0.0278),
    ],
)
def test_every_split_on_income_reduces_gini_by_twice_the_notes_p_times_1_minus_p(
    credit, threshold, reduction
):
    side = (credit.X[["income"]].to_numpy(float) <= threshold).astype(float)
    tree = CARTClassifier(max_depth=1).fit(side, credit.y).tree_
    assert tree.gain[0] / tree.weight[0] == pytest.approx(2 * reduction, abs=1e-4)
    assert tree.impurity[0] == 0.5


def test_the_first_split_reduces_misclassification_by_three_tenths(credit):
    tree = CARTClassifier("misclassification").fit(credit.X[["income"]], credit.y).tree_
    assert str(tree.root.test) == "income <= 36"
    assert tree.gain[0] / tree.weight[0] == pytest.approx(0.3)


@pytest.mark.parametrize(("n_categories", "n_splits"), [(2, 1), (3, 3), (4, 7), (5, 15), (8, 127)])
def test_a_column_of_l_categories_has_2_to_the_l_minus_1_less_1_splits(n_categories, n_splits):
    seen = []

    def gini(shares):
        seen.append(len(shares))
        return 1 - (shares**2).sum(axis=1)

    X = np.repeat(np.arange(float(n_categories)), 2)[:, None]
    y = np.tile([0, 1], n_categories)
    y[0] = 1
    CARTClassifier(gini, categorical_features=[0], max_depth=1).fit(X, y)
    assert (sum(n for n in seen if n > 1)) == 2 * n_splits  # both sides of each split


def test_only_borders_of_segments_can_be_best():
    x = [8, 8, 12, 12, 14, 16, 16, 18, 20, 20]
    assert segment_borders(x, list("ABABAAAAAB")).tolist() == [13, 19]


def test_surrogates_for_age_are_gender_and_own_house_but_not_marriage(credit):
    tree = CARTClassifier().fit(credit.X, credit.y).tree_
    node = tree.root.children[0]
    agreement = {s.test.feature_name: s.agreement for s in node.surrogates}
    assert agreement["gender"] == pytest.approx(6 / 7)
    assert agreement["own_house"] == pytest.approx(5 / 7)
    assert "married" not in agreement  # 4/7: no better than sending all rows one way
    assert node.surrogates[0].test.feature_name == "gender"
    men = node.surrogates[0].test
    assert (men.categories, men.other_categories) in [
        (("male",), ("female",)),
        (("female",), ("male",)),
    ]


def test_an_applicant_without_age_goes_by_gender(credit):
    model = CARTClassifier().fit(credit.X, credit.y)
    row = credit.X.iloc[[0]].copy()
    row["age"] = np.nan
    row["income"] = 30.0
    node = model.tree_.root.children[0]
    for gender in ("male", "female"):
        row["gender"] = gender
        went = model.decision_path(row).indices
        child = node.children[0] if gender == "male" else node.children[1]
        assert child.id in went


@pytest.fixture(scope="module")
def worked_tree():
    def node(counts, children=(), test=None):
        return {"test": test, "children": list(children), "counts": list(counts)}

    return Tree.from_dict(
        {
            "classes": [0, 1],
            "features": ["x"],
            "nodes": [
                node((100, 100), (1, 2), "x <= 5"),
                node((90, 60), (3, 4), "x <= 3"),
                node((10, 40), (5, 6), "x <= 7"),
                node((80, 0)),
                node((10, 60), (7, 8), "x <= 4"),
                node((10, 0)),
                node((0, 40)),
                node((10, 0)),
                node((0, 60)),
            ],
        }
    )


def strengths(tree):
    return sorted(g for g in link_strengths(tree).tolist() if g == g)


def test_the_weakest_links_of_the_worked_example(worked_tree):
    assert strengths(worked_tree) == pytest.approx([1 / 20, 1 / 20, 1 / 8, 3 / 20])


@pytest.mark.parametrize("method", ["rpart", "exact"])
def test_the_pruning_sequence_of_the_worked_example(worked_tree, method):
    path = cost_complexity_path(worked_tree, method)
    assert path.alphas.tolist() == pytest.approx([0, 1 / 20, 2 / 10])
    assert path.n_leaves.tolist() == [5, 3, 1]
    assert path.risks.tolist() == pytest.approx([0, 1 / 10, 1 / 2])
    assert strengths(path.trees[1]) == pytest.approx([2 / 10, 1 / 4])
    assert path.trees[2].n_nodes == 1
