"""Editing a tree by hand."""

import json

import numpy as np
import pytest
from edited_trees import same_tree
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney import CARTClassifier, CARTRegressor, RandomForestClassifier, load, save
from spinney.datasets import load_german_credit, load_heart_disease
from spinney.edit import Edit, TreeEditor
from spinney.tree._forced import path_of

CREDIT = load_german_credit()
HEART = load_heart_disease()


@pytest.fixture
def editor() -> TreeEditor:
    model = CARTClassifier(max_depth=3).fit(CREDIT.X, CREDIT.y)
    return TreeEditor(model, CREDIT.X, CREDIT.y, author="Ada")


def test_it_begins_with_the_tree_of_the_model():
    model = CARTClassifier(max_depth=4).fit(HEART.X, HEART.y)
    assert same_tree(TreeEditor(model, HEART.X, HEART.y).tree, model.tree_)


def test_a_split_gives_the_node_that_test_and_two_leaves(editor):
    editor.split("root/yes", "age_years <= 30", reason="by policy")
    node = editor.tree.root.children[0]
    assert str(node.test) == "age_years <= 30"
    assert all(child.is_leaf for child in node.children)
    assert node.surrogates
    rows = editor.tree.decision_path(CREDIT.X)[:, [node.id]].toarray()[:, 0] > 0
    young = rows & (np.asarray(CREDIT.X["age_years"], dtype=float) <= 30)
    assert node.children[0].n_samples == young.sum()


def test_a_split_on_a_column_takes_its_best_test(editor):
    editor.split(0, feature="age_years")
    alone = CARTClassifier(max_depth=1).fit({"age_years": CREDIT.X["age_years"]}, CREDIT.y)
    assert str(editor.tree.root.test) == str(alone.tree_.root.test)


def test_competitors_are_the_best_tests_of_all_columns(editor):
    found = editor.competitors("root", n=100)
    assert [one.gain for one in found] == sorted((one.gain for one in found), reverse=True)
    assert str(found[0].test) == str(editor.tree.root.test)
    for one in found[:6]:
        name = CREDIT.X.columns[one.test.feature]
        alone = CARTClassifier(max_depth=1).fit({name: CREDIT.X[name]}, CREDIT.y).tree_
        assert one.gain == pytest.approx(alone.root.gain)
        assert one.n_rows == tuple(child.n_samples for child in alone.root.children)
    assert len(editor.competitors(0)) == 5


def test_prune_makes_a_leaf_and_keeps_the_rest(editor):
    before = editor.tree
    editor.prune("root/no")
    assert editor.tree.root.children[1].is_leaf
    assert same_tree(editor.tree, before.prune_at([before.root.children[1].id]))


def test_grow_goes_on_below_a_leaf(editor):
    editor.prune("root/no")
    editor.grow("root/no", max_depth=1)
    node = editor.tree.root.children[1]
    assert not node.is_leaf
    assert all(child.is_leaf for child in node.children)


def test_a_pruned_branch_grows_back_as_it_was(editor):
    before = editor.tree
    editor.prune("root/no")
    editor.grow("root/no")
    assert same_tree(editor.tree, before)


def test_a_locked_node_is_not_changed(editor):
    editor.lock("root/yes")
    for edit in (
        lambda: editor.split("root/yes", "age_years <= 30"),
        lambda: editor.split("root", "age_years <= 30"),
        lambda: editor.prune("root"),
        lambda: editor.grow("root/yes"),
    ):
        with pytest.raises(ValueError, match="'root/yes' is locked"):
            edit()
    editor.prune("root/no")  # beside it


def test_locked_leaves_are_not_grown(editor):
    editor.split("root", "age_years <= 30")
    editor.lock("root/yes")
    editor.grow("root")
    assert editor.tree.root.children[0].is_leaf
    assert not editor.tree.root.children[1].is_leaf


def test_undo_and_redo(editor):
    before = editor.tree
    editor.split("root", "age_years <= 30")
    after = editor.tree
    editor.undo()
    assert editor.tree is before
    editor.redo()
    assert editor.tree is after
    with pytest.raises(ValueError, match="no edit to redo"):
        editor.redo()


def edit_at_random(editor: TreeEditor, rng: np.random.Generator) -> None:
    node = editor.tree[int(rng.integers(editor.tree.n_nodes))]
    action = rng.integers(3)
    try:
        if action == 0:
            editor.split(node, feature=int(rng.integers(len(editor.tree.schema.columns))))
        elif action == 1:
            editor.prune(node)
        else:
            editor.grow(path_of(node), max_depth=1)
    except ValueError as problem:
        if "leaf already" not in str(problem) and "no test on" not in str(problem):
            raise


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_random_edits_can_be_undone_and_replayed(seed):
    data = HEART if seed % 2 else CREDIT
    model = CARTClassifier(max_depth=3).fit(data.X, data.y)
    editor = TreeEditor(model, data.X, data.y)
    first = editor.tree
    rng = np.random.default_rng(seed)
    for _ in range(8):
        edit_at_random(editor, rng)
    last, edits = editor.tree, editor.history.to_json()
    again = TreeEditor(model, data.X, data.y)
    assert not again.replay(edits).refused
    assert again.tree == last or same_tree(again.tree, last)
    for _ in editor.history:
        editor.undo()
    assert editor.tree is first


def test_the_history_says_who_did_what_and_why(editor):
    editor.split("root", "age_years <= 30", reason="policy 7")
    editor.grow("root", max_depth=2)
    shown = str(editor.history)
    assert "split root by age_years <= 30 (Ada, policy 7)" in shown
    assert "grow root by up to 2 levels (Ada)" in shown
    assert len(shown.splitlines()) == 4
    told = json.loads(editor.history.to_json())
    assert told["edits"][0] == {
        "action": "split", "node": "root", "test": {"test": "age_years <= 30"},
        "reason": "policy 7", "author": "Ada",
    }  # fmt: skip


def test_the_error_is_that_of_trees_with_these_tests_on_other_rows(editor):
    from spinney._folds import make_folds

    editor.split("root", "age_years <= 30")
    step = editor.history.steps[-1]
    y, young = np.asarray(CREDIT.y), np.asarray(CREDIT.X["age_years"], dtype=float) <= 30
    wrong = np.zeros(len(y))
    codes = np.unique(y, return_inverse=True)[1]
    for train, test in make_folds(10, None, codes, np.ones(len(y), bool), 0):
        for side in (young, ~young):
            most = np.bincount(codes[train & side]).argmax()
            wrong[test & side] = codes[test & side] != most
    assert step.error == pytest.approx(wrong.mean())
    assert step.standard_error == pytest.approx(wrong.std() / np.sqrt(len(y)))


def test_the_result_is_an_estimator_like_any_other(editor, tmp_path):
    editor.split("root", "age_years <= 30")
    editor.grow("root", max_depth=2)
    model = editor.finish()
    assert isinstance(model, CARTClassifier)
    np.testing.assert_array_equal(model.predict(CREDIT.X), editor.tree.predict(CREDIT.X))
    save(model, tmp_path / "edited.spinney")
    back = load(tmp_path / "edited.spinney")
    assert back.tree_ == model.tree_
    assert [edit["action"] for edit in json.loads(back.edits_)["edits"]] == ["split", "grow"]
    assert len(model.tree_.rules().rules) == model.tree_.n_leaves
    assert "age" in model.tree_.to_sql("credit")


def test_regression_with_exposure():
    rng = np.random.default_rng(0)
    X, years = {"age": rng.integers(18, 80, 500)}, rng.uniform(0.1, 1, 500)
    y = rng.poisson(years * np.where(X["age"] < 30, 1.0, 0.3))
    model = CARTRegressor("poisson", max_depth=2).fit(X, y, exposure=years)
    editor = TreeEditor(model, X, y, exposure=years)
    editor.split("root", "age <= 29.5")
    young = X["age"] < 30
    rates = [y[side].sum() / years[side].sum() for side in (young, ~young)]
    np.testing.assert_allclose(editor.tree.value[1:, 0], rates)


def test_replay_on_other_rows_tells_what_no_longer_fits(editor):
    editor.split("root", "age_years <= 30")
    editor.split("root/yes", "duration_months <= 12")
    old = np.asarray(CREDIT.X["age_years"], dtype=float) > 30
    X, y = CREDIT.X[old], CREDIT.y[old]
    other = TreeEditor(CARTClassifier(max_depth=2).fit(X, y), X, y)
    before = other.tree
    report = other.replay(editor.history)
    assert [edit.node for edit, _ in report.refused][:1] == ["root"]
    assert "sends all rows of its node the same way" in str(report)
    assert other.tree is before or len(report.applied) == 1


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ({"action": "splitt", "node": "root", "test": "x"}, "Did you mean 'split'"),
        ({"action": "split", "node": "root"}, "has a 'test'"),
        ({"action": "prune", "node": 3}, "'node' of an edit must be a path"),
        ({"action": "prune", "nod": "root"}, "no 'nod'"),
        ({"action": "prune", "node": "root", "test": "age_years <= 3"}, "and no other edit"),
        ({"action": "grow", "node": "root", "max_depth": 0}, "'max_depth'"),
        (7, "an edit is a dict"),
    ],
)
def test_wrong_edits_are_refused(editor, edit, message):
    with pytest.raises(ValueError, match=message):
        editor.replay([edit])
    with pytest.raises(ValueError, match="no JSON"):
        editor.replay("{")


def test_nodes_that_are_gone_are_refused(editor):
    node = editor.tree.root.children[0]
    editor.split("root", "age_years <= 30")
    with pytest.raises(ValueError, match="of another tree"):
        editor.prune(node)
    with pytest.raises(ValueError, match="'root/yes' is a leaf"):
        editor.prune("root/yes/no")
    with pytest.raises(ValueError, match="there is no node 99"):
        editor.prune(99)


def test_models_and_data_that_do_not_fit_are_refused(editor):
    forest = RandomForestClassifier(3, oob_score=False, random_state=0).fit(CREDIT.X, CREDIT.y)
    with pytest.raises(TypeError, match="got RandomForestClassifier"):
        TreeEditor(forest, CREDIT.X, CREDIT.y)
    model = CARTClassifier(max_depth=1).fit(CREDIT.X, CREDIT.y)
    with pytest.raises(ValueError, match="classes"):
        TreeEditor(model, CREDIT.X, np.where(np.asarray(CREDIT.y) == "bad", "a", "b"))
    with pytest.raises(ValueError, match="either a test or feature="):
        editor.split("root")
    with pytest.raises(ValueError, match="Did you mean 'age_years'"):
        editor.split("root", feature="age_yeers")


def test_edits_are_read_from_dicts():
    assert Edit.from_dict({"action": "prune", "node": "root"}) == Edit("prune", "root")
