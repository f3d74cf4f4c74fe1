"""`spinney edit`."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from spinney import C45Classifier, CARTClassifier, load, save
from spinney._cli import main
from spinney.datasets import load_haberman


@pytest.fixture
def files(tmp_path):
    data = load_haberman()
    save(CARTClassifier(max_depth=2).fit(data.X, data.y), tmp_path / "m.spinney")
    column = next(iter(data.X.columns))
    edits = [
        {"action": "split", "node": "root", "test": f"{column} <= 50", "reason": "by age"},
        {"action": "grow", "node": "root/yes", "max_depth": 1},
    ]
    (tmp_path / "edits.json").write_text(json.dumps({"edits": edits}))
    return tmp_path, column


def run(*arguments):
    return CliRunner().invoke(main, ["edit", *map(str, arguments)])


def test_it_makes_the_edits_and_writes_the_model(files):
    folder, column = files
    paths = (folder / "m.spinney", "haberman", "--edits", folder / "edits.json")
    result = run(*paths, "--out", folder / "new.spinney")
    assert result.exit_code == 0, result.output
    assert "2 of 2 edits applied" in result.output
    assert "(by age)" in result.output
    model = load(folder / "new.spinney")
    assert str(model.tree_.root.test) == f"{column} <= 50"
    told = json.loads(run(*paths, "--json").stdout)
    assert [step["leaves"] for step in told["steps"]][1:] == [2, 3]
    assert np.isfinite([step["error"] for step in told["steps"]]).all()


def test_it_writes_the_report_of_the_edited_model(files):
    folder, column = files
    paths = (folder / "m.spinney", "haberman", "--edits", folder / "edits.json")
    out, page = folder / "new.spinney", folder / "page.html"
    result = run(*paths, "--out", out, "--report", page)
    assert result.exit_code == 0, result.output
    text = page.read_text("utf-8")
    assert f'"what":"split root by {column} \\u003c= 50","reason":"by age"' in text
    assert "The report is in" in result.output
    same = run(*paths, "--out", out, "--report", out)
    assert same.exit_code == 2
    assert "Give them different names" in same.output


def test_nothing_is_written_if_an_edit_does_not_fit(files):
    folder, _ = files
    (folder / "edits.json").write_text('[{"action": "prune", "node": "root/yes/yes/yes/yes"}]')
    paths = (folder / "m.spinney", "haberman", "--edits", folder / "edits.json")
    out, page = folder / "new.spinney", folder / "page.html"
    result = run(*paths, "--out", out, "--report", page)
    assert result.exit_code == 2
    assert not out.exists()
    assert not page.exists()


def test_an_edited_model_remembers_what_it_was_made_for(tmp_path):
    made = CliRunner().invoke(main, ["train", "haberman", "--out", str(tmp_path / "m.spinney")])
    assert made.exit_code == 0, made.output
    (tmp_path / "edits.json").write_text('[{"action": "grow", "node": "root", "max_depth": 1}]')
    out = tmp_path / "new.spinney"
    result = run(
        tmp_path / "m.spinney", "haberman", "--edits", tmp_path / "edits.json", "--out", out
    )
    assert result.exit_code == 0, result.output
    assert load(out).made_for_.target == load(tmp_path / "m.spinney").made_for_.target == "class"


@pytest.mark.parametrize("partly", [False, True])
def test_edits_that_do_not_fit_are_refused_or_left_out(files, partly):
    folder, column = files
    edits = [
        {"action": "prune", "node": "root/yes/yes/yes/yes/yes"},
        {"action": "split", "node": "root", "test": f"{column} <= 50"},
    ]
    (folder / "edits.json").write_text(json.dumps(edits))
    out = folder / "new.spinney"
    flags = ["--partly"] if partly else []
    result = run(
        folder / "m.spinney", "haberman", "--edits", folder / "edits.json", "--out", out, *flags
    )
    assert result.exit_code == (0 if partly else 2)
    assert "there is no node" in result.output
    assert out.exists() == partly


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", "no JSON"), ('{"edits": 3}', "a list of edits"), ('[{"action": "cut"}]', "'action'")],
)
def test_a_file_without_edits_is_refused(files, text, message):
    folder, _ = files
    (folder / "edits.json").write_text(text)
    result = run(folder / "m.spinney", "haberman", "--edits", folder / "edits.json")
    assert result.exit_code == 2
    assert message in result.output


def test_what_cannot_be_edited_is_refused(files):
    folder, _ = files
    data = load_haberman()
    save(C45Classifier().fit(data.X, data.y), folder / "c45.spinney")
    result = run(folder / "c45.spinney", "haberman", "--edits", folder / "edits.json")
    assert result.exit_code == 2
    assert "split does not work with C45Classifier" in result.output
    result = run(folder / "m.spinney", "haberman", "--edits", folder / "no.json")
    assert result.exit_code == 2
    assert "cannot read --edits" in result.output
