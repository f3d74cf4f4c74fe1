"""Forced tests and edits of trees whose tests say where missing values go."""

import numpy as np
import pandas as pd
import pytest
from edited_trees import same_tree
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney import CARTClassifier, CARTRegressor
from spinney.edit import TreeEditor
from spinney.tree import _forced as forced

RULES = ["learned", "category"]


def table(seed, n_rows=300):
    """Return rows with gaps that tell something, and two targets."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "x": rng.integers(0, 12, n_rows).astype(float),
            "z": rng.normal(size=n_rows),
            "word": rng.choice(np.array(["a", "b", "c", "d"], dtype=object), n_rows),
        }
    )
    score = frame["x"] / 4 + (frame["word"] == "b") + rng.normal(size=n_rows) / 2
    frame = frame.mask(rng.random(frame.shape) < 0.25)
    score = score + 1.5 * frame["z"].isna() - frame["word"].isna()
    return frame, np.where(score > 1.5, "high", "low"), score.to_numpy()


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), rule=st.sampled_from(RULES), depth=st.integers(1, 5))
def test_the_tests_of_a_tree_forced_on_its_rows_give_the_tree(seed, rule, depth):
    frame, labels, numbers = table(seed, 120)
    for learner, y in ((CARTClassifier, labels), (CARTRegressor, numbers)):
        model = learner(max_depth=depth, missing=rule).fit(frame, y)
        tests = forced.tests_to_dict(dict(forced.tests_below(model.tree_.root)), model._schema)
        again = learner(missing=rule, forced_tests=tests).fit(frame, y)
        assert same_tree(again.tree_, model.tree_)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", range(4))
def test_a_test_that_does_not_say_sends_gaps_where_they_gain_most(rule, seed):
    frame, y, _ = table(seed)

    def root(test):
        return CARTClassifier(max_depth=1, missing=rule, forced_tests={"root": test}).fit(frame, y)

    entry = {"test": "word in {a, c}"}
    plain = root("word in {a, c}").tree_.root
    both = [root({**entry, "default_branch": side}).tree_.root for side in (0, 1)]
    assert plain.gain == pytest.approx(max(own.gain for own in both))
    cut = root("x <= 5").tree_.root
    sides = [root({"test": "x <= 5", "default_branch": side}).tree_.root for side in (0, 1)]
    wanted = sides[1].gain if rule == "category" else max(own.gain for own in sides)
    assert cut.gain == pytest.approx(wanted)
    assert str(root("x <= 5 or missing").tree_.root.test) == "x <= 5 or missing"


@pytest.mark.parametrize("rule", RULES)
def test_whether_there_is_a_value_can_be_asked(rule):
    frame, y, _ = table(0)
    tree = CARTClassifier(max_depth=1, missing=rule, forced_tests={"root": "z is known"})
    root = tree.fit(frame, y).tree_.root
    assert [child.n_samples for child in root.children] == [
        frame["z"].notna().sum(),
        frame["z"].isna().sum(),
    ]
    assert str(root.test) == "z is known"


def test_sides_of_gaps_need_a_rule_that_takes_them():
    frame, y, _ = table(0)
    with pytest.raises(ValueError, match="says where missing values go, which missing='majority'"):
        CARTClassifier(missing="majority", forced_tests={"root": "x <= 5 or missing"}).fit(frame, y)
    test = {"test": "x <= 5", "default_branch": 2}
    with pytest.raises(ValueError, match="'default_branch' of a test is 0"):
        CARTClassifier(missing="learned", forced_tests={"root": test}).fit(frame, y)
    with pytest.raises(ValueError, match="sends all rows of its node the same way"):
        CARTClassifier(missing="majority", forced_tests={"root": "x <= inf"}).fit(frame, y)


@pytest.mark.parametrize("rule", RULES)
def test_such_trees_are_edited_undone_and_replayed(rule):
    frame, y, _ = table(1)
    model = CARTClassifier(max_depth=3, missing=rule).fit(frame, y)
    editor = TreeEditor(model, frame, y)
    first = editor.tree
    assert same_tree(first, model.tree_)
    editor.split("root", feature="z")
    editor.split("root/yes", "x <= 5 or missing")
    editor.grow("root/no", max_depth=1)
    edits = editor.history.to_json()
    again = TreeEditor(model, frame, y)
    assert not again.replay(edits).refused
    assert same_tree(again.tree, editor.tree)
    assert str(again.tree.root.children[0].test) == "x <= 5 or missing"
    for _ in range(3):
        editor.undo()
    assert editor.tree is first


def test_shares_of_rows_are_not_edited():
    frame, y, _ = table(1)
    model = CARTClassifier(max_depth=2, missing="fractional").fit(frame, y)
    with pytest.raises(ValueError, match="does not edit trees with missing='fractional'"):
        TreeEditor(model, frame, y)
