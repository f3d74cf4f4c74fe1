"""Other tests that a page lists, and edits that its readers propose."""

import json

import numpy as np
import pytest
from report_problems import credit_model, random_model

from spinney import CARTClassifier, CARTRegressor, load, save
from spinney.edit import TreeEditor
from spinney.export import to_sql
from spinney.report import Report
from spinney.tree._forced import node_at, path_of


@pytest.fixture(scope="module")
def credit():
    return credit_model()


def test_competitors_are_those_of_the_editor(credit):
    model, frame, y, _ = credit
    part = Report(model, frame, y).payload()["editing"]
    editor = TreeEditor(model, frame, y)
    largest = model.pruning_path_.trees[0]
    assert part["rows"] == len(frame)
    for node in model.tree_:
        shown = part["competitors"][str(node_at(largest, path_of(node)).id)]
        wanted = editor.competitors(path_of(node), n=5)
        assert [own["test"]["test"] for own in shown] == [str(own.test) for own in wanted]
        assert [own["rows"] for own in shown] == [list(own.n_rows) for own in wanted]
        np.testing.assert_allclose([own["gain"] for own in shown], [o.gain for o in wanted])


def test_other_models_offer_what_their_editor_takes():
    model, frame, y = random_model(3, 0)  # shares of rows
    assert Report(model, frame, y).payload()["editing"] is None
    model, frame, y = random_model(7, 0)  # many branches
    part = Report(model, frame, y).payload()["editing"]
    assert part["competitors"] is None
    assert list(part["paths"].values()) == [path_of(node) for node in model.tree_]


def test_an_edited_tree_goes_through_everything(credit, tmp_path):
    model, frame, y, _ = credit
    editor = TreeEditor(model, frame, y, author="Ada")
    editor.split("root", "age <= 40", reason="policy 7")
    editor.grow("root", max_depth=2)
    editor.lock("root/yes")
    edited = editor.finish()
    assert edited.predict(frame).tolist() == editor.tree.predict(frame).tolist()
    assert edited.tree_.prune_at([0]).n_leaves == 1
    assert len(edited.tree_.rules().rules) == edited.tree_.n_leaves
    assert "age" in to_sql(edited, "people")
    save(edited, tmp_path / "edited")
    back = load(tmp_path / "edited")
    assert back.tree_ == edited.tree_
    payload = Report(back, frame, y).payload()
    assert payload["about"]["edits"][0] == {
        "what": "split root by age <= 40", "reason": "policy 7", "author": "Ada",
    }  # fmt: skip
    assert payload["path"]["leaves"][payload["path"]["selected"]] == edited.tree_.n_leaves
    once_more = TreeEditor(back, frame, y)
    once_more.prune("root/no")
    assert once_more.tree.n_leaves < edited.tree_.n_leaves


@pytest.mark.slow
def test_proposals_download_as_edits_that_can_be_replayed(credit, open_report, tmp_path):
    model, frame, y, holdout = credit
    opened = open_report(Report(model, frame, y, holdout=holdout))
    page = opened.page
    page.locator("#edit-author").fill("B. Member")
    page.locator("#edit-reason").fill('age "first" <b>by</b> policy')
    page.locator("[role=treeitem]").first.click()
    shown = page.locator("#panel .others li")
    assert shown.count() == 5
    other = shown.nth(1).locator("strong").inner_text()
    shown.nth(1).get_by_role("button").click()
    assert "Proposed: root: ask instead" in page.locator("#edit-status").inner_text()
    with page.expect_download() as waiting:
        page.locator("#download-edits").click()
    waiting.value.save_as(tmp_path / "edits.json")
    text = (tmp_path / "edits.json").read_text("utf-8")
    assert json.loads(text)["edits"][0]["author"] == "B. Member"
    editor = TreeEditor(model, frame, y)
    report = editor.replay(text)
    assert not report.refused
    assert str(editor.tree.root.test) == other
    assert report.applied[0].reason == 'age "first" <b>by</b> policy'
    assert opened.complaints == []


@pytest.mark.slow
def test_proposals_that_contradict_each_other_are_told(credit, open_report):
    model, frame, y, _ = credit
    opened = open_report(Report(model, frame, y))
    page = opened.page
    root = page.locator("[role=treeitem]").first
    child = opened.run("S.children(0).find((node) => !S.isLeaf(node))")
    opened.run(f"(S.selectNode({child}), 1)")
    page.get_by_role("button", name="Keep as it is").click()
    root.click()
    page.get_by_role("button", name="Make it a leaf").click()
    assert "is to be kept as it is" in page.locator("#edit-status").inner_text()
    page.get_by_role("button", name="Drop edit 1").click()
    page.locator("#own-test").fill("age <= 40")
    page.locator("#own-test").press("Enter")
    opened.run(f"(S.selectNode({child}), 1)")
    page.get_by_role("button", name="Make it a leaf").click()
    assert "its branches are gone" in page.locator("#edit-status").inner_text()
    edits = json.loads(opened.run("S.editsJson()"))
    assert edits == {
        "version": 1,
        "edits": [{"action": "split", "node": "root", "test": "age <= 40"}],
    }
    editor = TreeEditor(model, frame, y)
    assert not editor.replay(edits).refused
    opened.run("(S.setStep(S.lastStep), 1)")
    assert "move the slider back" in page.locator("#panel").inner_text()


@pytest.mark.slow
@pytest.mark.parametrize("learner", [CARTClassifier, CARTRegressor])
def test_paths_of_the_page_are_those_of_the_editor(learner, credit, open_report):
    _, frame, y, _ = credit
    target = y if learner is CARTClassifier else np.arange(len(frame)) % 7.0
    model = learner(max_depth=4).fit(frame, target)
    opened = open_report(Report(model, frame, target))
    paths = opened.run("S.tree.parent.map((_, node) => S.editPath(node))")
    assert paths == [path_of(node) for node in model.tree_]
