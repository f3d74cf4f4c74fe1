"""From a raw file to a decision: split, plot, explain, prune, and what cannot be done together."""

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result

import spinney
from spinney._cli.models import parse_settings
from spinney.datasets import load

Run = Callable[..., Result]
Write = Callable[..., Path]
Train = Callable[..., Path]
TREE = ("german_credit", "--max-depth", "3", "--model", "cart_full")


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def visits(write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [f"{k:04d},p{k // 4},{'yes' if k % 5 == 0 else 'no'}" for k in range(400)]
    return write("code,patient,y\n" + "\n".join(rows) + "\n", "visits.csv")


def test_split_writes_every_row_once_and_as_it_is(run: Run, visits: Path) -> None:
    done = run("split", visits, "--test", 0.25, "--stratify", "y", "--seed", 3)
    assert done.exit_code == 0, done.output
    train, test = rows_of(Path("visits_train.csv")), rows_of(Path("visits_test.csv"))
    assert (len(train), len(test)) == (300, 100)
    assert sorted(row["code"] for row in train + test) == [f"{k:04d}" for k in range(400)]
    assert sum(row["y"] == "yes" for row in test) == 20
    again = run("split", visits)
    assert again.exit_code == 2
    assert "'visits_train.csv' exists already. Name another file with --train-out" in again.stderr


def test_split_keeps_groups_together(run: Run, visits: Path) -> None:
    assert run("split", visits, "--group", "patient").exit_code == 0
    groups = [
        {row["patient"] for row in rows_of(Path(f"visits_{part}.csv"))}
        for part in ("train", "test")
    ]
    assert not groups[0] & groups[1]
    assert (len(groups[0]), len(groups[1])) == (70, 30)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--group", "one"], "--group: 'one' is the same in all rows"),
        (["--stratify", "z"], "--stratify: no column 'z'"),
        (["--test-out", "a.csv", "--train-out", "a.csv"], "are one file"),
    ],
)
def test_split_refuses_and_writes_nothing(
    run: Run, write: Write, tmp_path: Path, monkeypatch: Any, words: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = write("a,one\n" + "".join(f"{k},1\n" for k in range(9)), "t.csv")
    done = run("split", path, *words)
    assert done.exit_code == 2
    assert message in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize("text", ["", "a,b\n", "a,a\n1,2\n"])
@pytest.mark.parametrize("command", ["split", "train"])
def test_tables_without_rows_or_with_a_name_twice_are_refused(
    run: Run, write: Write, monkeypatch: Any, tmp_path: Path, command: str, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["--target", "a"] if command == "train" else []
    done = run(command, write(text), *words)
    assert done.exit_code == 2
    assert done.stderr.count("Error:") == 1


def test_every_command_takes_a_tree_that_was_saved(
    run: Run, model_file: Train, tmp_path: Path
) -> None:
    whole = spinney.load(model_file(*TREE)).tree_
    small = whole.prune_at([whole.root.children[0].id])
    model, out = tmp_path / "tree.spinney", tmp_path / "again.spinney"
    spinney.save(small, model)
    data = load("german_credit", as_="pandas")
    done = run("predict", model, "german_credit")
    assert done.stdout.split()[1:] == small.predict(data.X).tolist()
    for words in (
        ["evaluate", model, "german_credit"],
        ["explain", model, "german_credit", "--row", 1],
        ["rules", model, "--format", "sql"],
        ["prune", model, "--leaves", 2, "--out", out],
        ["plot", model, "--out", tmp_path / "tree.svg"],
    ):
        assert run(*words).exit_code == 0, words
    assert isinstance(spinney.load(out), spinney.Tree)


@pytest.mark.parametrize("name", ["cart", "forest", "c45"])
def test_plot_draws_any_model(run: Run, model_file: Train, tmp_path: Path, name: str) -> None:
    small = {"forest": ["--trees", "5"]}.get(name, ["--min-samples-leaf", "40"])
    model, out = model_file("german_credit", "--model", name, *small), tmp_path / "p.svg"
    assert run("plot", model, "--out", out, "--node-ids").exit_code == 0
    assert ("importances" if name == "forest" else "node 0") in out.read_text()
    if name == "forest":
        assert run("plot", model, "--out", out, "--tree", 5, "--node-ids").exit_code == 0
        assert "node 0" in out.read_text()
        assert "has 5 trees" in run("plot", model, "--out", out, "--tree", 6).stderr


def test_nodes_are_numbered_and_cut(run: Run, model_file: Train, tmp_path: Path) -> None:
    model, out = model_file(*TREE), tmp_path / "cut.spinney"
    tree = spinney.load(model).tree_
    shown = run("prune", model, "--node-ids").output
    assert all(f"[{node.id}]" in shown for node in tree)
    done = run("prune", model, "--at", 1, "--out", out)
    assert done.exit_code == 0, done.output
    assert spinney.load(out).tree_ == tree.prune_at([1])
    wrong = run("prune", model, "--at", 999)
    assert wrong.exit_code == 2
    assert "--at: node 999 is not in the tree. Nodes to cut at: 0, 1" in wrong.stderr


def test_explain_finds_rows_by_a_column_that_the_model_does_not_know(
    run: Run, model_file: Train, write: Write
) -> None:
    data = load("german_credit", as_="pandas")
    path = write(data.X.assign(loan=[f"L{k}" for k in range(1000)]).to_csv(index=False))
    model = model_file(*TREE)
    found = json.loads(run("explain", model, path, "--where", "loan=L404", "--json").stdout)
    same = json.loads(run("explain", model, path, "--row", 405, "--json").stdout)
    assert found == same
    several = json.loads(run("explain", model, path, "--row", 1, "--row", 2, "--json").stdout)
    assert len(several) == 2
    assert "no row has loan=X" in run("explain", model, path, "--where", "loan=X").stderr
    many = run("explain", model, path, "--where", "foreign_worker=A201").stderr
    assert "rows; at most 20 are explained at once. Add another --where" in many
    both = ("--where", "foreign_worker=A201", "--where", "loan=L404")
    assert run("explain", model, path, *both).exit_code == 0
    assert "--row N, where the first is 1, or --where NAME" in run("explain", model, path).stderr


def test_fixed_columns_are_left_alone(run: Run, model_file: Train) -> None:
    model = model_file(*TREE)
    words = ("explain", model, "german_credit", "--row", 1, "--json")
    free = json.loads(run(*words).stdout)
    changed = [c["column"] for way in free["alternatives"] for c in way["changes"]]
    assert changed
    fixed = json.loads(run(*words, "--fixed", changed[0]).stdout)
    left = [c["column"] for way in fixed["alternatives"] for c in way["changes"]]
    assert changed[0] not in left
    assert free["rules"][0]["conditions"]
    assert "Did you mean" in run(*words, "--fixed", changed[0][:-1]).stderr


def test_what_only_fixed_columns_lead_to_is_told(run: Run, model_file: Train) -> None:
    model = model_file("iris", "--model", "cart_full", "--max-depth", "2")
    words = ("explain", model, "iris", "--row", 1, "--fixed", "petal_length,petal_width")
    done = run(*words)
    for label in ("versicolor", "virginica"):
        told = f"for {label} instead: no way without a change of petal_length or petal_width"
        assert told in done.output
    assert run(*words[:-1], "petal_length", "--fixed", "petal_width").output == done.output
    found = json.loads(run(*words, "--json").stdout)
    assert found["not_without_fixed"] == ["versicolor", "virginica"]
    free = json.loads(run(*words[:-2], "--json").stdout)
    assert free["not_without_fixed"] == []
    assert {way["prediction"] for way in free["alternatives"]} == {"versicolor", "virginica"}


def test_explain_says_that_a_cost_decided(run: Run, model_file: Train) -> None:
    model = model_file("german_credit", "--cost", "bad:good=5")
    told = run("explain", model, "german_credit", "--row", 2).output
    assert "good is likelier, but the costs of mistakes decide" in told


def test_the_rules_of_c45_are_judged_apart(run: Run, model_file: Train) -> None:
    model = model_file("german_credit", "--model", "c45")
    found = run("evaluate", model, "german_credit", "--rules")
    assert found.exit_code == 0, found.output
    own = spinney.load(model)
    X = load("german_credit", as_="pandas").X
    differ = 100 * np.mean(own.rules_.predict(X) != own.predict(X))
    told = " ".join(found.output.split())
    assert f"the rules answer otherwise than the tree for {differ:.1f} % of these rows" in told
    written = run("rules", model, "--format", "sql")
    announced = f"the rules answer otherwise than the tree for {differ:.1f} % of the training rows"
    assert announced in written.stderr
    assert announced not in written.stdout
    assert own.made_for_.rules_differ == pytest.approx(differ / 100)
    assert not run("rules", model, "--paths").stderr
    trained = run("train", "german_credit", "--model", "c45", "--no-cv").output
    assert announced in " ".join(trained.split())
    pruned = run("rules", model, "--prune", "german_credit")
    assert "% of these rows" in pruned.stderr
    plain = run("evaluate", model_file(*TREE), "german_credit", "--rules")
    assert "this model has no rules of its own" in plain.stderr


def test_a_table_may_be_in_a_schema(run: Run, model_file: Train) -> None:
    sql = run("rules", model_file(*TREE), "--format", "sql", "--table", "sales.loans").stdout
    assert '"sales"."loans"' in sql
    assert run("rules", model_file(*TREE), "--format", "sql", "--table", "a.").exit_code == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--model", "c45", "--cost", "bad:good=5"], "Those that can: cart, cart_full"),
        (["--set", "minsplit=20"], "--set min_samples_split=..."),
        (["--set", "minbucket=20"], "--set min_samples_leaf=..."),
        (["--set", "cp=0.01"], "ccp_alpha=... It is a cost per row: cp times the risk of the tree"),
        (["--positive", "ugly"], "There are: bad, good."),
    ],
)
def test_what_cannot_work_says_what_can(run: Run, words: list[str], message: str) -> None:
    done = run("train", "german_credit", "--no-cv", *words)
    assert done.exit_code == 2
    assert message in done.stderr


def test_settings_are_read_as_json_and_as_python() -> None:
    given = ["a=True", "b=None", "c=['x']", "d={('bad', 'good'): 5}", "e=true", "f=x y"]
    assert parse_settings(given) == {
        "a": True,
        "b": None,
        "c": ["x"],
        "d": {("bad", "good"): 5},
        "e": True,
        "f": "x y",
    }


def test_numbers_are_rounded_unless_all_digits_are_wanted(run: Run, model_file: Train) -> None:
    model = model_file("boston_housing", "--max-depth", "3")
    short = run("predict", model, "boston_housing").stdout.split()[1:]
    full = run("predict", model, "boston_housing", "--digits", 17).stdout.split()[1:]
    assert max(map(len, short)) <= 7
    np.testing.assert_allclose(np.array(short, float), np.array(full, float), rtol=1e-5)


def test_classes_are_listed_in_one_order(run: Run) -> None:
    assert "class, 2 classes: bad 300 (30.0 %), good 700" in run("train", *TREE, "--no-cv").output


@pytest.mark.slow
def test_a_closed_pipe_ends_quietly_and_leaves_the_file(tmp_path: Path) -> None:
    out = tmp_path / "m.spinney"
    code = "from spinney._cli import main; main()"
    words = [sys.executable, "-c", code, "train", *TREE, "--no-cv", "--out", str(out)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.wait()
    process.stderr.close()
    assert spinney.load(out).tree_.n_leaves > 1


def test_a_fitted_tree_prints_itself() -> None:
    model = spinney.CARTClassifier(max_depth=1)
    assert str(model) == repr(model)
    model.fit([[0.0], [1.0]], ["a", "b"])
    assert repr(model) == "CARTClassifier(max_depth=1)"
    assert str(model) == f"{model!r}\n{model.tree_}"
