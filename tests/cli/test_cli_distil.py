"""`spinney distil`: a tree or rules for a forest, with what is told of them."""

import json

import pytest

from spinney import CARTClassifier, RandomForestClassifier, load, save
from spinney.datasets import load_iris
from spinney.rules import RuleSet


@pytest.fixture(scope="module")
def forest(tmp_path_factory):
    file = tmp_path_factory.mktemp("distil") / "forest.spinney"
    iris = load_iris()
    save(RandomForestClassifier(5, oob_score=False, random_state=0).fit(iris.X, iris.y), file)
    return file


def test_the_tree_is_shown_and_written(run, forest, tmp_path):
    out = tmp_path / "tree.spinney"
    result = run("distil", forest, "iris", "--leaves", "4", "--out", out)
    tree = load(out)
    assert isinstance(tree, CARTClassifier)
    assert tree.get_n_leaves() <= 4
    assert f"agreement with the ensemble {tree.distillation_.agreement:.4f}" in result.output
    assert f"error {tree.distillation_.error:.4f}" in result.output


def test_rules_are_written_instead(run, forest, tmp_path):
    out = tmp_path / "rules.spinney"
    told = json.loads(run("distil", forest, "iris", "--rules", "--json", "--out", out).stdout)
    rules = load(out)
    assert isinstance(rules, RuleSet)
    assert told["rules"] == str(rules).splitlines()
    assert 0.8 < told["agreement"] <= 1


def test_a_single_tree_is_refused(run, tmp_path):
    iris = load_iris()
    save(CARTClassifier().fit(iris.X, iris.y), tmp_path / "tree.spinney")
    result = run("distil", tmp_path / "tree.spinney", "iris")
    assert result.exit_code == 2
    assert "no forest that can be distilled" in result.output


def test_the_tree_remembers_what_the_forest_was_made_for(run, model_file, tmp_path):
    out = tmp_path / "tree.spinney"
    forest = model_file("haberman", "--model", "forest", "--set", "n_estimators=11")
    result = run("distil", forest, "haberman", "--out", out)
    assert result.exit_code == 0, result.output
    assert load(out).made_for_.target == load(forest).made_for_.target
    assert run("evaluate", out, "haberman").exit_code == 0


def test_a_small_forest_is_distilled_too(run, model_file, tmp_path):
    out = tmp_path / "tree.spinney"
    small = model_file("haberman", "--model", "small_forest", "--set", "pool=30")
    result = run("distil", small, "haberman", "--leaves", "12", "--out", out)
    assert result.exit_code == 0, result.output
    assert load(out).get_n_leaves() <= 12
    assert "agreement with the ensemble" in result.output
