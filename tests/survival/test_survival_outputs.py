"""Rules, text, pictures, explanations and code of survival trees."""

import json
import sqlite3
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import spinney
from spinney import RandomSurvivalForest, SurvivalTree, Tree
from spinney._format import number_text
from spinney.datasets import load
from spinney.export import to_c, to_json, to_python, to_sql

mpl.use("Agg")


@pytest.fixture(scope="module")
def fitted() -> tuple[pd.DataFrame, Any, SurvivalTree]:
    rng = np.random.default_rng(3)
    n = 200
    X = pd.DataFrame({"age": rng.integers(20, 90, n), "arm": rng.choice(list("abc"), n)})
    end = rng.exponential(np.exp(-0.03 * X["age"] - (X["arm"] == "b")))
    y = pd.DataFrame({"event": end < 0.4, "time": np.minimum(end, 0.4) + 1e-3})
    return X, y, SurvivalTree(min_samples_leaf=15).fit(X, y)


def test_text_shows_risks_and_events(fitted):
    _X, y, tree = fitted
    first = str(tree.tree_).splitlines()[0]
    assert first == f"all rows: 1, n=200 ({int(y['event'].sum())} events)"
    assert sum(leaf.n_events for leaf in tree.tree_.leaves) == y["event"].sum()


def test_pictures_have_a_curve_in_each_leaf(fitted):
    import matplotlib.pyplot as plt

    tree = fitted[2].tree_
    ax = tree.plot()
    steps = [line for line in ax.lines if line.get_drawstyle() == "steps-post"]
    assert len(steps) == tree.n_leaves
    for line in steps:
        assert (np.diff(line.get_ydata()) <= 0).all()
    plt.close(ax.figure)


def test_graphs_name_the_risk(fitted):
    assert "risk" in fitted[2].tree_.to_graphviz()


def test_rules_and_explanations_give_the_risk(fitted):
    X, _, tree = fitted
    np.testing.assert_allclose(tree.tree_.rules().predict(X), tree.predict(X), 1e-12)
    risk = tree.predict(X[:1])[0]
    assert f"{risk:.3f}"[:4] in str(tree.explain(X.iloc[0]))


def test_sql_computes_the_risk(fitted):
    X, _, tree = fitted
    database = sqlite3.connect(":memory:")
    X.assign(id=range(len(X))).to_sql("people", database, index=False)
    query = tree.tree_.to_sql("people")
    found = pd.read_sql(query, database)
    risks = found[next(name for name in found.columns if name not in ("id", "age", "arm"))]
    np.testing.assert_allclose(np.sort(risks), np.sort(tree.predict(X)), 1e-12)


def test_dicts_restore_the_curves(fitted):
    _X, _, tree = fitted
    restored = Tree.from_dict(json.loads(json.dumps(tree.tree_.to_dict())))
    assert restored == tree.tree_


@pytest.mark.parametrize("criterion", ["exponential", "logrank"])
def test_subtrees_have_the_curves_of_their_rows(fitted, criterion):
    X, y, _ = fitted
    tree = SurvivalTree(criterion, min_samples_leaf=5, pruning="cost_complexity", cv=3).fit(X, y)
    for i in range(len(tree.pruning_path_)):
        part = tree.pruning_path_.estimator(i)
        leaves = part.apply(X)
        for leaf in np.unique(leaves):
            rows = leaves == leaf
            at = y["time"][rows & y["event"]].to_numpy()
            expected = [
                1 - (y["time"][rows] <= t).sum() / rows.sum() for t in at[at < 0.4]
            ]  # nobody is censored before
            found = part.predict_survival_function(X[rows][:1], at[at < 0.4])[0]
            np.testing.assert_allclose(found, expected, 1e-9, 1e-9)


def test_a_forest_judges_rows_that_trees_did_not_see(fitted):
    X, y, _ = fitted
    forest = RandomSurvivalForest(60, random_state=0).fit(X, y)
    assert 0.5 < forest.oob_score_ < 1.0
    assert forest.oob_permutation_importance(X, y).mean[0] > 0
    assert forest[0].predict_survival_function(X[:2]).shape == (2, len(forest.times_))


# -- Everything a model can be written as, of rows with gaps and categories


def patients() -> tuple[Any, list[dict[str, Any]], list[Any]]:
    pbc = load("pbc", as_="pandas")
    models = [
        SurvivalTree(max_depth=4).fit(pbc.X, pbc.y),
        RandomSurvivalForest(4, max_depth=3, max_surrogates=2, oob_score=False, random_state=0),
    ]
    models[1].fit(pbc.X, pbc.y)
    cells = pbc.X.astype(object).where(pbc.X.notna(), None)
    return pbc.X, cells.to_dict("records"), models


@pytest.mark.slow
def test_sql_and_python_code_of_trees_and_forests_compute_the_risk():
    X, rows, models = patients()
    database = sqlite3.connect(":memory:")
    pd.DataFrame(rows, dtype=object).to_sql("patients", database, index=False)
    for model in models:
        query = to_sql(model, "patients", dialect="sqlite")
        found = [answer[0] for answer in database.execute(query)]
        np.testing.assert_allclose(found, model.predict(X), 1e-12)
        code: dict[str, Any] = {}
        exec(to_python(model), code)
        np.testing.assert_allclose([code["predict"](row) for row in rows], model.predict(X), 1e-12)


@pytest.mark.slow
def test_files_text_json_and_c_of_trees_and_forests_are_whole(tmp_path):
    X, _, models = patients()
    for model in models:
        spinney.save(model, tmp_path / "model.spinney")
        again = spinney.load(tmp_path / "model.spinney")
        assert again.predict(X).tobytes() == model.predict(X).tobytes()
        curves = [one.predict_survival_function(X).tobytes() for one in (again, model)]
        assert curves[0] == curves[1]
        assert json.loads(to_json(model))
        assert "double" in to_c(model)


def test_rules_of_a_pruned_tree_carry_risks_and_explain_rows():
    X, _, (tree, _) = patients()
    pruned = tree.tree_.prune_at([tree.tree_[1].id])
    rules = pruned.rules()
    assert len(rules) == pruned.n_leaves
    np.testing.assert_allclose(rules.predict(X), pruned.predict(X), 1e-12)
    told = str(tree.explain(X.iloc[0]))
    assert f"predicted {number_text(tree.predict(X[:1])[0])}"[:14] in told
