"""`spinney export`."""

import json
import sqlite3
import sys
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from spinney import C45Classifier, CARTClassifier, RandomForestClassifier, save
from spinney._cli import main
from spinney.datasets import load_haberman
from spinney.export import to_c, to_json, to_pmml, to_python, to_sql


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("export")
    data = load_haberman()
    tree = CARTClassifier(max_depth=3).fit(data.X, data.y)
    forest = RandomForestClassifier(3, random_state=0, oob_score=False).fit(data.X, data.y)
    c45 = C45Classifier().fit(data.X, data.y)
    save(c45, folder / "c45.spinney")
    save(tree, folder / "tree.spinney")
    save(forest, folder / "forest.spinney")
    return folder, tree, forest


def run(*arguments):
    return CliRunner().invoke(main, ["export", *map(str, arguments)])


def test_it_writes_what_python_writes(files):
    folder, *models = files
    for name, model in zip(("tree", "forest"), models, strict=True):
        wanted = {
            "pmml": to_pmml(model),
            "sql": to_sql(model),
            "c": to_c(model),
            "python": to_python(model),
            "json": to_json(model, indent=2) + "\n",
        }
        for format_, text in wanted.items():
            out = folder / f"{name}.{format_}"
            result = run(folder / f"{name}.spinney", "--format", format_, "--out", out)
            assert result.exit_code == 0, result.output
            assert out.read_text(encoding="utf-8") == text


def test_sql_takes_its_options(files):
    folder, tree, _ = files
    out = folder / "query.sql"
    options = ("--dialect", "sqlite", "--table", "patients", "--keep", "id", "--proba", "--strict")
    result = run(folder / "tree.spinney", "--format", "sql", "--out", out, *options)
    assert result.exit_code == 0, result.output
    X = load_haberman().X
    with sqlite3.connect(":memory:") as database:
        X.assign(id=range(len(X))).to_sql("patients", database, index=False)
        found = sorted(database.execute(out.read_text()).fetchall())
    assert [row[1] for row in found] == tree.predict(X).tolist()
    assert len(found[0]) == 4


def test_pmml_names_the_target_of_the_training(tmp_path):
    model, out = tmp_path / "m.spinney", tmp_path / "m.pmml"
    trained = CliRunner().invoke(main, ["train", "haberman", "--out", str(model)])
    assert trained.exit_code == 0, trained.output
    assert run(model, "--format", "pmml", "--out", out).exit_code == 0
    fields = ElementTree.parse(out).getroot()[1]
    assert fields[0].get("name") == load_haberman().y.name


def test_packages_that_are_missing_are_named(files, monkeypatch):
    folder, *_ = files
    for format_ in ("onnx", "treelite"):
        monkeypatch.setitem(sys.modules, format_, None)
        result = run(folder / "tree.spinney", "--format", format_, "--out", folder / "x")
        assert result.exit_code != 0
        text = " ".join(result.output.split())
        assert f"pip install 'spinney[{format_}]'" in text


def test_what_a_format_cannot_hold_is_refused_and_no_file_written(files):
    pytest.importorskip("treelite")
    folder, *_ = files
    out = folder / "none.treelite"
    result = run(folder / "c45.spinney", "--format", "treelite", "--out", out)
    assert result.exit_code != 0
    assert "missing='majority'" in " ".join(result.output.split())
    assert not out.exists()


def test_binary_formats_are_written(files):
    onnx = pytest.importorskip("onnx")
    folder, *_ = files
    out = folder / "tree.onnx"
    assert run(folder / "tree.spinney", "--format", "onnx", "--out", out).exit_code == 0
    onnx.checker.check_model(onnx.load(out))


def test_json_can_be_read(files):
    folder, *_ = files
    out = folder / "again.json"
    run(folder / "forest.spinney", "--format", "json", "--out", out)
    assert json.loads(out.read_text())["format"] == "spinney ensemble"
