"""Trees whose tests are sums of numeric columns."""

import numpy as np
import pytest

from spinney import BaggingClassifier, CARTClassifier, CARTRegressor
from spinney.datasets import load
from spinney.export import to_python


def plane(n=600, seed=0, n_columns=4):
    """Rows on both sides of a plane that leans against three axes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_columns)) * np.array([1.0, 20.0, 0.1, 5.0])[:n_columns]
    side = X[:, 0] - X[:, 1] / 20 + 5 * X[:, 2]
    return X, np.where(side > 0.2, "above", "below"), side


def gini(labels):
    _, counts = np.unique(labels, return_counts=True)
    return 1.0 - float(np.sum((counts / counts.sum()) ** 2))


def gain(labels, inside):
    share = inside.mean()
    return gini(labels) - share * gini(labels[inside]) - (1 - share) * gini(labels[~inside])


def test_one_sum_parts_what_a_plane_parts():
    X, y, _ = plane()
    oblique = CARTClassifier(splitter="oblique", max_depth=1, random_state=0).fit(X, y)
    axis = CARTClassifier(max_depth=1).fit(X, y)
    assert oblique.score(X, y) > 0.99
    assert axis.score(X, y) < 0.85
    assert oblique.tree_.root.test.kind == "expression"


def test_numbers_are_cut_by_sums_too():
    X, _, side = plane()
    y = np.where(side > 0.2, 10.0, -10.0)
    model = CARTRegressor(splitter="oblique", max_depth=1, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.95
    assert CARTRegressor(max_depth=1).fit(X, y).score(X, y) < 0.5


@pytest.mark.parametrize("seed", range(8))
def test_the_root_never_gains_less_than_the_best_single_column(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 5)).round(1)
    y = rng.integers(0, 3, 120).astype(str)
    oblique = CARTClassifier(splitter="oblique", max_depth=1, random_state=seed).fit(X, y)
    axis = CARTClassifier(max_depth=1).fit(X, y)
    gains = [gain(y, m.apply(X) == 1) for m in (oblique, axis)]
    assert gains[0] >= gains[1] - 1e-12


@pytest.mark.parametrize("name", ["pima_indians_diabetes", "glass", "heart_disease"])
def test_rows_reach_the_leaf_that_counted_them(name):
    data = load(name)
    model = CARTClassifier(splitter="oblique", random_state=0).fit(data.X, data.y)
    leaves, counts = np.unique(model.apply(data.X), return_counts=True)
    assert counts.tolist() == model.tree_.n_samples[leaves].tolist()
    assert "expression" in set(model.tree_.kind)


def test_a_sum_has_no_column_that_brings_little():
    X, y, _ = plane(n_columns=4)
    X = np.column_stack([X, np.random.default_rng(1).normal(size=(len(X), 6))])
    root = CARTClassifier(splitter="oblique", max_depth=1, random_state=0).fit(X, y).tree_.root
    asked = {token.arg for token in root.test.tokens if token.op == "column"}
    assert asked == {0, 1, 2}


def test_the_column_that_matters_most_has_no_coefficient():
    X, y, _ = plane()
    text = str(CARTClassifier(splitter="oblique", random_state=0).fit(X, y).tree_.root.test)
    first, *others = text.split(" > ")[0].replace(" - ", " + ").split(" + ")
    assert first.startswith("x")
    assert all(" * x" in other for other in others)


def test_rows_with_gaps_go_by_surrogates():
    X, y, _ = plane(1000)
    gaps = np.random.default_rng(2).random(X.shape) < 0.1
    holed = np.where(gaps, np.nan, X)
    model = CARTClassifier(splitter="oblique", max_depth=1, random_state=0).fit(holed, y)
    root = model.tree_.root
    assert root.test.kind == "expression"
    assert root.surrogates
    missing = np.isnan(holed[:, :3]).any(axis=1)
    surrogate = root.surrogates[0]
    column = int(surrogate.test.feature)
    rows = missing & ~np.isnan(holed[:, column])
    says = holed[rows, column] <= surrogate.test.threshold
    branch = np.where(says != surrogate.reversed, 0, 1)
    assert ((model.apply(holed[rows]) - 1) == branch).all()


@pytest.mark.parametrize("missing", ["surrogate", "majority", "fractional"])
def test_every_rule_for_gaps_fits_and_answers(missing):
    X, y, _ = plane(300)
    X[::7, 0] = np.nan
    model = CARTClassifier(splitter="oblique", missing=missing, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9
    assert np.isfinite(model.predict_proba(np.full((3, 4), np.nan))).all()


def test_nominal_columns_are_asked_alone():
    data = load("german_credit")
    tree = CARTClassifier(splitter="oblique", max_depth=4, random_state=0).fit(data.X, data.y).tree_
    numeric = {i for i, c in enumerate(tree.schema.columns) if c.kind == "numeric"}
    for node in tree:
        if not node.is_leaf and node.test.kind == "expression":
            asked = {token.arg for token in node.test.tokens if token.op == "column"}
            assert asked <= numeric
            assert len(asked) > 1
    assert set(tree.kind) == {"leaf", "subset", "expression"}


def test_the_same_seed_gives_the_same_tree_in_any_number_of_threads():
    data = load("pima_indians_diabetes")
    models = [
        CARTClassifier(splitter="oblique", random_state=3, n_jobs=n).fit(data.X, data.y)
        for n in (1, 4)
    ]
    assert models[0].tree_ == models[1].tree_


def test_pruning_rules_text_and_code_take_sums():
    data = load("pima_indians_diabetes")
    model = CARTClassifier(splitter="oblique", pruning="cost_complexity", cv=5, random_state=0).fit(
        data.X, data.y
    )
    tree = model.tree_
    assert 1 < tree.n_leaves < 30
    assert (tree.rules().predict(data.X) == model.predict(data.X)).all()
    assert " * " in tree.to_text()
    names: dict = {}
    exec(to_python(tree), names)
    row = data.X.iloc[0].to_dict()
    assert names["predict"](row) == model.predict(data.X.iloc[:1])[0]


def test_members_of_ensembles_may_be_oblique():
    X, y, _ = plane()
    base = CARTClassifier(splitter="oblique", max_depth=2)
    model = BaggingClassifier(base, n_estimators=5, random_state=0).fit(X, y)
    assert all("expression" in set(tree.kind) for tree in model.forest_)


def test_few_rows_and_far_numbers_are_no_trouble():
    X = np.array([[0.0, 1.0], [1.0, 0.0], [1e300, -1e300], [-np.inf, 2.0]])
    y = np.array([0, 1, 0, 1])
    assert CARTClassifier(splitter="oblique").fit(X, y).score(X, y) == 1.0
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=50) * 1e200, rng.normal(size=50) * 1e-200])
    y = (X[:, 0] / 1e200 + X[:, 1] * 1e200 > 0).astype(int)
    assert CARTClassifier(splitter="oblique", random_state=0).fit(X, y).score(X, y) == 1.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"splitter": "obliqe"}, r"splitter.*'obliqe'.*oblique"),
        ({"splitter": "oblique", "max_bins": 16}, "max_bins does not work with splitter='oblique'"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        CARTClassifier(**settings).fit(np.eye(4), [0, 1, 0, 1])
