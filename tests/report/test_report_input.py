"""What cannot be shown is refused in one sentence, and nothing is written."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from report_problems import credit_model, random_table

from spinney import CARTClassifier, Tree, save
from spinney._cli import main
from spinney.pruning import cost_complexity_path
from spinney.report import Report
from spinney.report._page import safe_json


@pytest.fixture(scope="module")
def credit():
    return credit_model()


def test_a_model_without_data_is_refused(credit):
    model, frame, y, _ = credit
    with pytest.raises(ValueError, match="a report needs data: X and y"):
        Report(model, None, None)
    with pytest.raises(ValueError, match="a report needs data"):
        Report(model, frame, None)
    with pytest.raises(TypeError, match="must be a fitted estimator of spinney, got Tree"):
        Report(model.tree_, frame, y)
    with pytest.raises(Exception, match="not fitted"):
        Report(CARTClassifier(), frame, y)


def test_data_without_columns_and_other_holdouts_are_refused(credit):
    model, frame, y, (other, y2) = credit
    with pytest.raises(ValueError, match="word"):
        Report(model, frame.drop(columns="word"), y)
    with pytest.raises(ValueError, match=r"^holdout: (.|\n)*word"):
        Report(model, frame, y, holdout=(other.drop(columns="word"), y2))
    with pytest.raises(ValueError, match=r"^holdout: "):
        Report(model, frame, y, holdout=(other, y2[:-1]))
    with pytest.raises(ValueError, match=r"holdout must be a tuple \(X, y\)"):
        Report(model, frame, y, holdout=other)
    with pytest.raises(ValueError, match="classes that the model does not know"):
        Report(model, frame, np.where(y == "bad", "worse", y))


def test_leaf_steps_are_where_nodes_become_leaves(credit):
    model, *_ = credit
    path = model.pruning_path_
    for first in (0, 1, len(path) - 1):
        steps = path.leaf_steps(first)
        tree = path.trees[first]
        assert len(steps) == tree.n_nodes
        for k in range(first, len(path)):
            pruned = tree.prune_at(np.flatnonzero(steps <= k))
            assert pruned.to_text(max_depth=None) == path.trees[k].to_text(max_depth=None)


def test_a_tree_whose_branches_gain_nothing_comes_before_its_path():
    leaf = {"test": None, "children": []}
    nodes = [
        {"test": "x <= 1", "children": [1, 2], "counts": [6, 2]},
        {**leaf, "counts": [3, 1]},
        {**leaf, "counts": [3, 1]},
    ]
    tree = Tree.from_dict({"classes": ["a", "b"], "features": ["x"], "nodes": nodes})
    model = CARTClassifier()._wrap(tree)
    payload = Report(model, pd.DataFrame({"x": [0.0, 2.0]}), ["a", "b"]).payload()
    assert cost_complexity_path(tree).n_leaves.tolist() == [1]
    assert payload["path"]["leaves"] == [2, 1]
    assert payload["tree"]["step"][0] == 1


def test_json_cannot_leave_its_element():
    text = safe_json({"</script>": "\u2028<!--&", "x": float("nan"), "y": 3.0})
    assert not set("<>&\u2028") & set(text)
    assert text.endswith('"x":null,"y":3}')


def _run(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


def test_the_command_writes_a_page_or_nothing(tmp_path, credit):
    model, frame, y, _ = credit
    data = frame.assign(risk=y)
    data.to_csv(tmp_path / "data.csv", index=False)
    data.drop(columns="word").to_csv(tmp_path / "less.csv", index=False)
    save(model, tmp_path / "model")
    out = tmp_path / "page.html"
    refused = [
        (("model", "less.csv"), "lacks 'word'"),
        (("model", "none.csv"), "none.csv"),
        (("data.csv", "data.csv"), "cannot read the model"),
        (("model", "data.csv", "--holdout", tmp_path / "less.csv"), "lacks 'word'"),
    ]
    for (first, second, *more), words in refused:
        result = _run("report", tmp_path / first, tmp_path / second, *more, "--out", out)
        assert result.exit_code == 2, result.output
        assert words in result.output
        assert not out.exists()
    made = _run("report", tmp_path / "model", tmp_path / "data.csv", "--out", out)
    assert made.exit_code == 0, made.output
    assert "risk" in out.read_text("utf-8")
    assert "page.html" in made.output


def test_the_page_is_the_same_for_the_same_time(credit):
    from datetime import datetime

    model, frame, y, holdout = credit
    pages = [
        Report(model, frame, y, holdout=holdout, created=datetime(2026, 1, 2)).to_html()
        for _ in range(2)
    ]
    assert pages[0] == pages[1]


def test_unseen_categories_are_counted_as_gaps(credit):
    model, frame, y, _ = credit
    rows = random_table(np.random.default_rng(5), 200, unseen=True)
    payload = Report(model, frame, y, holdout=(rows, y[:200])).payload()
    word = payload["columns"][2]
    known = rows["word"].isin(word["categories"]).sum()
    assert word["gaps"][1] == 200 - known
    assert sum(word["bars"][1]) == known
    assert payload["columns"][0]["drift"] < 0.25
