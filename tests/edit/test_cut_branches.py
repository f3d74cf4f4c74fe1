"""Editing trees with many branches, which are cut and locked but not grown again."""

import json

import numpy as np
import pytest

from spinney import C45Classifier, ID3Classifier, load, save
from spinney._folds import make_folds
from spinney.datasets import load_german_credit, load_mushroom
from spinney.edit import TreeEditor
from spinney.rules import RuleSet
from spinney.tree._forced import node_at, path_of

CREDIT, MUSHROOM = load_german_credit(), load_mushroom()
MODELS = {
    "c45": (C45Classifier(min_samples_leaf=20), CREDIT),
    "shares": (C45Classifier(min_samples_leaf=20, pruning=None), CREDIT),
    "id3": (ID3Classifier(max_depth=2), MUSHROOM),
}


@pytest.fixture(params=MODELS)
def fitted(request):
    learner, data = MODELS[request.param]
    X = data.X
    if request.param == "shares":
        X = X.mask(np.random.default_rng(0).random(X.shape) < 0.1)
    return learner.fit(X, data.y), X, np.asarray(data.y)


def test_paths_lead_to_their_nodes(fitted):
    model, *_ = fitted
    paths = [path_of(node) for node in model.tree_]
    assert len(set(paths)) == len(paths)
    assert [node_at(model.tree_, path).id for path in paths] == list(range(len(paths)))
    with pytest.raises(ValueError, match=r"the branches of|is a leaf"):
        node_at(model.tree_, paths[-1].rpartition("/")[0] + "/99")


def test_random_cuts_are_those_of_prune_at_and_can_be_undone(fitted):
    model, X, y = fitted
    editor = TreeEditor(model, X, y, author="Ada")
    first = editor.tree
    assert first == model.tree_
    rng = np.random.default_rng(1)
    for _ in range(3):
        inner = [node for node in editor.tree if not node.is_leaf and node.parent is not None]
        if not inner:
            break
        node = inner[int(rng.integers(len(inner)))]
        wanted = editor.tree.prune_at([node])
        editor.prune(path_of(node), reason="too thin")
        assert editor.tree == wanted
    edits = editor.history.to_json()
    again = TreeEditor(model, X, y)
    assert not again.replay(edits).refused
    assert again.tree == editor.tree
    for _ in json.loads(edits)["edits"]:
        editor.undo()
    assert editor.tree is first


def test_the_error_is_that_of_leaves_learned_without_the_row():
    X, y = MUSHROOM.X, np.asarray(MUSHROOM.y)
    model = ID3Classifier(max_depth=1).fit(X, y)
    step = TreeEditor(model, X, y).history.steps[0]
    column = np.asarray(X.iloc[:, model.tree_.root.test.feature].astype(str))
    codes = np.unique(y, return_inverse=True)[1]
    wrong = np.zeros(len(y))
    for train, test in make_folds(10, None, codes, np.ones(len(y), bool), 0):
        for value in np.unique(column):
            here = column == value
            most = np.bincount(codes[train & here], minlength=2).argmax()
            wrong[test & here] = codes[test & here] != most
    assert step.error == pytest.approx(wrong.mean())


def test_the_result_is_saved_with_its_history(fitted, tmp_path):
    model, X, y = fitted
    editor = TreeEditor(model, X, y)
    node = next(n for n in editor.tree if not n.is_leaf and n.parent is not None)
    editor.prune(node)
    editor.lock("root")
    edited = editor.finish()
    save(edited, tmp_path / "edited")
    back = load(tmp_path / "edited")
    assert back.tree_ == editor.tree
    assert back.predict(X).tolist() == editor.tree.predict(X).tolist()
    assert [own["action"] for own in json.loads(back.edits_)["edits"]] == ["prune", "lock"]
    assert isinstance(back.tree_.rules(), RuleSet)


def test_what_does_not_fit_is_refused(fitted):
    model, X, y = fitted
    editor = TreeEditor(model, X, y)
    for call in (
        lambda: editor.split("root", feature=0),
        lambda: editor.grow("root"),
        lambda: editor.competitors("root"),
    ):
        with pytest.raises(ValueError, match=r"does not work with .*: prune and lock do"):
            call()
    editor.lock("root")
    with pytest.raises(ValueError, match="'root' is locked"):
        editor.prune("root")
    with pytest.raises(ValueError, match="give the rows of its fit"):
        TreeEditor(model, X.iloc[:-5], y[:-5])
    with pytest.raises(ValueError, match="exposure is given"):
        TreeEditor(model, X, y, exposure=np.ones(len(y)))
