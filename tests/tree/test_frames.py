"""Trees and pruning paths as frames and as estimators: numbers of rpart, and of the tree itself."""

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GroupKFold

from spinney import C45Classifier, CARTClassifier, CARTRegressor, IGPAClassifier, load, save
from spinney.datasets import load_german_credit, load_iris
from spinney.pruning import cost_complexity_path


@pytest.fixture(scope="module")
def credit():
    return load_german_credit(as_="pandas")


@pytest.fixture(scope="module")
def pruned(credit):
    model = CARTClassifier(pruning="cost_complexity", cv=5, random_state=0)
    return model.fit(credit.X, credit.y)


def test_a_frame_has_a_row_for_each_node(pruned):
    tree = pruned.tree_
    frame = tree.to_frame()
    assert frame.index.tolist() == list(range(tree.n_nodes))
    for node in tree:
        row = frame.loc[node.id]
        assert row["is_leaf"] == node.is_leaf
        assert row["test"] == ("" if node.is_leaf else str(node.test))
        assert row["parent"] == (-1 if node.parent is None else node.parent.id)
        assert row["prediction"] == node.prediction
        assert [row["counts[bad]"], row["counts[good]"]] == list(node.counts)
        assert row["n_samples"] == node.n_samples


def test_branches_of_a_frame_select_the_rows_of_a_node(credit):
    model = CARTRegressor(max_depth=3).fit(credit.X[["duration_months", "age_years"]], range(1000))
    frame = model.tree_.to_frame()
    for node, row in frame.iterrows():
        kept = credit.X
        while row["branch"]:
            kept = kept.query(row["branch"])
            row = frame.loc[row["parent"]]
        assert len(kept) == frame.loc[node, "n_samples"]


def test_a_frame_of_a_regression_tree_has_no_counts():
    frame = CARTRegressor(max_depth=1).fit([[0.0], [1.0]], [3.0, 5.0]).tree_.to_frame()
    assert not [name for name in frame.columns if name.startswith("counts")]
    assert frame["prediction"].tolist() == [4.0, 3.0, 5.0]
    assert frame["branch"].tolist() == ["", "x0 <= 0.5", "x0 > 0.5"]


def test_a_path_has_the_columns_of_rpart(pruned):
    path = pruned.pruning_path_
    frame = path.to_frame()
    root = path.risks[-1]
    assert np.allclose(frame["CP"], path.alphas / root)
    assert np.allclose(frame["rel error"], path.risks / root)
    assert np.allclose(frame["xerror"], path.errors / root)
    assert np.allclose(frame["xstd"], path.standard_errors / root)
    assert (frame["nsplit"] == frame["n_leaves"] - 1).all()
    assert frame["rel error"].iloc[-1] == 1.0
    assert np.flatnonzero(frame["selected"]).tolist() == [path.selected]


def test_a_path_without_errors_has_none_in_its_frame():
    data = load_iris()
    path = cost_complexity_path(CARTClassifier().fit(data.X, data.y).tree_)
    assert path.to_frame()[["error", "xerror", "xstd"]].isna().all(axis=None)


def test_frames_say_what_they_need(pruned, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    for thing in (pruned.tree_, pruned.pruning_path_):
        with pytest.raises(ImportError, match=r"to_frame needs pandas: pip install pandas"):
            thing.to_frame()


def test_subtrees_of_a_path_are_fitted_estimators(pruned, credit):
    path = pruned.pruning_path_
    for i in range(len(path)):
        model = path.estimator(i)
        assert type(model) is CARTClassifier
        assert model.get_params() == pruned.get_params()
        assert model.get_n_leaves() == path.n_leaves[i]
        wanted = path.trees[i].predict(credit.X)
        assert (model.predict(credit.X) == wanted).all()
        assert np.mean(wanted != credit.y) == pytest.approx(path.risks[i])
    assert path.estimator(path.selected).tree_ == pruned.tree_


def test_subtrees_by_a_penalty(pruned):
    path = pruned.pruning_path_
    for i in range(len(path)):
        by_alpha, by_cp = path.estimator(alpha=path.alphas[i]), path.estimator(cp=path.cp()[i])
        assert by_alpha.get_n_leaves() == by_cp.get_n_leaves() == path.n_leaves[i]
    assert path.estimator(cp=1.0).get_n_leaves() == 1
    assert path.estimator(cp=0.0).get_n_leaves() == path.n_leaves[0]


def test_a_saved_path_still_makes_estimators(pruned, tmp_path):
    save(pruned, tmp_path / "model.spinney")
    again = load(tmp_path / "model.spinney").pruning_path_
    assert again.estimator(2).tree_ == pruned.pruning_path_.estimator(2).tree_


@pytest.mark.parametrize("given", [{}, {"i": 0, "cp": 0.1}, {"cp": 0.1, "alpha": 0.1}])
def test_one_subtree_is_asked_for(pruned, given):
    with pytest.raises(ValueError, match="one of i, cp and alpha"):
        pruned.pruning_path_.estimator(**given)


def test_bad_penalties_and_lone_paths_are_refused(pruned):
    with pytest.raises(ValueError, match="cp must be a number >= 0, got -1"):
        pruned.pruning_path_.estimator(cp=-1)
    with pytest.raises(ValueError, match="belongs to no estimator"):
        cost_complexity_path(pruned.tree_).estimator(0)
    with pytest.raises(IndexError, match=r"subtree 1000 of a path of \d+ subtrees"):
        pruned.pruning_path_.estimator(1000)


@pytest.mark.parametrize("cls", [CARTClassifier, C45Classifier, IGPAClassifier])
def test_the_path_of_a_fully_grown_tree_as_in_scikit_learn(cls, credit):
    given = {"random_state": 0} if cls is IGPAClassifier else {}
    found = cls(**given).cost_complexity_pruning_path(credit.X, credit.y)
    own = {"pruning": None} if cls is C45Classifier else {}
    path = cost_complexity_path(cls(**given, **own).fit(credit.X, credit.y).tree_)
    assert np.array_equal(found.ccp_alphas, path.alphas)
    assert np.array_equal(found.impurities, path.risks)
    assert found.ccp_alphas[0] == 0.0
    assert found.path.estimator(0).get_n_leaves() == path.n_leaves[0]
    if cls is CARTClassifier:
        pruned = CARTClassifier(ccp_alpha=found.ccp_alphas[3]).fit(credit.X, credit.y)
        assert pruned.get_n_leaves() == path.n_leaves[3]


def test_groups_are_kept_together_by_the_splitter_of_cv(credit):
    groups = np.arange(1000) // 7
    by_groups = CARTClassifier(pruning="cost_complexity", cv=GroupKFold(5))
    by_groups.fit(credit.X, credit.y, groups=groups)
    splits = list(GroupKFold(5).split(credit.X, credit.y, groups))
    by_list = CARTClassifier(pruning="cost_complexity", cv=splits).fit(credit.X, credit.y)
    assert np.array_equal(by_groups.pruning_path_.errors, by_list.pruning_path_.errors)
    with pytest.raises(ValueError, match=r"GroupKFold\(\) needs the groups of the rows: fit\(X, y"):
        CARTClassifier(pruning="cost_complexity", cv=GroupKFold(5)).fit(credit.X, credit.y)
    with pytest.raises(ValueError, match="cv is no splitter that uses it"):
        CARTClassifier(pruning="cost_complexity", cv=5).fit(credit.X, credit.y, groups=groups)
    with pytest.raises(ValueError, match="IGPAClassifier has no cross-validation"):
        IGPAClassifier().fit(credit.X, credit.y, groups=groups)


def test_categories_that_fit_did_not_see_are_told_once_a_column():
    model = CARTClassifier().fit(pd.DataFrame({"c": list("aabb"), "d": list("xyxy")}), [0, 0, 1, 1])
    new = pd.DataFrame({"c": ["a", "z", "q"], "d": ["x", "x", "y"]})
    with pytest.warns(UserWarning, match=r"column 'c' .*'z', 'q'\. .*treated as missing") as told:
        model.predict(new)
    assert len(told) == 1
    assert told[0].filename == __file__
