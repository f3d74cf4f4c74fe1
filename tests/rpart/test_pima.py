"""The best known tree of all, in numbers: Pima Indians diabetes as rpart 4.1.19 grows it."""

import pytest

from spinney import CARTClassifier, datasets
from spinney.pruning import cost_complexity_path

# Splits and relative error of every tree in rpart's table.
SEQUENCE = {
    0: 1.0,
    1: 0.7574626866,
    2: 0.6529850746,
    5: 0.6007462687,
    9: 0.5410447761,
    12: 0.4925373134,
    15: 0.4589552239,
    16: 0.4514925373,
    21: 0.4216417910,
    23: 0.4141791045,
    27: 0.4104477612,
}
# Column, cut and agreement of the root's surrogates, the best first.
SURROGATES = [
    ("serum_insulin", 121.0, 0.6966),
    ("age_years", 48.5, 0.6654),
    ("diastolic_blood_pressure", 81.0, 0.6589),
    ("body_mass_index", 39.75, 0.6589),
    ("diabetes_pedigree", 1.149, 0.6419),
]


@pytest.fixture(scope="module")
def tree():
    pima = datasets.load("pima_indians_diabetes", as_="pandas")
    cart = CARTClassifier(
        criterion="gini", min_samples_split=20, min_samples_leaf=7, min_impurity_decrease=1e-12
    )
    return cart.fit(pima.X, pima.y).tree_


def test_the_pruning_sequence_is_rparts_table(tree):
    path = cost_complexity_path(tree)
    errors = path.risks / path.risks[-1]
    found = dict(zip((path.n_leaves - 1).tolist(), errors.tolist(), strict=True))
    assert found == pytest.approx(SEQUENCE, abs=5e-11)


def test_every_subtree_has_the_size_and_the_error_that_the_path_says(tree):
    path = cost_complexity_path(tree)
    for subtree, n_leaves, risk in zip(path.trees, path.n_leaves, path.risks, strict=True):
        assert subtree.n_leaves == n_leaves
        assert sum(leaf.risk for leaf in subtree.leaves) == pytest.approx(risk)


def test_the_root_asks_for_plasma_glucose(tree):
    assert str(tree.root.test) == "plasma_glucose <= 127.5"
    assert [child.n_samples for child in tree.root.children] == [485, 283]


def test_the_root_has_five_surrogates(tree):
    surrogates = tree.root.surrogates
    assert [(s.test.feature_name, s.test.threshold) for s in surrogates] == [
        (name, pytest.approx(cut)) for name, cut, _ in SURROGATES
    ]
    assert [s.agreement for s in surrogates] == pytest.approx(
        [agreement for _, _, agreement in SURROGATES], abs=5e-5
    )
    assert not any(s.reversed for s in surrogates)
