"""`spinney compare` and `prune` on tables."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result

from spinney import CARTClassifier
from spinney._cli.commands.compare import USUAL
from spinney.compare import Experiment, RepeatedKFold
from spinney.compare._folder import folder_lock
from spinney.datasets import load

Run = Callable[..., Result]
QUICK = ["--model", "cart", "--model", "c45", "--folds", 3, "--repeats", 1, "--jobs", 1]


def test_the_means_are_those_of_the_experiment(run: Run) -> None:
    data = load("heart_disease", as_="pandas")
    methods = {"cart": CARTClassifier(pruning="cost_complexity")}
    resampling = RepeatedKFold(3, 1)
    expected = Experiment({"heart_disease": (data.X, data.y)}, methods, resampling)
    results = expected.run(progress=False)
    found = json.loads(run("compare", "heart_disease", *QUICK, "--json").stdout)
    assert found["methods"] == ["cart", "c45", "no model"]
    np.testing.assert_allclose(found["means"][0][0], results.mean()[0, 0])
    assert found["leaves"][0][2] == 1.0


def test_the_members_that_a_small_forest_keeps_are_counted(run: Run) -> None:
    names = ["--model", "small_forest", "--folds", 3, "--repeats", 1, "--jobs", 1]
    found = json.loads(run("compare", "iris", *names, "--json").stdout)
    assert found["methods"] == ["small_forest", "no model"]
    assert found["leaves"][0][0] >= 25  # of all trees that vote


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_small_forests_are_compared_unless_models_are_named(task: str) -> None:
    assert "small_forest" in USUAL[task]


def test_one_set_ends_with_the_best_tree_and_what_to_do_next(run: Run) -> None:
    result = run("compare", "iris", *QUICK)
    assert result.exit_code == 0, result.output
    text = " ".join(result.output.split())
    assert "Compared by 3-fold cross-validation" in text
    assert "has the least error of all" in text or "The tree to read is" in text
    (model,) = re.findall(r"^  spinney train iris --model (\w+) --out", result.output, re.MULTILINE)
    assert f"\n{model} on all rows: " in result.output


@pytest.mark.slow
def test_several_sets_are_ranked_and_tested(run: Run, tmp_path: Path) -> None:
    arguments = ["iris", "wine", "glass", *QUICK, "--out", tmp_path / "out", "--format", "md"]
    result = run("compare", *arguments)
    assert result.exit_code == 0, result.output
    text = " ".join(result.output.split())
    assert "Friedman: chi-squared" in text
    assert "Nemenyi: mean ranks" in text
    page = (tmp_path / "out" / "report.md").read_text()
    assert page.startswith("# Models on iris, wine, glass\n")
    for picture in re.findall(r"!\[[^]]*\]\(([^)]+)\)", page):
        assert (tmp_path / "out" / picture).read_bytes().startswith(b"<?xml")


def test_the_page_holds_tables_and_pictures(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    assert run("compare", "iris", *QUICK, "--out", folder).exit_code == 0
    page = (folder / "report.html").read_text()
    assert page.count("<table>") == 1
    assert '<td class="word">no model</td>' in page
    assert page.count("data:image/svg+xml;base64,") == 3
    assert (folder / "results.csv").exists()
    other = run("compare", "wine", *QUICK, "--out", folder)
    assert other.exit_code == 2  # the results of something else are not overwritten
    assert (folder / "report.html").read_text() == page


def test_a_damaged_journal_is_refused(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    assert run("compare", "iris", *QUICK, "--out", folder).exit_code == 0
    journal = folder / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([lines[0], lines[1][:20] + b"\n", *lines[2:]]))
    before = journal.read_bytes()
    result = run("compare", "iris", *QUICK, "--out", folder)
    assert result.exit_code == 2
    assert "journal.jsonl" in result.output
    assert journal.read_bytes() == before


def test_a_second_run_in_a_folder_is_refused(run: Run, tmp_path: Path) -> None:
    assert run("compare", "iris", *QUICK, "--out", tmp_path).exit_code == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with folder_lock(tmp_path):
        result = run("compare", "iris", *QUICK, "--out", tmp_path)
    assert result.exit_code == 2
    assert "is in use by another run (process " in result.output
    assert len(result.output.splitlines()) == 1
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["iris", "boston_housing"], "targets are classes, numbers or lifetimes, not mixed"),
        (["iris", "iris"], "'iris' is given twice"),
        (["boston_housing", "--model", "c45"], "predicts classes"),
        (["irish"], "Did you mean 'iris'?"),
    ],
)
def test_what_cannot_be_compared_is_refused(run: Run, arguments: list[str], sentence: str) -> None:
    result = run("compare", *arguments)
    assert result.exit_code == 2
    assert sentence in result.output


def test_prune_shows_every_size_and_chooses(run: Run, tmp_path: Path) -> None:
    data = load("german_credit", as_="pandas")
    model = CARTClassifier(pruning="cost_complexity", rule="min", random_state=0)
    path = model.fit(data.X, data.y).pruning_path_
    picture = tmp_path / "path.png"
    result = run("prune", "german_credit", "--rule", "min", "--json", "--plot", picture)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)["pruning"]
    assert found["selected"] == path.selected
    assert found["leaves"] == path.n_leaves.tolist()
    assert found["errors"] == path.errors.tolist()
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_prune_chooses_by_leaves_or_price(run: Run) -> None:
    by_leaves = json.loads(run("prune", "german_credit", "--leaves", 8, "--json").stdout)
    assert by_leaves["pruning"]["leaves"][by_leaves["pruning"]["selected"]] == 7
    by_price = json.loads(run("prune", "german_credit", "--alpha", 0.0052, "--json").stdout)
    assert by_price["pruning"]["selected"] == by_leaves["pruning"]["selected"]
    both = run("prune", "german_credit", "--alpha", 0.1, "--leaves", 3)
    assert both.exit_code == 2
    assert "give one of them" in both.output
